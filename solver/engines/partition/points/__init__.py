"""Points plan: squared error alone, under requirements that look at sizes only (`docs/microaggregation.md`).

`search` says in which order things are done, `progress` what a rounded cost proves, `generating` how the
linear program and its cuts are solved.
"""
