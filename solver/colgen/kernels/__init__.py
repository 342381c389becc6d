"""The compiled searches for groups of negative reduced cost."""
