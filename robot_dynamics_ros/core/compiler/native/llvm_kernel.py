"""LLVM IR of a program: a C function from pointers to doubles.

The sines and cosines come first, all at once; the rest is straight-line code. LLVM's time on a
function grows with the square of its length and more, and its register allocator does worse: a
program is cut into segments, each a function, which hand over values through a scratch memory.
Measured on 48 joints: CRBA compiles in 0.6 s instead of 1.5 s, RNEA in 0.25 s instead of 0.35 s,
and both run as fast or faster.
"""

from __future__ import annotations

from ...scalar import Scalar
from ..expression import Expression
from ..program import Program, needed_for
from ..segments import SINES, Action, Check, Store, angles_of, cut, slots_of
from .llvm_ir import CONTRACT, DECLARATIONS, INSTRUCTIONS, LIKELY, constant, load, store
from .llvm_sine import DECLARATION, LANES, ROUTINE

# What a kernel returns, beside the number of the condition that does not hold, from 1.
DONE, ANGLE_NOT_FINITE, OUT_OF_MEMORY = 0, -1, -2
# What its callers return where they did not call it, since an array is not as it must be.
UNREADABLE = -3

# Doubles of scratch memory that a kernel takes from the stack, 8 KiB: Python's smallest stack of a
# thread has 32 KiB. A larger scratch memory is allocated in each call: 0.05 us of 3.7 us for C of
# 48 joints, which needs 12 KiB.
MOST_ON_STACK = 1024


def kernel_ir(program: Program) -> str:
    """Definition of `int64_t kernel(const double *const *inputs, double *result)`, a C function.

    `inputs` has one pointer for each entry of `program.inputs`, to that many doubles; `result`
    overlaps none of them. The kernel writes the result if it returns `DONE`, and nothing
    otherwise. It has no memory of its own: any number of threads may run it at once. It calls
    `malloc`, `free` and `llvm_sine.ROUTINE`.

    Args:
        program: to compute.

    Raises:
        NotImplementedError: an angle depends on a sine.
    """
    angles = angles_of(program)
    lanes = -(-len(angles) // LANES) * LANES
    segments = cut(program)
    # Scratch memory: angles, sines and cosines, then what one segment hands to others.
    slots, size = slots_of(segments, 3 * lanes)
    part = {'sin': lanes, 'cos': 2 * lanes}
    place = {angle.index: index for index, angle in enumerate(angles)}
    for step in program.steps():
        if step.operation in SINES:
            slots[step.index] = part[step.operation] + place[step.operands[0].index]

    vectors = [f'ptr noalias %{vector}' for vector in program.inputs]
    parameters = ', '.join([*vectors, 'ptr noalias %result', 'ptr noalias %scratch'])
    passed = ', '.join(f'ptr %{vector}' for vector in (*program.inputs, 'result', 'scratch'))
    lines = [
        *DECLARATIONS,
        *_angles(parameters, angles, lanes),
        *(
            line
            for number, actions in enumerate(segments)
            for line in _segment(f'segment.{number}', parameters, actions, slots)
        ),
        *_run(parameters, passed, lanes, len(segments)),
        *_kernel(list(program.inputs), passed, size),
    ]
    return '\n'.join([*lines, LIKELY, ''])


def _angles(parameters: str, angles: list[Expression], lanes: int) -> list[str]:
    """Writes the angles into the scratch memory, rounded as plain Python rounds them.

    An angle of 1e12 rad is known to 1e-4 rad: both back ends must take the same one.
    """
    body = Body({}, fused=False)
    for step in needed_for(angles):
        body.compute(step)
    for index, angle in enumerate([*angles, *[0.0] * (lanes - len(angles))]):
        body.store(angle, '%scratch', index)
    return [f'define internal void @angles({parameters}) {{', *body.lines, '  ret void', '}']


def _segment(
    name: str, parameters: str, actions: list[Action], slots: dict[int, int]
) -> list[str]:
    """A segment; it returns the number of the condition that does not hold, or DONE."""
    body = Body(slots)
    for action in actions:
        if isinstance(action, Check):
            body.check(action)
        elif isinstance(action, Store):
            body.store(action.values[0], '%result', action.start)
        else:
            body.compute(action)
            if action.index in slots:
                body.store(action, '%scratch', slots[action.index])
    lines = [*body.lines, f'  ret i64 {DONE}', '}']
    return [f'define internal i64 @{name}({parameters}) {{', *lines]


def _run(parameters: str, passed: str, lanes: int, segments: int) -> list[str]:
    """All of a program, in a scratch memory."""
    lines = [DECLARATION] if lanes else []
    lines += [f'define internal i64 @run({parameters}) {{']
    if lanes:
        lines += [
            f'  call void @angles({passed})',
            f'  %sines = getelementptr double, ptr %scratch, i64 {lanes}',
            f'  %cosines = getelementptr double, ptr %scratch, i64 {2 * lanes}',
            f'  %finite = call i1 @{ROUTINE}(ptr %scratch, i64 {lanes}, ptr %sines, ptr %cosines)',
            '  br i1 %finite, label %start, label %not.finite',
            'not.finite:',
            f'  ret i64 {ANGLE_NOT_FINITE}',
            'start:',
        ]
    return [*lines, *run_segments(segments, passed)]


def run_segments(segments: int, passed: str) -> list[str]:
    """The end of a function: every segment in turn, until one does not return `DONE`.

    Args:
        segments: how many.
        passed: the arguments of each.
    """
    lines = []
    for number in range(segments):
        lines += [
            f'  %code.{number} = call i64 @segment.{number}({passed})',
            f'  %stop.{number} = icmp ne i64 %code.{number}, {DONE}',
            f'  br i1 %stop.{number}, label %stopped.{number}, label %done.{number}',
            f'stopped.{number}:',
            f'  ret i64 %code.{number}',
            f'done.{number}:',
        ]
    return [*lines, f'  ret i64 {DONE}', '}']


def _kernel(inputs: list[str], passed: str, size: int) -> list[str]:
    """Reads the pointers, and gives `run` its scratch memory."""
    lines = ['define i64 @kernel(ptr noalias %inputs, ptr noalias %result) {']
    for index, name in enumerate(inputs):
        lines += [
            f'  %{name}.at = getelementptr ptr, ptr %inputs, i64 {index}',
            f'  %{name} = load ptr, ptr %{name}.at',
        ]
    if size <= MOST_ON_STACK:
        return [
            *lines,
            f'  %scratch = alloca [{size} x double], align 32',
            f'  %code = call i64 @run({passed})',
            '  ret i64 %code',
            '}',
        ]
    return [
        'declare ptr @malloc(i64)',
        'declare void @free(ptr)',
        *lines,
        f'  %scratch = call ptr @malloc(i64 {8 * size})',
        '  %failed = icmp eq ptr %scratch, null',
        '  br i1 %failed, label %no.memory, label %compute',
        'no.memory:',
        f'  ret i64 {OUT_OF_MEMORY}',
        'compute:',
        f'  %code = call i64 @run({passed})',
        '  call void @free(ptr %scratch)',
        '  ret i64 %code',
        '}',
    ]


class Body:
    """Straight-line code of a function: instructions, with each operand loaded when first needed.

    Attributes:
        lines: the code so far.
    """

    def __init__(self, slots: dict[int, int], *, fused: bool = True) -> None:
        """Start with nothing known.

        Args:
            slots: of results of other functions in the scratch memory, by the index of the step.
            fused: whether products and sums may be rounded together.
        """
        self.lines: list[str] = []
        self._slots = slots
        self._fused = fused
        self._known: set[int] = set()

    def compute(self, step: Expression) -> None:
        """Add one step; inputs are loaded when they are needed."""
        if step.operation == 'input' or step.index in self._known:
            return
        formula = INSTRUCTIONS[step.operation].format(*map(self._operand, step.operands))
        if not self._fused:
            formula = formula.replace(CONTRACT, '')
        self.lines.append(f'  %t{step.index} = {formula}')
        self._known.add(step.index)

    def store(self, value: Scalar, array: str, index: int) -> None:
        """Add a store into an array of doubles."""
        self.lines += store(self._operand(value), f'%at{len(self.lines)}', array, index)

    def check(self, check: Check) -> None:
        """Return the number of the check from here unless its value is positive."""
        number = check.number
        self.lines += [
            f'  %holds.{number} = fcmp ogt double {self._operand(check.value)}, {constant(0.0)}',
            f'  br i1 %holds.{number}, label %go.on.{number}, label %stop.{number}, !prof !0',
            f'stop.{number}:',
            f'  ret i64 {number}',
            f'go.on.{number}:',
        ]

    def _operand(self, value: Scalar) -> str:
        """A literal or the name of a value."""
        if not isinstance(value, Expression):
            return constant(value)
        name = f'%t{value.index}'
        if value.index not in self._known:
            self._known.add(value.index)
            if value.operation == 'input':
                vector, index = value.operands
            else:
                vector, index = 'scratch', self._slots[value.index]
            self.lines += load(name, f'%{vector}', index)
        return name
