"""Releases made by other tools: their notations, their rows, and who can be behind them."""
