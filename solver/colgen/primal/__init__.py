"""Releases: first ones, those made of fractional solutions, and better ones near by."""
