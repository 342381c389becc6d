"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import linecache
import pkgutil

import pytest

import optanon

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(optanon.__path__, "optanon.")
    if module.name.split(".")[1] in ("models", "instances", "solver")
)


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str):
    linecache.clearcache()  # the runner sees after every file in it, once an example
    assert doctest.testmod(importlib.import_module(name)).failed == 0
