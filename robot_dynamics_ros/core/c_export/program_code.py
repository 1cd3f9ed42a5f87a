"""C99 of a program: a function from arrays of doubles to an array of doubles.

The function is cut into segments as native code is (`compiler.segments`): compilers take more
than twice the time for twice the length of a function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..compiler.expression import Expression
from ..compiler.program import Program, needed_for
from ..compiler.segments import (
    SINES,
    Action,
    Check,
    Store,
    angles_of,
    cut,
    operands_of,
    slots_of,
)
from ..scalar import Scalar
from .c_text import literal
from .identifiers import Names

# Arguments beside the inputs of a program.
RESULT, SCRATCH = 'result', 'scratch'
FORMULAS = {
    'neg': '-{}',
    'add': '{} + {}',
    'sub': '{} - {}',
    'mul': '{} * {}',
    'div': '{} / {}',
}


@dataclass(frozen=True)
class ProgramCode:
    """A program in C99.

    Attributes:
        text: definitions of the function and of the parts that it calls.
        stack: size of its scratch memory [bytes].
        takes_angles: whether it needs the function of `sine_code`.
    """

    text: str
    stack: int
    takes_angles: bool


def prototype(program: Program, names: Names) -> str:
    """The declaration of the function, without a semicolon."""
    arguments = [f'const double {name}[{size}]' for name, size in program.inputs.items()]
    arguments.append(f'double {RESULT}[{len(program.outputs)}]')
    return f'int {names.prefix}_{program.name}({", ".join(arguments)})'


def program_code(program: Program, names: Names) -> ProgramCode:
    """The function of `prototype`: the sines and cosines first, then the segments.

    It keeps nothing between calls, and writes the result if it returns 0 only.

    Raises:
        NotImplementedError: an angle depends on a sine.
        ParameterError: a constant of the program is not finite.
    """
    assert not {RESULT, SCRATCH} & set(program.inputs), program.inputs
    angles = angles_of(program)
    segments = cut(program)
    count = len(angles)
    slots, size = slots_of(segments, 3 * count)
    place = {angle.index: index for index, angle in enumerate(angles)}
    for step in program.steps():
        if step.operation in SINES:
            first = count if step.operation == 'sin' else 2 * count
            slots[step.index] = first + place[step.operands[0].index]

    function = f'{names.prefix}_{program.name}'
    parts = [_segment(program, actions, slots) for actions in segments]
    if angles:
        parts.insert(0, _angles(program, angles))
    definitions = [
        part.definition(f'{function}_{number}', names) for number, part in enumerate(parts)
    ]
    used = {name for part in parts for name in part.used}
    lines = [prototype(program, names), '{']
    if size:
        lines.append(f'    double {SCRATCH}[{size}];')
    # Some compilers warn of an argument that is not used.
    lines += [f'    (void){name};' for name in [*program.inputs, RESULT] if name not in used]
    for position, part in enumerate(parts):
        lines.append(part.call(f'{function}_{position}'))
        if angles and position == 0:
            lines.append(_call_of_sines(count, names))
    lines += ['    return 0;', '}']
    return ProgramCode('\n\n'.join([*definitions, '\n'.join(lines)]), 8 * size, bool(angles))


def _call_of_sines(count: int, names: Names) -> str:
    arguments = f'{SCRATCH}, {count}, {SCRATCH} + {count}, {SCRATCH} + {2 * count}'
    return (
        f'    if (!{names.prefix}_sines({arguments})) {{\n'
        f'        return {names.macro}_ANGLE_OUT_OF_RANGE;\n'
        '    }'
    )


class Part:
    """A part of a program: a function of its own, which takes the arrays that it uses.

    Attributes:
        lines: of its body.
        stops: whether it returns the number of a condition that does not hold, or 0.
    """

    def __init__(self, inputs: Sequence[str], slots: dict[int, int]) -> None:
        """Start with nothing known.

        Args:
            inputs: names of the inputs of the program.
            slots: of results of other parts in the scratch memory, by the index of the step.
        """
        self.lines: list[str] = []
        self.stops = False
        self._arrays = [*inputs, RESULT, SCRATCH]
        self._used: set[str] = set()
        self._slots = slots
        self._known: set[int] = set()

    @property
    def used(self) -> list[str]:
        """Names of the arrays that it uses, in the order of the program."""
        return [name for name in self._arrays if name in self._used]

    def compute(self, step: Expression) -> None:
        """Add one step; inputs are loaded when they are needed."""
        if step.operation == 'input' or step.index in self._known:
            return
        formula = FORMULAS[step.operation].format(*map(self._operand, step.operands))
        self.lines.append(f'const double t{step.index} = {formula};')
        self._known.add(step.index)

    def store(self, value: Scalar, array: str, index: int) -> None:
        """Write a value into an array."""
        text = self._operand(value)
        self._used.add(array)
        self.lines.append(f'{array}[{index}] = {text};')

    def check(self, check: Check) -> None:
        """Return the number of the check from here unless its value is positive."""
        self.stops = True
        # A NaN is not positive.
        self.lines.append(f'if (!({self._operand(check.value)} > 0.0)) {{')
        self.lines += [f'    return {check.number};', '}']

    def definition(self, name: str, names: Names) -> str:
        """The function, under that name."""
        restrict = f'{names.macro}_RESTRICT'
        arguments = ', '.join(
            f'{"" if array in (RESULT, SCRATCH) else "const "}double *{restrict} {array}'
            for array in self.used
        )
        lines = [f'static {"int" if self.stops else "void"} {name}({arguments or "void"})', '{']
        lines += [f'    {line}' for line in self.lines]
        if self.stops:
            lines.append('    return 0;')
        return '\n'.join([*lines, '}'])

    def call(self, name: str) -> str:
        """The statement that runs it, and returns where it stops."""
        call = f'{name}({", ".join(self.used)})'
        if not self.stops:
            return f'    {call};'
        return '\n'.join(
            [
                '    {',
                f'        const int failed = {call};',
                '        if (failed) {',
                '            return failed;',
                '        }',
                '    }',
            ]
        )

    def _operand(self, value: Scalar) -> str:
        """A constant or the name of a value."""
        if not isinstance(value, Expression):
            return literal(value)
        name = f't{value.index}'
        if value.index not in self._known:
            self._known.add(value.index)
            array, index = (
                value.operands
                if value.operation == 'input'
                else (SCRATCH, self._slots[value.index])
            )
            self._used.add(array)
            self.lines.append(f'const double {name} = {array}[{index}];')
        return name


def _angles(program: Program, angles: list[Expression]) -> Part:
    """Writes the angles to the beginning of the scratch memory."""
    part = Part(list(program.inputs), {})
    for step in needed_for(angles):
        part.compute(step)
    for index, angle in enumerate(angles):
        part.store(angle, SCRATCH, index)
    return part


def _segment(program: Program, actions: Sequence[Action], slots: dict[int, int]) -> Part:
    part = Part(list(program.inputs), slots)
    for action in _needed(actions, slots):
        if isinstance(action, Check):
            part.check(action)
        elif isinstance(action, Store):
            for index, value in enumerate(action.values, start=action.start):
                part.store(value, RESULT, index)
        else:
            part.compute(action)
            if action.index in slots:
                part.store(action, SCRATCH, slots[action.index])
    return part


def _needed(actions: Sequence[Action], slots: Mapping[int, int]) -> list[Action]:
    """The actions whose results are read: compilers warn of the others.

    Those are parts of angles, which are computed before the segments.
    """
    needed: list[Action] = []
    read: set[int] = set()
    for action in reversed(actions):
        if (
            isinstance(action, Expression)
            and action.index not in read
            and action.index not in slots
        ):
            continue
        needed.append(action)
        read.update(operand.index for operand in operands_of(action))
    return needed[::-1]
