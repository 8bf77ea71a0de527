"""Speed, size and memory, each beside its limit in the same run.

Ratios are the result; absolute figures depend on the machine and its load.
`python -m benchmarks --help` tells what there is.
"""
