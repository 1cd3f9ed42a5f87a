"""The extension is built where there is a compiler, and the package is without one."""

import importlib.machinery
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from freed_memory import check_alive

from robot_dynamics_ros.core.compiler.kernel import native_obstacle

ROOT = Path(__file__).resolve().parents[3]


def has_compiler():
    header = Path(sysconfig.get_path('include'), 'Python.h')
    return bool(shutil.which('cc')) and header.exists()


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


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_the_extension_refuses_subinterpreters():
    check_alive(SUBINTERPRETER)
