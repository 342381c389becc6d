"""Exact programs and proofs of their optima in whole numbers.

`program` says what is minimized, `rank1` what cuts are, `tree_check` what a proof is and whether it holds:
none of them knows a solver. `tree` finds proofs with the help of HiGHS' linear programs (`relaxation`,
`separation`), which only propose; `payload` writes proofs down.

Small tables need no proof that is written down: `sets` are all sets of tuples, `admissible` says which may be
groups, `costs` what they cost, `subsets` is the program over all of them, `groupings` the list of all better
groupings for requirements on whole releases, and `proving` makes claims of what they find.
"""
