"""Releases under equal counts: returning respondents keep their signature, counterfeits fill gaps.

Read in this order: `rules` (what the policy and the history demand, and which groups can be needed),
`types` (tuples that are interchangeable), `counts` (the fewest counterfeits, as a small integer
program), `buckets` and `fresh` (compiled searches for groups that pay), `pricing`, `master`,
`construct` and `improve` (releases), `best` (what is known), `fakes` and `loss` (the two levels of the
objective), `levels` (one after the other), `proof`.
"""
