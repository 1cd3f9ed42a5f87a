"""States with the results of a program, by which compiled C code checks itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codegen.evaluation import evaluate
from ..codegen.program import Program
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..model.sampling import random_states

COUNT = 3
# Inertial parameters, of which each state takes a multiple.
BOX = (1.5, 0.03, -0.02, 0.15, 0.02, 0.001, 0.025, 0.002, 0.001, 0.015)


@dataclass(frozen=True)
class RecordedState:
    """What a program is given, and what it gives.

    Attributes:
        inputs: values of each input, in the order of the program.
        outcome: 0, or the number of the condition that does not hold.
        result: entries of the output, row-major; empty if a condition does not hold.
    """

    inputs: tuple[tuple[float, ...], ...]
    outcome: int
    result: tuple[float, ...]


def recorded_states(model: RobotModel, program: Program) -> list[RecordedState]:
    """Some states of a robot, the same in each export.

    They are evaluated step by step, in the order of the C code, and not in native code, whose
    last digit depends on the processor.
    """
    return [
        evaluated(program, {name: draw[name][:size] for name, size in program.inputs.items()})
        for draw in _draws(model, program)
    ]


def _draws(model: RobotModel, program: Program) -> list[dict[str, tuple[float, ...]]]:
    """Values for every input; a base that stands upright, then one that does not."""
    generator = np.random.default_rng(0)
    draws = []
    for number, state in enumerate(random_states(model, COUNT)):
        draw = {
            name: tuple(generator.uniform(-1.0, 1.0, size).tolist())
            for name, size in program.inputs.items()
        }
        tilted = tuple(generator.uniform(-9.81, 9.81, 3).tolist())
        draw |= {'gravity': tilted if number else STANDARD_GRAVITY}
        # Of a small box: with other numbers there is no body, and forward dynamics refuses it.
        draw |= {'payload': tuple(number * value for value in BOX)}
        draw |= {name: tuple(getattr(state, name).tolist()) for name in ('q', 'v', 'a')}
        draws.append(draw)
    return draws


def evaluated(program: Program, inputs: dict[str, tuple[float, ...]]) -> RecordedState:
    """The state with the results of a program there.

    Args:
        program: to evaluate.
        inputs: values of each input, by name.
    """
    result, conditions = evaluate(program, inputs)
    given = tuple(inputs[name] for name in program.inputs)
    for number, condition in enumerate(conditions, start=1):
        if not condition > 0.0:
            return RecordedState(given, number, ())
    return RecordedState(given, 0, tuple(map(float, result)))
