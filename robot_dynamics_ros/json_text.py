"""Results as JSON text."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def json_text(result: Mapping[str, Any]) -> str:
    """The text of a result: each number has all its digits, one that is not finite is null."""
    return json.dumps(_plain(result), indent=2, ensure_ascii=False, allow_nan=False) + '\n'


def _plain(value: Any) -> Any:
    match value:
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case Mapping():
            return {str(key): _plain(entry) for key, entry in value.items()}
        case list() | tuple():
            return [_plain(entry) for entry in value]
        case float():
            return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value
