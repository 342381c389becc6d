"""What is slow is marked so: by hand, or because it is one of many draws."""

from __future__ import annotations

import pytest
from pace import beyond


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark draws beyond the first few, before anything is selected by its marks; benchmarks come last.

    Benchmarks have time limits, and whoever runs first waits for the compiler.
    """
    tests = [
        (
            item.nodeid.partition("[")[0],
            callspec.params if (callspec := getattr(item, "callspec", None)) else {},
        )
        for item in items
    ]
    for item, slow in zip(items, beyond(tests), strict=True):
        if slow:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: "bench" in item.path.parts[-2:-1])
