"""Column generation: the least cost at which groups cover a table, bounded below and reached from above.

Groups are columns (`column`), tuples of one kind a row (`table`). A restricted master over the groups known
so far proposes duals; pricing answers with groups of negative reduced cost and with duals that are feasible
for all of them, so that each round proves a bound. Which groups may be needed is said in `structure`, looked
for by `kernels`, and made into releases by `primal`.
"""
