"""Tracing an algorithm into a program, and the program in plain Python."""

import math

from robot_dynamics_ros.core.codegen.program import trace
from robot_dynamics_ros.core.codegen.python import compile_python, python_source
from robot_dynamics_ros.core.scalar import cos, sin


def polar(q, r):
    unused = sin(q[0]) * 17.0
    assert unused is not None
    return [[r[0] * cos(q[1]), r[0] * sin(q[1])], [2.5, 0.0 * q[0]]]


PROGRAM = trace('polar', polar, {'q': 2, 'r': 1})


def test_shape_and_constants_are_kept():
    assert PROGRAM.shape == (2, 2)
    assert PROGRAM.outputs[2:] == (2.5, 0.0)


def test_steps_are_what_the_outputs_need_operands_first():
    steps = list(PROGRAM.steps())
    assert [step.operation for step in steps] == ['input', 'input', 'cos', 'mul', 'sin', 'mul']
    assert [step.operands for step in steps[:2]] == [('q', 1), ('r', 0)]
    assert [step.index for step in steps] == sorted(step.index for step in steps)


def test_python_source_can_be_read():
    assert python_source(PROGRAM) == (
        'def polar(q, r):\n'
        '    q1 = q[1]\n'
        '    r0 = r[0]\n'
        '    return [(r0 * (cos(q1))), (r0 * (sin(q1))), 2.5, 0.0]\n'
    )


def test_what_is_used_twice_is_computed_once():
    def square(q):
        total = q[0] + q[1]
        return [total * total]

    source = python_source(trace('square', square, {'q': 2}))
    assert source.count('+') == 1


def test_python_function_computes():
    assert compile_python(PROGRAM)([0.0, 0.5], [2.0]) == [
        2.0 * math.cos(0.5),
        2.0 * math.sin(0.5),
        2.5,
        0.0,
    ]


def test_long_sums_do_not_overflow_the_parser():
    def total(q):
        result = 0.0
        for _ in range(500):
            for x in q:
                result = (result + x) * 1.001
        return [result]

    program = trace('total', total, {'q': 10})
    assert math.isfinite(compile_python(program)([1.0] * 10)[0])
