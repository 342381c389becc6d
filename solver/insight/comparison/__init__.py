"""Baselines and engines side by side, measured against what is proven."""
