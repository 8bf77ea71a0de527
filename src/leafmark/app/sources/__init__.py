"""Which files of a tree are sources, and what are their bytes?"""
