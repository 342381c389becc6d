"""The verifier: everything a certificate says, derived again or compared, without a solver.

Read in this order: `outcome` (what is told at the end), `checking` (the order of checks), `given` (which
releases a bound is about), `bounds` (one kind of claim after the other), `refusals` (why there is no
release).
"""
