"""Possible worlds: which values there may be, counted, sampled, decided, proven; asks no questions itself."""
