"""Groups of points: the column source of squared error, where sizes are all that requirements look at.

A group costs the squared distances of its members to their mean, which is the sum of squared distances of
its pairs over its size. Groups of k to 2k - 1 suffice: cutting a larger one in two costs nothing.
"""
