"""Where the extension is not there or does not load: ctypes takes its place, and this is said."""

import importlib.machinery
import shutil
import subprocess
import sys
import sysconfig
import types
from pathlib import Path

import numpy as np
import pytest
from freed_memory import check_alive
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError
from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.compiler.native import ctypes_entry, entry, native_kernel

ROOT = Path(__file__).resolve().parents[3]
EXTENSION = 'robot_dynamics_ros.core.compiler._entry'
NAMES = ('q', 'v', 'a')
needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())


def has_compiler():
    header = Path(sysconfig.get_path('include'), 'Python.h')
    return bool(shutil.which('cc')) and header.exists()


@pytest.mark.skipif(not has_compiler(), reason='the extension cannot be built here')
def test_the_extension_is_there_where_it_could_be_built():
    assert entry.EXTENSION_OBSTACLE == ''
    assert entry.make_entry.__module__ == EXTENSION


def test_an_extension_that_is_not_built_is_replaced(monkeypatch):
    monkeypatch.setitem(sys.modules, EXTENSION, None)
    kind, why = entry._load_extension()
    assert kind is ctypes_entry.Entry
    assert '_entry' in why


def test_an_extension_that_does_not_load_is_replaced(monkeypatch):
    """For one because it was built for another NumPy."""
    monkeypatch.setitem(sys.modules, EXTENSION, types.ModuleType('_entry'))
    make_entry, obstacle = entry._load_extension()
    assert make_entry is ctypes_entry.Entry
    assert obstacle.startswith('the extension _entry')


def test_the_reason_is_one_short_line(monkeypatch):
    class Broken(types.ModuleType):
        def __getattr__(self, name):
            raise ImportError('built for NumPy 1.x\n\nrebuild it\n' + 50 * 'and more ')

    monkeypatch.setitem(sys.modules, EXTENSION, Broken('_entry'))
    _, obstacle = entry._load_extension()
    assert obstacle.startswith('the extension _entry')
    assert obstacle.endswith(' [...]')
    assert len(obstacle) < 200


@pytest.fixture
def through_ctypes(monkeypatch, needs_native):
    monkeypatch.setattr(native_kernel, 'make_entry', ctypes_entry.Entry)
    return RobotDynamics(hand_written('oblique').model, backend='native')


@pytest.mark.parametrize('far', [1.0, 1e12])
@pytest.mark.parametrize(
    ('quantity', 'count'),
    [('inverse_dynamics', 3), ('mass_matrix', 1), ('kinetic_energy', 2), ('forward_dynamics', 3)],
)
def test_ctypes_computes_the_same(through_ctypes, quantity, count, far):
    """Bit by bit: it is the same machine code."""
    native = hand_written('oblique').native
    inputs = list(np.random.default_rng(0).uniform(-far, far, (count, 4)))
    expected = getattr(native, quantity)(*inputs)
    assert np.array_equal(getattr(through_ctypes, quantity)(*inputs), expected)
    assert np.array_equal(
        getattr(through_ctypes, quantity)(*(x.tolist() for x in inputs)), expected
    )
    out = np.zeros_like(expected)
    step = through_ctypes.bind(quantity, *inputs, out=out)
    step()
    assert np.array_equal(out, expected)


def test_ctypes_refuses_what_the_extension_refuses(through_ctypes):
    q, v, out = np.zeros(4), np.zeros(4), np.full(4, 7.0)
    step = through_ctypes.bind('bias_torque', q, v, out=out)
    v[2] = np.nan
    for refused in (step, lambda: through_ctypes.bias_torque(q, v, out=out)):
        with pytest.raises(StateError, match="'third'"):
            refused()
    v[2] = 0.0
    q.resize(2, refcheck=False)
    with pytest.raises(StateError, match=r'q .* 2 .* 4 '):
        step()
    assert (out == 7.0).all()


def test_a_value_out_of_range_causes_no_warning(through_ctypes):
    """Of NumPy, which some programs turn into errors."""
    with np.errstate(all='raise'):
        through_ctypes.gravity_torque(np.full(4, 1e300))


def build(folder, **environment):
    command = [sys.executable, 'setup.py', '-q', 'build_ext']
    places = ['--build-lib', str(folder / 'lib'), '--build-temp', str(folder / 'temp')]
    result = subprocess.run(
        [*command, *places],
        cwd=ROOT,
        env={'PATH': '/usr/bin:/bin', **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return [path.name for path in folder.rglob('_entry*') if path.suffix == '.so']


def test_without_a_compiler_the_package_builds_too(tmp_path):
    pytest.importorskip('setuptools')
    assert build(tmp_path, CC='/no/compiler') == []


@pytest.mark.skipif(not has_compiler(), reason='there is no compiler')
def test_with_a_compiler_the_extension_is_built(tmp_path):
    pytest.importorskip('setuptools')
    assert build(tmp_path) == [f'_entry{importlib.machinery.EXTENSION_SUFFIXES[0]}']


# In a subinterpreter, of which NumPy's C API and LLVM know nothing.
SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
from robot_dynamics_ros.core.compiler import _entry

CODE = '''
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
try:
    loader = ExtensionFileLoader('_entry', {path!r})
    loader.exec_module(module_from_spec(spec_from_loader('_entry', loader)))
except ImportError as error:
    assert 'subinterpreters' in str(error), error
else:
    raise AssertionError('it loads')
'''
failure = interpreters.run_string(interpreters.create(), CODE.format(path=_entry.__file__))
assert failure is None, failure
assert _entry.make_entry
print('alive')
"""


@pytest.mark.skipif(bool(entry.EXTENSION_OBSTACLE), reason=entry.EXTENSION_OBSTACLE)
def test_the_extension_refuses_subinterpreters():
    check_alive(SUBINTERPRETER)
