# SPDX-License-Identifier: Apache-2.0
"""Packages that only some of this package needs."""

from __future__ import annotations

import importlib
from typing import Any


def needed(module: str, extra: str) -> Any:
    """The module, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        remedy = f"pip install 'flowstone[{extra}]', or in a copy of the project pip install -e 'notebooks[{extra}]'"
        raise ImportError(f"{missing}: {remedy}") from missing
