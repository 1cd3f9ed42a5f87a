"""Results as bytes: JSON and NumPy arrays, from which nothing is executed when they are read."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

PACKAGE = __name__.partition('.')[0]
TEXT = 'text'


def encoded(value: Any) -> bytes:
    """The bytes of plain data (see `Task`).

    Raises:
        ParameterError: the value holds something else.
    """
    arrays: dict[str, Array] = {}
    text = json.dumps(_described(value, arrays))
    file = io.BytesIO()
    content: dict[str, Any] = {**arrays, TEXT: np.frombuffer(text.encode(), np.uint8)}
    np.savez(file, **content)
    return file.getvalue()


def decoded(content: bytes) -> Any:
    """The plain data that `encoded` made bytes of.

    Raises:
        ValueError: these are other bytes.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _restored(json.loads(arrays[TEXT].tobytes()), arrays)
    except Exception as error:
        raise ValueError(f'no result of a task: {error}') from error


def fingerprint(value: Any) -> str:
    """SHA-256 of plain data: equal for equal values, in each process.

    Raises:
        ParameterError: the value holds something else.
    """
    arrays: dict[str, Array] = {}
    digest = hashlib.sha256(json.dumps(_described(value, arrays)).encode())
    for array in arrays.values():
        digest.update(f'{array.dtype.str} {array.shape}'.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _described(value: Any, arrays: dict[str, Array]) -> Any:
    """What JSON can hold of a value; its arrays are added to `arrays`."""
    match value:
        case None | bool() | str():
            return value
        case np.ndarray() if value.dtype.kind in 'biufSU':
            name = f'a{len(arrays)}'
            arrays[name] = value
            return {'array': name}
        case np.generic():
            return _described(value.item(), arrays)
        case int() | float():
            return value
        case Path():
            return {'path': str(value)}
        case list():
            return [_described(entry, arrays) for entry in value]
        case tuple():
            return {'tuple': [_described(entry, arrays) for entry in value]}
        case Mapping():
            pairs = [[_described(x, arrays) for x in pair] for pair in value.items()]
            return {'mapping': pairs}
    if dataclasses.is_dataclass(value) and type(value).__module__.startswith(f'{PACKAGE}.'):
        fields = {
            field.name: _described(getattr(value, field.name), arrays)
            for field in dataclasses.fields(value)
        }
        return {'dataclass': [type(value).__module__, type(value).__qualname__], 'fields': fields}
    raise ParameterError(
        f'a task takes and gives plain data: numbers, texts, paths, arrays, dataclasses of '
        f'{PACKAGE}, and lists, tuples and dicts of them; got a {type(value).__name__}'
    )


def _restored(value: Any, arrays: Mapping[str, Array]) -> Any:
    match value:
        case list():
            return [_restored(entry, arrays) for entry in value]
        case {'array': name}:
            return arrays[name]
        case {'path': path}:
            return Path(path)
        case {'tuple': entries}:
            return tuple(_restored(entry, arrays) for entry in entries)
        case {'mapping': pairs}:
            return {_restored(key, arrays): _restored(entry, arrays) for key, entry in pairs}
        case {'dataclass': [module, name], 'fields': fields}:
            return _dataclass(module, name)(
                **{key: _restored(entry, arrays) for key, entry in fields.items()}
            )
    return value


def _dataclass(module: str, name: str) -> type:
    """A dataclass of this package; no other class is ever called."""
    if not module.startswith(f'{PACKAGE}.'):
        raise ValueError(f'{module} is no module of {PACKAGE}')
    found = getattr(importlib.import_module(module), name)
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise ValueError(f'{module}.{name} is no dataclass')
    return found
