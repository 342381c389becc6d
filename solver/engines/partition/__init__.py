"""The partition engine: set partitioning over QI-groups, by one of four plans.

`plan` says which. Here and in `singly`: groups judged by what is published of them, by column generation with
exact bounds. In `series`: equal counts with a past. In `boxless`: groups without boxes, or whose boxes no
loss looks at, by histograms. In `listed`: everything else, by lists of groups.

Read in this order: `rows` (the table in integers), `histograms` (which groups can be needed),
`pricing` (the groups that pay at given duals, exactly; its compiled parts are `search` and `buckets`),
`master` and `generation` (simplex: small tables) or `first_order` and `relaxation` (large ones), `cuts`,
`separation` and `odd_sets`, `start`, `rounding` and `windows` (releases), `finish` (closing the
last gap), `proof` (the bound re-checked without any of them), `loosened` (large tables under
policies without a largest needed group), `singly`.
"""
