"""The verifier: everything a certificate says, derived again or compared, without a solver.

Read in this order: `outcome` (what is told at the end), `checking` (the order of checks), `given` (which
releases a bound is about), `bounds` (one kind of claim after the other), `refusals` (why there is no
release).

Below them, the second search for groups: `rows` (the table in integers), `histograms` and `past` (which
groups are needed), `listing` (what is searched, by the compiled `listing_search`), `duals`, `priced` and
`series` (what it lists for a claim).
"""
