"""Series that look ahead: the fewest counterfeits, then what signatures will cost, then the least loss.

In this order: `people` (who has to be where), `needs` (how many groups the past asks of each bucket),
`family` (which signatures, how many groups each, who joins them: an integer program over counts), `divisions`
(other families with the same seats), `seated` (groups made of that, improved by exchanges), `search` (the
levels one after the other).
"""
