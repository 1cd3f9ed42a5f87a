"""Native code that computes other values than plain Python is never used."""

import re

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import NativeCodeError, RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

# Arithmetic of emitted code, and what it may be mistaken for.
WRONG = {'fadd': 'fsub', 'fsub': 'fadd', 'fmul': 'fadd', 'fdiv': 'fmul'}
ARITHMETIC = re.compile(r'= (fadd|fsub|fmul|fdiv) nsz contract')


@pytest.mark.parametrize('samples', [None, 3], ids=['state', 'batch'])
@pytest.mark.parametrize('quantity', ['inverse_dynamics', 'mass_matrix', 'forward_dynamics'])
@pytest.mark.parametrize('part', np.linspace(0.0, 1.0, 5))
def test_a_wrong_instruction_is_noticed(monkeypatch, quantity, part, samples):
    from robot_dynamics_ros.core.compiler import llvm

    right_ir = llvm.kernel_ir

    def wrong_ir(program, lanes=1):
        source, scratch = right_ir(program, lanes)
        if (lanes > 1) != (samples is not None):
            return source, scratch
        # Not in the squares of the inputs, of which only the size matters.
        found = list(ARITHMETIC.finditer(source, source.index('@part.1')))
        assert len(found) > 100
        match = found[round(part * (len(found) - 1))]
        return source[: match.start(1)] + WRONG[match[1]] + source[match.end(1) :], scratch

    monkeypatch.setattr(llvm, 'kernel_ir', wrong_ir)
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native')
    count = {'mass_matrix': 1}.get(quantity, 3)
    inputs = np.full((count, 4) if samples is None else (count, samples, 4), 0.1)
    for _ in range(2):
        with pytest.raises(NativeCodeError, match=f'{quantity}: native code'):
            getattr(dynamics, quantity)(*inputs)
