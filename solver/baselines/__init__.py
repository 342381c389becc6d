"""Heuristics: baselines to compare with and warm starts for the engines."""
