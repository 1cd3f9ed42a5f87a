"""LLVM IR of a program for a batch of samples: as many at once as a vector has lanes.

The rows of the inputs are transposed into vectors, one for each entry, which hold that entry of
one sample in each lane. The same segments as those of `llvm_kernel` compute with these vectors,
and the result is transposed back where several entries beside one another are known.
"""

from __future__ import annotations

from typing import TypeGuard

from ...expression import Expression
from ...program import Program, needed_for
from ...segments import SINES, Action, Store, angles_of, cut, operands_of, slots_of
from ..llvm_ir import LIKELY
from ..llvm_kernel import DONE, run_segments
from ..llvm_sine import RANGE
from .llvm_batch_body import BatchBody
from .llvm_batch_loop import UNREADABLE, loop_ir
from .llvm_transpose import write_constants
from .llvm_vector_sine import declaration, routine
from .llvm_vectors import SELDOM, VectorCode, attributes, declarations

# Of the functions that compute: the scratch memory, an array of vectors; the address of the row
# of the first lane in the result, and from there to the row of each lane [bytes].
PARAMETERS = 'ptr noalias %scratch, ptr noalias %result, ptr noalias %offsets'


def batch_ir(program: Program, lanes: int) -> str:
    """Definition of the C function `batch`, and of what it needs.

    Its prototype::

        int64_t batch(const double *const *inputs, const int64_t *row_strides, double *result,
                      int64_t samples, bool past_caches, int64_t *row)

    `inputs` has one pointer for each entry of `program.inputs`, to the row of the first sample.
    `row_strides` are doubles from a row to the next, 0 where one row holds for all samples. The
    rows of `result` follow one another. Inputs and result do not overlap. With `past_caches` the
    result is written past the caches, which is faster where it is larger than they are.

    It returns `DONE`, or what stops it: the number of a condition that does not hold, from 1,
    `UNREADABLE`, `OUT_OF_MEMORY`. `row` is then the first sample of the block of `lanes` samples
    in question; the blocks before it are written, and no other. The last block may have fewer
    samples: its lanes repeat the last one.

    What is computed of a sample depends on no other sample and on no position.

    Args:
        program: to compute.
        lanes: doubles in a vector, a power of two.

    Raises:
        NotImplementedError: an angle depends on a sine.
    """
    angles = angles_of(program)
    every = cut(program, lanes)
    segments = [[action for action in actions if not _is_constant(action)] for actions in every]
    constants = [action for actions in every for action in actions if _is_constant(action)]
    slots, first_of, size = _layout(program, angles, segments)
    return '\n'.join(
        [
            *declarations(lanes),
            *(_sines(program, angles, slots, lanes) if angles else []),
            *(
                line
                for number, actions in enumerate(segments)
                for line in _segment(f'segment.{number}', actions, slots, lanes)
            ),
            *_constants(constants, lanes),
            *_compute(len(segments), len(angles)),
            *loop_ir(program, first_of, lanes, size),
            attributes(lanes),
            LIKELY,
            '',
        ]
    )


def _is_constant(action: Action) -> TypeGuard[Store]:
    """Whether an action writes the same values in every sample."""
    return isinstance(action, Store) and not operands_of(action)


def _constants(stores: list[Store], lanes: int) -> list[str]:
    """`constants(ptr result, ptr offsets)`: writes the entries of the rows that never change."""
    head = 'define internal void @constants(ptr noalias %result, ptr noalias %offsets) #0 {'
    if not stores:
        return [head, '  ret void', '}']
    code = VectorCode(lanes)
    offset = code.value(f'load i64, ptr {code.place("%offsets", "%lane", "i64")}')
    row = code.place('%result', offset, 'i8')
    for store in stores:
        write_constants(code, store.values, row, store.start)
    return [
        head,
        '  br label %row',
        'row:',
        '  %lane = phi i64 [0, %0], [%next, %row]',
        *code.lines,
        '  %next = add i64 %lane, 1',
        f'  %more = icmp ult i64 %next, {lanes}',
        '  br i1 %more, label %row, label %done',
        'done:',
        '  ret void',
        '}',
    ]


def _layout(
    program: Program, angles: list[Expression], segments: list[list[Action]]
) -> tuple[dict[int, int], dict[str, int], int]:
    """Slot of each expression, first slot of each input, and the number of slots.

    First the inputs, then the sines, the cosines, and what one segment hands to others.
    """
    first_of, used = {}, 0
    for name, size in program.inputs.items():
        first_of[name], used = used, used + size
    slots, size = slots_of(segments, used + 2 * len(angles))
    part = {'sin': used, 'cos': used + len(angles)}
    place = {angle.index: index for index, angle in enumerate(angles)}
    for step in program.steps():
        if step.operation in SINES:
            slots[step.index] = part[step.operation] + place[step.operands[0].index]
        elif step.operation == 'input':
            name, index = step.operands
            slots[step.index] = first_of[name] + index
    return slots, first_of, size


def _sines(
    program: Program, angles: list[Expression], slots: dict[int, int], lanes: int
) -> list[str]:
    """`i1 sines(ptr scratch)`: false where an angle is not smaller than RANGE.

    The angles, rounded as plain Python rounds them, stand where their sines will be.
    """
    steps = program.steps()
    inputs = {step.index: slots[step.index] for step in steps if step.operation == 'input'}
    first = sum(program.inputs.values())
    body = BatchBody(lanes, inputs, fused=False)
    code = body.code
    body.add(needed_for(angles))
    small = 'true'
    for index, angle in enumerate(angles):
        code.store(body.operand(angle), '%scratch', first + index)
        if angle.operation != 'input':
            fits = code.all_hold('olt', code.magnitude(body.operand(angle)), RANGE)
            small = code.value(f'and i1 {small}, {fits}')
    return [
        declaration(lanes),
        'define internal i1 @sines(ptr noalias %scratch) #0 {',
        *code.lines,
        f'  br i1 {small}, label %start, label %done',
        'start:',
        f'  %sines = getelementptr {code.kind}, ptr %scratch, i64 {first}',
        f'  %cosines = getelementptr {code.kind}, ptr %sines, i64 {len(angles)}',
        f'  call void @{routine(lanes)}(ptr %sines, ptr %cosines, i64 {len(angles)})',
        '  br label %done',
        'done:',
        f'  ret i1 {small}',
        '}',
    ]


def _segment(name: str, actions: list[Action], slots: dict[int, int], lanes: int) -> list[str]:
    """A segment; it returns the number of the condition that does not hold, or DONE."""
    body = BatchBody(lanes, slots)
    body.add(actions)
    return [
        f'define internal i64 @{name}({PARAMETERS}) #0 {{',
        *body.code.lines,
        f'  ret i64 {DONE}',
        '}',
    ]


def _compute(segments: int, angles: int) -> list[str]:
    """`i64 compute(...)`: all of a program, for inputs that lie in the scratch memory."""
    lines = [f'define internal i64 @compute({PARAMETERS}) {SELDOM} {{']
    if angles:
        lines += [
            '  %small = call i1 @sines(ptr %scratch)',
            '  br i1 %small, label %start, label %large',
            'large:',
            f'  ret i64 {UNREADABLE}',
            'start:',
        ]
    return [*lines, *run_segments(segments, 'ptr %scratch, ptr %result, ptr %offsets')]
