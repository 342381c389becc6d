"""Points plan: squared error alone, under requirements on published values (`docs/microaggregation.md`).

Where these look at sizes only, groups of points are priced; else moves are judged.

`search` says in which order things are done, `progress` what a rounded cost proves, `generating` how the
linear program and its cuts are solved.
"""
