"""Signature plan: releases under equal counts, with a past and counterfeits.

What the policy and the history demand, and which tuples are interchangeable, is in `colgen.structure`; how
returning tuples are dealt, new ones put beside them and releases improved, in `colgen.primal`. Read in this
order: `minimum_counterfeits` (a small integer program), `construct` (first releases), `best` (what is
known), `fakes` and `loss` (the two levels of the objective), `levels` (one after the other), `proof`.
"""
