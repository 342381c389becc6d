"""Columns as boxes, where only sizes matter and many tuples share their values.

A box is a product of nodes of taxonomies times an interval of one ordered attribute. All groups inside it
cost at most its cost per tuple times their size, and the best of them has the largest duals: no search tree
is needed, however many tuples are alike. `grid` lists the products, `scan` walks through the intervals.
"""
