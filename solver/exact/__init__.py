"""Integer programs and proofs of their optima in whole numbers.

`program` says what is minimized, `rank1` what cuts are, `tree_check` what a proof is and whether it holds:
none of them knows a solver. `tree` finds proofs with the help of HiGHS' linear programs (`relaxation`,
`separation`), which only propose; `payload` writes proofs down.
"""
