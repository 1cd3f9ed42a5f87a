"""LLVM IR of a program: a function from pointers to doubles, with no branch.

LLVM's time on a function grows with the square of its length and more, and its register allocator
loses its way: a program is cut into segments, each a function, which hand over what others need
through memory. Measured on 60 joints: RNEA compiles in 0.6 s instead of 1.4 s and takes 2.7 us
instead of 4.4 us, CRBA in 2.8 s instead of 8.3 s.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..scalar import Scalar
from .expression import Expression
from .llvm_ir import DECLARATIONS, INSTRUCTIONS, constant, turn
from .program import Program

# Steps; half as many and twice as many are as good.
SEGMENT = 1000


def kernel_ir(program: Program, name: str) -> str:
    """Definition of `void name(ptr input..., ptr output)`, and of what it needs.

    Inputs and output are arrays of doubles that do not overlap. A program of several segments has
    one scratch memory: it must not run in two threads at once.
    """
    steps = list(program.steps())
    segments = [steps[start : start + SEGMENT] for start in range(0, len(steps), SEGMENT)]
    slots = _slots(segments)
    scratch = f'@{name}.scratch'
    lines = [f'{scratch} = internal global [{max(1, len(slots))} x double] zeroinitializer']
    inputs = [f'ptr noalias nocapture readonly %{vector}' for vector in program.inputs]
    parameters = ', '.join([*inputs, 'ptr noalias nocapture writeonly %result'])
    arguments = ', '.join(f'ptr %{vector}' for vector in (*program.inputs, 'result'))

    places: dict[int, list[int]] = defaultdict(list)
    body = []
    for index, entry in enumerate(program.outputs):
        if isinstance(entry, Expression):
            places[entry.index].append(index)
        else:
            body += _store(constant(entry), f'at{index}', '%result', index)
    for number, segment in enumerate(segments):
        written = _Segment(segment, slots, places).lines
        if len(segments) == 1:
            body += written
            continue
        function = f'@{name}.{number}({parameters}, ptr noalias nocapture %scratch)'
        lines += [f'define internal void {function} {{', *written, '  ret void', '}']
        body.append(f'  call void @{name}.{number}({arguments}, ptr {scratch})')
    return DECLARATIONS + '\n'.join(
        [*lines, f'define void @{name}({parameters}) {{', *body, '  ret void', '}', '']
    )


def _slots(segments: Sequence[Sequence[Expression]]) -> dict[int, int]:
    """Where in the scratch memory a result lies that another segment needs, by its index."""
    slots: dict[int, int] = {}
    for segment in segments:
        own = {step.index for step in segment}
        operands = (x for step in segment for x in step.operands if isinstance(x, Expression))
        for operand in operands:
            # Inputs are read again instead.
            if operand.index not in own and operand.operation != 'input':
                slots.setdefault(operand.index, len(slots))
    return slots


class _Segment:
    """Some consecutive steps of a program.

    Attributes:
        lines: the body of the function.
    """

    def __init__(
        self,
        steps: Sequence[Expression],
        slots: dict[int, int],
        places: dict[int, list[int]],
    ) -> None:
        """Write.

        Args:
            steps: to compute.
            slots: of results that other segments need, by the index of the step.
            places: of results in the output, by the index of the step.
        """
        self.lines: list[str] = []
        self._slots = slots
        self._known: set[int] = set()
        self._turned: set[int] = set()
        for step in steps:
            self._compute(step)
            target = f'%t{step.index}'
            if step.index in slots:
                slot = slots[step.index]
                self.lines += _store(target, f's{step.index}', '%scratch', slot)
            for index in places.get(step.index, ()):
                self.lines += _store(target, f'at{index}', '%result', index)

    def _compute(self, step: Expression) -> None:
        target = f'%t{step.index}'
        if step.operation == 'input':
            self._operand(step)
        elif step.operation in ('sin', 'cos'):
            (angle,) = step.operands
            turned = f'turn{angle.index}'
            if angle.index not in self._turned:
                self._turned.add(angle.index)
                self.lines.append(turn(self._operand(angle), turned))
            bits = f'%{turned}.{step.operation}'
            self.lines.append(f'  {target} = bitcast i64 {bits} to double')
        else:
            formula = INSTRUCTIONS[step.operation].format(*map(self._operand, step.operands))
            self.lines.append(f'  {target} = {formula}')
        self._known.add(step.index)

    def _operand(self, value: Scalar) -> str:
        """A literal or the name of a value, which is loaded when it is first needed here."""
        if not isinstance(value, Expression):
            return constant(value)
        name = f'%t{value.index}'
        if value.index not in self._known:
            self._known.add(value.index)
            if value.operation == 'input':
                vector, index = value.operands
            else:
                vector, index = 'scratch', self._slots[value.index]
            self.lines.append(f'  {name}.at = getelementptr double, ptr %{vector}, i64 {index}')
            self.lines.append(f'  {name} = load double, ptr {name}.at')
        return name


def _store(value: str, name: str, array: str, index: int) -> list[str]:
    return [
        f'  %{name} = getelementptr double, ptr {array}, i64 {index}',
        f'  store double {value}, ptr %{name}',
    ]
