"""Frozen, seeded cases that register themselves; run with ``python -m bench``.

Every number the README states comes from one of them.
"""
