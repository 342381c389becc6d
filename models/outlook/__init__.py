"""Looking ahead: what the next releases of a series will probably ask for, priced before the search.

`asked` is what a policy says, `forecast` what is known of who will leave and come, `life` the simulated life
of one bucket, `prices` the table that follows: how many counterfeits a signature will probably need.
`together` is the life of all buckets, arrivals and what these begin; `foreseen` draws it from a release.
"""
