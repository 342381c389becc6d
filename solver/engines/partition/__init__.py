"""The partition engine: set partitioning over QI-groups, by one of six plans.

`plan` says which. The histogram plan, here and in `histogram`: groups judged by what is published of them, by
column generation with exact bounds. In `signature`: equal counts with a past. In `counts`: groups without
boxes, or whose boxes no loss looks at, by an integer program over their counts. In `points`: squared error.
In `withstand`: series nobody can be inferred from. In `enumerated`: everything else, by column enumeration
with lazy cuts. Series that look ahead (`ahead`) and tables in blocks (`blocks`) have folders of their own.

What plans share is in `solver.colgen`. Read in this order: `plan`, `objective`, `progress` (what is known),
`simplex` (small tables), `scale` (large ones), `loosened` (large ones under policies without a largest needed
group), `proof`, `histogram`. How far each plan searches is in `solver.limits`, how long in `solver.schedule`.
"""
