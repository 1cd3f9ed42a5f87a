"""The layout of arrays that the compiled entry points rely on."""

import sysconfig

import pytest

from robot_dynamics_ros.core.codegen import ndarray
from robot_dynamics_ros.core.codegen.kernel import native_obstacle

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())


def test_the_layout_is_known_here():
    assert ndarray.layout_is_known()


# To the nearest field whose content can be read as that of the one that moved.
@pytest.mark.parametrize(
    ('field', 'shift'),
    [
        ('TYPE', 8),
        ('DATA', -8),
        ('RANK', 8),
        ('DIMENSIONS', 8),
        ('DESCRIPTOR', 8),
        ('ARRAY_FLAGS', 8),
        ('TUPLE_SIZE', 8),
        ('TUPLE_ITEMS', 8),
    ],
)
def test_a_field_that_lies_elsewhere_is_noticed(monkeypatch, field, shift):
    monkeypatch.setattr(ndarray, field, getattr(ndarray, field) + shift)
    assert not ndarray.layout_is_known()


def test_without_the_interpreter_lock_there_is_no_native_code(monkeypatch):
    monkeypatch.setattr(sysconfig, 'get_config_var', lambda name: int(name == 'Py_GIL_DISABLED'))
    assert 'known layout' in native_obstacle()
