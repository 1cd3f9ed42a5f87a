"""Results as bytes: what goes in comes out, and nothing is executed from a file."""

import io
import json
import math
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.scheduling.plain_data import TEXT, decoded, encoded, fingerprint

VALUES = [
    None,
    True,
    -3,
    2**70,
    0.1,
    math.inf,
    'text, \u03c4',
    Path('a/b'),
    [1, [2.5, None]],
    (1, ('a', 2), []),
    {'a': 1, 2: [3], 'array': {'mapping': []}, 'dataclass': ['os', 'system']},
    Finding('delay', ('shoulder', 'wrist'), 0.012, 'late by 12 ms'),
]


@dataclass(frozen=True)
class Foreign:
    """Of another package."""

    number: int


@pytest.mark.parametrize('value', VALUES, ids=repr)
def test_plain_data_come_back(value):
    assert decoded(encoded(value)) == value
    assert type(decoded(encoded(value))) is type(value)


def test_equal_values_alone_have_one_fingerprint():
    prints = [fingerprint(value) for value in VALUES]
    assert len(set(prints)) == len(VALUES)
    assert fingerprint({'a': np.arange(3.0)}) == fingerprint({'a': np.arange(6.0)[:3]})
    for other in (np.arange(4.0), np.arange(3), np.arange(3.0)[:, None], np.arange(3.0) + 1e-16):
        equal = np.array_equal(other, np.arange(3.0)) and other.dtype == np.float64
        assert (fingerprint({'a': other}) == fingerprint({'a': np.arange(3.0)})) == equal


@pytest.mark.parametrize('dtype', [np.float64, np.float32, np.int64, np.uint8, bool, '<U5'])
def test_arrays_come_back_to_the_bit(dtype):
    for array in (np.arange(6).reshape(2, 3).T.astype(dtype), np.zeros((0, 7), dtype)):
        got = decoded(encoded([array, 'text']))[0]
        assert (got.dtype, got.shape) == (array.dtype, array.shape)
        assert got.tobytes() == array.tobytes()


@pytest.mark.parametrize('value', [Foreign(1), {1, 2}, object(), np.array([None]), print], ids=str)
def test_other_values_are_refused(value):
    for function in (encoded, fingerprint):
        with pytest.raises(ParameterError, match=f'plain data: .* got a {type(value).__name__}'):
            function([value])


def crafted(described, **arrays):
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(described).encode(), np.uint8)
    np.savez(file, **arrays, **{TEXT: text})
    return file.getvalue()


class Bomb:
    """Says that it was executed."""

    def __reduce__(self):
        return pytest.fail, ('a pickle was executed',)


@pytest.mark.parametrize(
    'content',
    [
        b'',
        pickle.dumps(Bomb()),
        crafted({'array': 'bomb'}, bomb=np.array([Bomb()], object)),
        crafted({'dataclass': ['os', 'system'], 'fields': {}}),
        crafted({'dataclass': ['dataclasses', 'Field'], 'fields': {}}),
        crafted({'dataclass': ['robot_dynamics_ros.scheduling.run_tasks', 'run'], 'fields': {}}),
        crafted({'dataclass': ['robot_dynamics_ros.comparison', 'Finding'], 'fields': {'x': 1}}),
        crafted({'array': 'none'}),
    ],
)
def test_bytes_of_others_are_refused_and_nothing_is_executed(content):
    with pytest.raises(ValueError, match='no result'):
        decoded(content)
