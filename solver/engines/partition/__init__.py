"""The partition engine: set partitioning over QI-groups, by column generation with exact bounds.

Read in this order: `rows` (the table in integers), `histograms` (which groups can be needed),
`pricing` (the groups that pay at given duals, exactly), `master` (the linear program that proposes
duals), `cuts`, `generation` (all of them in a loop), `start` and `windows` (releases), `finish`
(closing the last gap), `proof` (the bound re-checked without any of them), `engine`.
"""
