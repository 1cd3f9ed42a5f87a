"""How Python calls compiled kernels: through the extension `_entry`, elsewhere through ctypes."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from . import ctypes_entry


def _load_extension() -> tuple[Any, str]:
    """The function `make_entry`, and why it is not that of the extension; empty if it is."""
    try:
        from .._entry import make_entry
    except ModuleNotFoundError:
        return ctypes_entry.Entry, 'the extension _entry is not built'
    except Exception as error:
        # Built for another NumPy, for one, which says so in many lines: ctypes computes the same.
        reason = shorten(str(error), 150)
        return ctypes_entry.Entry, f'the extension _entry does not load: {reason}'
    return make_entry, ''


make_entry, EXTENSION_OBSTACLE = _load_extension()
