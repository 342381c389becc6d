"""The partition engine: set partitioning over QI-groups, by one of seven plans.

`plan` says which. The histogram plan, here and in `histogram`: groups judged by what is published of them, by
column generation with exact bounds; tables in blocks have a folder of their own (`blocks`). In `signature`:
equal counts with a past. In `ahead`: the same in series that look ahead. In `counts`: groups without boxes,
or whose boxes no loss looks at, by an integer program over their counts. In `points`: squared error. In
`withstand`: series nobody can be inferred from. In `enumerated`: everything else, by column enumeration with
lazy cuts.

What plans share is in `solver.colgen`. Read in this order: `plan`, `objective`, `progress` (what is known),
`simplex` (small tables), `scale` (large ones), `loosened` (large ones under policies without a largest needed
group), `proof`, `histogram`. How far each plan searches is in `solver.limits`, or in `limits` beside it; how
long, in `solver.schedule` and `solver.schedule_series`.
"""
