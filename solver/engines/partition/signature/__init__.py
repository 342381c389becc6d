"""Signature plan: releases under equal counts, with a past and counterfeits.

What the policy and the history demand, and which tuples are interchangeable, is in `colgen.structure`.
Read in this order: `minimum_counterfeits` (a small integer program), `pricing`, `master`, `construct` and
`improve` (releases), `best` (what is known), `fakes` and `loss` (the two levels of the objective), `levels`
(one after the other), `proof`.
"""
