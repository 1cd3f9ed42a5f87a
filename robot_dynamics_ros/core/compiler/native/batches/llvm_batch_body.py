"""Code of a part of a program, for a sample in each lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....scalar import Scalar
from ...expression import Expression
from ...segments import Action, Check, Store
from ..llvm_ir import CONTRACT, FLAGS
from .llvm_transpose import rows_at, write_rows
from .llvm_vectors import VectorCode

INSTRUCTIONS = {'neg': 'fneg', 'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul', 'div': 'fdiv'}


class BatchBody:
    """Straight-line code of a function; each operand is loaded when first needed.

    The function has the parameters `%scratch`, an array of vectors, and, where it stores,
    `%result`, the address of the first row, and `%offsets`, from there to each row [bytes].

    Attributes:
        code: so far.
    """

    def __init__(self, lanes: int, slots: Mapping[int, int], *, fused: bool = True) -> None:
        """Start with nothing known.

        Args:
            lanes: doubles in a vector.
            slots: in the scratch memory, of inputs and of what other functions compute, by the
                index of the step.
            fused: whether products and sums may be rounded together.
        """
        self.code = VectorCode(lanes)
        self._slots = slots
        self._flags = FLAGS if fused else FLAGS.replace(CONTRACT, '')
        self._known: dict[int, str] = {}
        self._rows: list[str] = []

    def add(self, actions: Sequence[Action]) -> None:
        """Add actions; what other functions need is written into the scratch memory."""
        for action in actions:
            if isinstance(action, Check):
                self._check(action)
            elif isinstance(action, Store):
                self._store(action)
            elif action.operation != 'input' and action.index not in self._known:
                self._compute(action)

    def operand(self, value: Scalar) -> str:
        """A literal or the name of a vector."""
        if not isinstance(value, Expression):
            return self.code.every(value)
        if value.index not in self._known:
            self._known[value.index] = self.code.load('%scratch', self._slots[value.index])
        return self._known[value.index]

    def _compute(self, step: Expression) -> None:
        operands = ', '.join(map(self.operand, step.operands))
        if step.operation == 'sqrt':
            vector = self.code.square_root(operands)
        else:
            instruction = f'{INSTRUCTIONS[step.operation]} {self._flags}'
            vector = self.code.value(f'{instruction} {self.code.kind} {operands}')
        self._known[step.index] = vector
        if step.index in self._slots:
            self.code.store(vector, '%scratch', self._slots[step.index])

    def _store(self, action: Store) -> None:
        columns = [self.operand(value) for value in action.values]
        write_rows(self.code, columns, self._rows_of_result(), action.start)

    def _check(self, check: Check) -> None:
        """Return the number of the check from here unless its value is positive in every lane."""
        number = check.number
        holds = self.code.all_hold('ogt', self.operand(check.value), 0.0)
        self.code.lines += [
            f'  br i1 {holds}, label %go.on.{number}, label %stop.{number}, !prof !0',
            f'stop.{number}:',
            f'  ret i64 {number}',
            f'go.on.{number}:',
        ]

    def _rows_of_result(self) -> list[str]:
        if not self._rows:
            self._rows = rows_at(self.code, '%result', '%offsets')
        return self._rows
