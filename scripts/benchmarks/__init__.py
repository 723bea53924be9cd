"""Benchmarks: pagekin on the same work in the same run as its peers and the physical floor.

What `scripts/bench` is made of. A benchmark is one module with a `BENCHMARK`; `catalogue` knows
all. It lies beside the package and not in it, because users who install pagekin have no use for
it, and because its peers (`pip install '.[bench]'`) are nothing that pagekin needs.
"""
