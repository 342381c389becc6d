"""Counts plan, releases without boxes: which values go together is all that matters.

If no loss depends on boxes and all requirements judge published values, tuples with the same value are
interchangeable, and a release is a multiset of histograms. Read in this order: `prices` (losses by
published size), `verdicts` (requirements on histograms), `shapes` with `evened` and `explicit` (which
histograms can be needed), `program` (the integer program of one level), `solving`, `deal` (a release of its
solution), `search`, `proof`.
"""
