"""Which back end is taken, and that each computes what the algorithms compute on floats."""

import importlib.machinery
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from mechanics.batches import MAIN_QUANTITIES, axes_of, call, cases, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.odd_robots import chain
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, SINGULAR, hand_written
from property_settings import ALL

from robot_dynamics_ros.core import NativeCodeError, ParameterError, RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.quantity import QUANTITIES

needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

# Of all quantities; forward dynamics has no answer where M is singular.
TREES = [random_robot(number, plausible=True) for number in range(4)]
REGULAR = [robot for robot in HAND_WRITTEN + TREES if robot.name not in SINGULAR]
if not ALL:
    REGULAR = [hand_written('oblique'), hand_written('mimic'), TREES[0]]
OTHERS = set(QUANTITIES) - set(MAIN_QUANTITIES)
# Neither tracing nor the compilers recurse; more steps than most are compiled quickly.
LONG = [(chain(200 if ALL else 60), 'inverse_dynamics'), (chain(70 if ALL else 25), 'mass_matrix')]


@pytest.mark.parametrize(
    ('robot', 'quantity'),
    [*cases(HAND_WRITTEN + MOVING_EXAMPLES, MAIN_QUANTITIES), *cases(REGULAR, OTHERS), *LONG],
)
def test_a_back_end_computes_what_the_algorithm_does(robot, quantity, backend):
    dynamics, reference = getattr(robot, backend), FloatDynamics(robot.model)
    for inputs in zip(*inputs_of(robot.model, quantity, 3), strict=True):
        for axes in axes_of(quantity):
            expected = call(reference, quantity, *inputs, axes=axes)
            # Entries are sums of terms that may cancel: C of one joint is zero.
            scale = 10.0 * np.abs(expected).max() + 1.0
            assert_close(call(dynamics, quantity, *inputs, axes=axes), expected, scale)


PACKAGE = 'robot_dynamics_ros.core.compiler'


def without_llvmlite(monkeypatch):
    monkeypatch.setitem(sys.modules, 'llvmlite', None)


def with_an_old_llvmlite(monkeypatch):
    monkeypatch.setattr('llvmlite.binding.llvm_version_info', (14, 0, 6))


def without_the_extension(monkeypatch):
    monkeypatch.setitem(sys.modules, f'{PACKAGE}._entry', None)
    monkeypatch.delattr(f'{PACKAGE}._entry')


@needs_native
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


@needs_native
@pytest.mark.parametrize('samples', [None, 3], ids=['state', 'batch'])
@pytest.mark.parametrize('quantity', ['inverse_dynamics', 'mass_matrix', 'forward_dynamics'])
@pytest.mark.parametrize('part', [0.0, 0.5, 1.0])
def test_native_code_with_a_wrong_instruction_is_never_used(monkeypatch, quantity, part, samples):
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
    count = {'mass_matrix': 1}.get(quantity, 3)
    inputs = np.full((count, 4) if samples is None else (count, samples, 4), 0.1)
    for _ in range(2):
        with pytest.raises(NativeCodeError):
            getattr(dynamics, quantity)(*inputs)


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
