"""Which back end is taken: plain Python, with one clear line, wherever native code cannot be."""

import builtins
import re
import sys
import types

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import choose_backend, native_obstacle

needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

STATE = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 4))
UNREADABLE = ['0.4x.dev', '', 'unknown', '1', 'v0.50.0', None, (0, 50), '0.x44']


@pytest.mark.parametrize('version', UNREADABLE)
def test_an_unreadable_version_of_llvmlite_is_a_reason_for_plain_python(monkeypatch, version):
    installed = types.ModuleType('llvmlite')
    installed.__version__ = version
    monkeypatch.setitem(sys.modules, 'llvmlite', installed)
    backend, line = choose_backend(None)
    assert backend == 'python'
    assert line.endswith('newer is needed')
    with pytest.raises(ParameterError, match=r'native.*llvmlite'):
        choose_backend('native')


def test_a_llvmlite_without_a_version_is_one_too(monkeypatch):
    monkeypatch.setitem(sys.modules, 'llvmlite', types.ModuleType('llvmlite'))
    backend, line = choose_backend(None)
    assert (backend, line.count('\n')) == ('python', 0)
    assert 'unreadable version None' in line


@needs_native
@pytest.mark.parametrize('version', ['0.44.0', '0.45.0rc1', '0.46rc2', '1.0', '0.50.0+local'])
def test_newer_versions_and_release_candidates_are_read(monkeypatch, version):
    monkeypatch.setattr('llvmlite.__version__', version)
    assert native_obstacle() == ''


@needs_native
def test_a_llvmlite_that_does_not_load_is_a_reason_for_plain_python(monkeypatch):
    """Its shared library is missing, or belongs to another Python."""
    for name in [name for name in sys.modules if name.endswith('core.compiler.llvm')]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr('robot_dynamics_ros.core.compiler.llvm')
    broken = types.ModuleType('llvmlite')
    broken.__version__ = '0.50.0'
    monkeypatch.setitem(sys.modules, 'llvmlite', broken)
    monkeypatch.setitem(sys.modules, 'llvmlite.binding', None)
    backend, line = choose_backend(None)
    assert backend == 'python'
    assert 'llvmlite 0.50.0 ' in line


EXTENSION = 'robot_dynamics_ros.core.compiler._entry'


class Broken(types.ModuleType):
    def __getattr__(self, name):
        raise ImportError('built for NumPy 1.x\n\nrebuild it\n' + 50 * 'and more ')


@needs_native
@pytest.mark.parametrize('extension', [None, Broken('_entry')], ids=['absent', 'broken'])
def test_without_the_extension_plain_python_computes_and_one_line_says_so(monkeypatch, extension):
    monkeypatch.setitem(sys.modules, EXTENSION, extension)
    dynamics = RobotDynamics(hand_written('oblique').model)
    assert dynamics.backend == 'python'
    line = dynamics.backend_description
    assert '_entry' in line
    assert '\n' not in line
    assert len(line) < 300
    expected = hand_written('oblique').python.inverse_dynamics(*STATE)
    assert np.array_equal(dynamics.inverse_dynamics(*STATE), expected)
    with pytest.raises(ParameterError, match=r'native.*_entry'):
        RobotDynamics(hand_written('oblique').model, backend='native')


def test_unknown_backend_is_refused():
    with pytest.raises(ParameterError, match=r"'cuda'.*native.*python"):
        RobotDynamics(hand_written('oblique').model, backend='cuda')


def forget_llvmlite(monkeypatch):
    for name in [name for name in sys.modules if name.split('.')[0] == 'llvmlite']:
        monkeypatch.delitem(sys.modules, name)


def test_without_llvmlite_plain_python_computes_and_one_line_says_so(monkeypatch):
    import_module = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.split('.')[0] == 'llvmlite':
            raise ImportError(name)
        return import_module(name, *arguments, **options)

    forget_llvmlite(monkeypatch)
    monkeypatch.setattr(builtins, '__import__', refuse)
    model = hand_written('oblique').model
    dynamics = RobotDynamics(model)
    assert dynamics.backend == 'python'
    assert 'llvmlite' in dynamics.backend_description
    expected = hand_written('oblique').python.inverse_dynamics(*STATE)
    assert np.array_equal(dynamics.inverse_dynamics(*STATE), expected)
    with pytest.raises(ParameterError, match=r'native.*llvmlite'):
        RobotDynamics(model, backend='native')


def test_old_llvmlite_is_named_with_the_one_that_is_needed(monkeypatch):
    pytest.importorskip('llvmlite')
    monkeypatch.setattr('llvmlite.__version__', '0.41.1')
    dynamics = RobotDynamics(hand_written('oblique').model)
    assert dynamics.backend == 'python'
    assert re.search(r'llvmlite 0\.41\.1.* 0\.44', dynamics.backend_description)
