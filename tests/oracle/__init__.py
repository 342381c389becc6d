"""Brute force: definitions written again from their sources, sharing nothing with the package they judge."""
