"""Enumerated plan: groups are listed, and an integer program over the list is solved with cuts.

Read in this order: `columns` (groups), `judge` (which may be in a release), `part` (what of a policy can
be searched without a list), `sizes` (losses by sizes; the engine solves these), `guide` and `measure` (their
bounds and duals), `near` (the list), `model` and `program` (the integer program), `starts`, `state`, `repair`
and `moves` (releases), `search`. Small tables are left to the exact programs of the subset engine.
"""
