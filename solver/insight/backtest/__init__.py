"""A series published in advance, several ways: what each policy and heuristic makes of the same tables."""
