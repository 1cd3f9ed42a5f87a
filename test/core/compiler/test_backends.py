"""Which back end is taken, and that native code is never a wrong one."""

import importlib.machinery
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import NativeCodeError, ParameterError, RobotDynamics

PACKAGE = 'robot_dynamics_ros.core.compiler'


def without_llvmlite(monkeypatch):
    monkeypatch.setitem(sys.modules, 'llvmlite', None)


def with_an_old_llvmlite(monkeypatch):
    monkeypatch.setattr('llvmlite.binding.llvm_version_info', (13, 0, 0))


def without_the_extension(monkeypatch):
    monkeypatch.setitem(sys.modules, f'{PACKAGE}._entry', None)
    monkeypatch.delattr(f'{PACKAGE}._entry')


@pytest.mark.usefixtures('needs_native')
@pytest.mark.parametrize(
    'obstacle', [without_llvmlite, with_an_old_llvmlite, without_the_extension]
)
def test_where_native_code_cannot_be_plain_python_computes_and_a_line_says_so(
    monkeypatch, obstacle
):
    monkeypatch.delitem(sys.modules, f'{PACKAGE}.llvm')
    monkeypatch.delattr(f'{PACKAGE}.llvm')
    obstacle(monkeypatch)
    model = hand_written('oblique').model
    dynamics = RobotDynamics(model)
    line = dynamics.backend_description
    assert (dynamics.backend, line.count('\n')) == ('python', 0)
    assert len(line) < 300
    state = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 4))
    expected = hand_written('oblique').python.inverse_dynamics(*state)
    assert np.array_equal(dynamics.inverse_dynamics(*state), expected)
    with pytest.raises(ParameterError, match='native'):
        RobotDynamics(model, backend='native')


def test_unknown_backend_is_refused():
    with pytest.raises(ParameterError, match=r"'cuda'.*native.*python"):
        RobotDynamics(hand_written('oblique').model, backend='cuda')


# Arithmetic of emitted code, and what it may be mistaken for.
WRONG = {'fadd': 'fsub', 'fsub': 'fadd', 'fmul': 'fadd', 'fdiv': 'fmul'}
ARITHMETIC = re.compile(r'= (fadd|fsub|fmul|fdiv) nsz contract')


@pytest.mark.usefixtures('needs_native')
@pytest.mark.parametrize('samples', [None, 3], ids=['state', 'batch'])
@pytest.mark.parametrize('part', [0.0, 0.5, 1.0])
def test_native_code_with_a_wrong_instruction_is_never_used(monkeypatch, part, samples):
    from robot_dynamics_ros.core.compiler import llvm

    right_ir = llvm.kernel_ir

    def wrong_ir(program, lanes=1):
        source, scratch = right_ir(program, lanes)
        if (lanes > 1) != (samples is not None):
            return source, scratch
        # Not in the squares of the inputs, of which only the size matters.
        found = list(ARITHMETIC.finditer(source, source.index('@part.1')))
        match = found[round(part * (len(found) - 1))]
        return source[: match.start(1)] + WRONG[match[1]] + source[match.end(1) :], scratch

    monkeypatch.setattr(llvm, 'kernel_ir', wrong_ir)
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native')
    inputs = np.full((3, 4) if samples is None else (3, samples, 4), 0.1)
    for _ in range(2):
        with pytest.raises(NativeCodeError):
            dynamics.forward_dynamics(*inputs)


HAS_COMPILER = shutil.which('cc') and Path(sysconfig.get_path('include'), 'Python.h').exists()


@pytest.mark.parametrize('compiler', ['/no/compiler', *(['cc'] if HAS_COMPILER else [])])
def test_the_package_builds_with_a_compiler_and_without_one(tmp_path, compiler):
    pytest.importorskip('setuptools')
    places = ['--build-lib', str(tmp_path / 'lib'), '--build-temp', str(tmp_path / 'temp')]
    result = subprocess.run(
        [sys.executable, 'setup.py', '-q', 'build_ext', *places],
        cwd=Path(__file__).resolve().parents[3],
        env={'PATH': '/usr/bin:/bin', 'CC': compiler},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    built = [path.name for path in tmp_path.rglob('_entry*.so')]
    expected = f'_entry{importlib.machinery.EXTENSION_SUFFIXES[0]}'
    assert built == ([expected] if compiler == 'cc' else [])
