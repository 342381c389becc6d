"""Releases nobody can be inferred from: a search with the exact audit inside."""
