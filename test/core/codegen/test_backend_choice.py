"""Which back end is taken: plain Python, with one clear line, wherever native code cannot be."""

import sys
import types

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.codegen.kernel import choose_backend, native_obstacle

needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

UNREADABLE = ['0.4x.dev', '', 'unknown', '1', 'v0.50.0', None, (0, 50), '0.x44']


@pytest.mark.parametrize('version', UNREADABLE)
def test_an_unreadable_version_of_llvmlite_is_a_reason_for_plain_python(monkeypatch, version):
    installed = types.ModuleType('llvmlite')
    installed.__version__ = version
    monkeypatch.setitem(sys.modules, 'llvmlite', installed)
    backend, line = choose_backend(None)
    assert backend == 'python'
    assert line.endswith(
        f'llvmlite has the unreadable version {version!r}, 0.44 or newer is needed'
    )
    with pytest.raises(
        ParameterError, match='backend native does not work here: llvmlite has the'
    ):
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
    for name in [name for name in sys.modules if name.endswith('core.codegen.llvm')]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr('robot_dynamics_ros.core.codegen.llvm')
    broken = types.ModuleType('llvmlite')
    broken.__version__ = '0.50.0'
    monkeypatch.setitem(sys.modules, 'llvmlite', broken)
    monkeypatch.setitem(sys.modules, 'llvmlite.binding', None)
    backend, line = choose_backend(None)
    assert backend == 'python'
    assert 'llvmlite 0.50.0 does not load: ' in line
