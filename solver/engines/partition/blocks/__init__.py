"""Large tables in blocks: each is a task, whoever does it; then blocks across the borders of the old ones.

`search` has the rounds, `cutting` says where blocks end, `task` is what is done with one.
"""
