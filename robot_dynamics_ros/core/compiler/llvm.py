"""Native code by LLVM: a program for one state, or for as many as a vector register has lanes.

Both are the same straight-line code, with another type of value: `double`, or `<8 x double>`.
The sines and cosines come first. The functions have arguments that overlap nowhere, and allow
products and sums to be rounded together (fused multiply-add); NaN and infinity stay visible.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ..errors import ParameterError
from ..scalar import Scalar
from . import object_cache
from .expression import Expression
from .program import Program, needed_for
from .segments import TOGETHER, Action, Check, Segments, Store, cut, pieces
from .sine import RANGE, WHOLE, sine_program
from .transposition import columns_of, pieces_of

# That of Ubuntu 24.04 reads `ptr` once this is set, before its first module.
if llvm.llvm_version_info[0] == 14:
    llvm.set_option('', '-opaque-pointers')
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

VERSION = f'llvmlite {llvmlite.__version__}, LLVM {".".join(map(str, llvm.llvm_version_info))}'

# Steps from which on compiling in good time matters more than the last microsecond: at level 0
# the code compiles ten times as fast and runs half as fast.
LARGE = 100_000
# LLVM overflows smaller stacks of threads, and that ends the process [bytes].
STACK = 512 * 1024

CONTRACT = ' contract'
FLAGS = f'nsz{CONTRACT}'
INSTRUCTIONS = {
    'neg': 'fneg {flags} {kind} {0}',
    'add': 'fadd {flags} {kind} {0}, {1}',
    'sub': 'fsub {flags} {kind} {0}, {1}',
    'mul': 'fmul {flags} {kind} {0}, {1}',
    'div': 'fdiv {flags} {kind} {0}, {1}',
    'sqrt': 'call {flags} {kind} @llvm.sqrt.{suffix}({kind} {0})',
}


def compile_program(program: Program, lanes: int = 1) -> tuple[Any, int, int]:
    """Machine code of a program, for as many samples at once as there are lanes.

    Its prototype::

        int64_t kernel(const double *const *inputs, const int64_t *strides, double *result,
                       double *scratch)

    `inputs` has a pointer for each input of the program, to the row of the first sample, and
    `strides` doubles from a row to the next; 0 where one row holds for all samples. The rows of
    the result follow one another. With one lane, the strides are not read, and the inputs must be
    smaller than `RANGE`. `scratch` is aligned to vectors. Nothing overlaps.

    The kernel returns 0 after it has written the result. It returns 1, and has written nothing,
    where a condition does not hold, or an input or an angle is not smaller than `RANGE`, in one
    lane at least. What is computed of a sample depends on no other one, and on no position. The
    kernel has no memory of its own: any number of threads may run it at once.

    No optimiser looks at the code: a traced program has no constant left to fold, nothing computed
    twice, and no loop. Measured on 6 to 32 joints, LLVM's levels and its SLP vectoriser make the
    code no faster, and take up to thirty times as long.

    Returns:
        The engine, which must live as long as its code is called; the address of the kernel; and
        the size of the scratch memory [doubles].

    Raises:
        NotImplementedError: an angle depends on a sine.
        ParameterError: threads have too small a stack.
    """
    source, scratch = kernel_ir(program, lanes)
    level = 1 if len(program.steps()) < LARGE else 0
    engine = compile_ir(source, level)
    return engine, engine.get_function_address('kernel'), scratch


def compile_ir(source: str, level: int = 1) -> Any:
    """An engine with the machine code of some IR for this processor.

    Args:
        source: LLVM IR.
        level: of the code generator, 0 to 3.

    Raises:
        ParameterError: threads have too small a stack.
    """
    # Asking for it sets it to 0.
    stack = threading.stack_size()
    threading.stack_size(stack)
    if 0 < stack < STACK and threading.current_thread() is not threading.main_thread():
        raise ParameterError(
            f'threading.stack_size is {stack}: to compile in a thread, LLVM needs 0 (the default '
            f'of the system) or at least {STACK} bytes'
        )
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=level
    )
    key = '\n'.join((VERSION, cpu, features, str(level), source))
    code = object_cache.read(key)
    if code is None:
        code = machine.emit_object(llvm.parse_assembly(source))
        object_cache.write(key, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(''), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def vector_lanes() -> int:
    """Doubles in a vector register of this processor."""
    features = llvm.get_host_cpu_features()
    if features.get('avx512f'):
        return 8
    return 4 if features.get('avx2') else 2


def kernel_ir(program: Program, lanes: int = 1) -> tuple[str, int]:
    """The IR of `compile_program`, and the size of the scratch memory [doubles]."""
    segments = cut(program, lanes)
    slots, size, parts = segments.slots, segments.size, []
    if lanes > 1:
        first_of = {}
        for name, entries in program.inputs.items():
            first_of[name], size = size, size + entries
        for step in program.steps():
            if step.operation == 'input':
                name, entry = step.operands
                slots[step.index] = first_of[name] + entry
        parts.append(_columns(program, first_of, lanes))
    # The angles of one sample are taken together, those of several samples one by one.
    together = TOGETHER if lanes == 1 else 1
    if segments.angles:
        parts.append(_sines_of(segments, slots, lanes, together))
    entries = len(program.outputs)
    parts += [_segment(actions, slots, lanes, entries) for actions in segments.actions]
    lines = [f'declare {_kind(lanes)} @llvm.sqrt.{_suffix(lanes)}({_kind(lanes)})']
    if segments.angles:
        lines += _sines(lanes * together)
    lines += [*_functions(program, parts)]
    width = 64 * lanes * together
    lines += [
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{width}" '
        f'"min-legal-vector-width"="{width}" }}',
        '!0 = !{!"branch_weights", i32 1000000, i32 1}',
        '',
    ]
    return '\n'.join(lines), lanes * size


def _functions(program: Program, parts: Sequence[Body]) -> list[str]:
    """A function of each part, and the kernel that calls them in turn until one has no result."""
    arrays = (*program.inputs, 'strides', 'result', 'scratch')
    parameters = ', '.join(f'ptr noalias %{name}' for name in arrays)
    passed = ', '.join(f'ptr %{name}' for name in arrays)
    lines = []
    for number, part in enumerate(parts):
        lines += [f'define internal i1 @part.{number}({parameters}) #0 {{', *part.lines]
        lines += ['  ret i1 true', 'none:', '  ret i1 false', '}']
    lines += [
        'define i64 @kernel(ptr noalias %inputs, ptr noalias %strides, ptr noalias %result, '
        'ptr noalias %scratch) #0 {'
    ]
    for index, name in enumerate(program.inputs):
        lines += [
            f'  %{name}.at = getelementptr ptr, ptr %inputs, i64 {index}',
            f'  %{name} = load ptr, ptr %{name}.at',
        ]
    for number in range(len(parts)):
        lines += [
            f'  %done.{number} = call i1 @part.{number}({passed})',
            f'  br i1 %done.{number}, label %after.{number}, label %none',
            f'after.{number}:',
        ]
    return [*lines, '  ret i64 0', 'none:', '  ret i64 1', '}']


class Body:
    """Straight-line code of a function, in which each value is loaded when it is first needed.

    Where a value is out of range, the code goes to the label `none`. Values have so many lanes;
    `slots` in the scratch memory has what other functions compute, and `names` has values that are
    there, both by the index of the step. `flags` are those of arithmetic.

    Attributes:
        kind: type of the values.
        lines: the code so far.
    """

    def __init__(
        self,
        lanes: int,
        slots: Mapping[int, int],
        flags: str = FLAGS,
        names: Mapping[int, str] | None = None,
    ) -> None:
        self.kind = _kind(lanes)
        self.lines: list[str] = []
        self._lanes = lanes
        self._slots = slots
        words = {'kind': self.kind, 'flags': flags, 'suffix': _suffix(lanes)}
        self._formulas = {
            operation: formula.format('{0}', '{1}', **words)
            for operation, formula in INSTRUCTIONS.items()
        }
        self._names = dict(names or {})

    def value(self, formula: str) -> str:
        """The name of the value of an instruction."""
        name = f'%x{len(self.lines)}'
        self.lines.append(f'  {name} = {formula}')
        return name

    def place(self, array: str, index: int | str, kind: str = '') -> str:
        """The address of an entry of an array."""
        return self.value(f'getelementptr {kind or self.kind}, ptr {array}, i64 {index}')

    def store(self, value: Scalar, array: str, index: int, alignment: str = '') -> None:
        """Write an entry of an array of values."""
        name = self.operand(value)
        self.lines.append(f'  store {self.kind} {name}, ptr {self.place(array, index)}{alignment}')

    def operand(self, value: Scalar) -> str:
        """A literal, or the name of a value."""
        if not isinstance(value, Expression):
            return self.constant(value)
        if value.index not in self._names:
            array, entry = '%scratch', self._slots.get(value.index)
            if entry is None:
                name, entry = value.operands
                array = f'%{name}'
            loaded = self.value(f'load {self.kind}, ptr {self.place(array, entry)}')
            self._names[value.index] = loaded
        return self._names[value.index]

    def constant(self, value: float) -> str:
        """A literal of exactly that double, in every lane."""
        (bits,) = struct.unpack('<Q', struct.pack('<d', value))
        if self._lanes == 1:
            return f'0x{bits:016X}'
        return f'<{", ".join([f"double 0x{bits:016X}"] * self._lanes)}>'

    def compute(self, step: Expression) -> None:
        """Add a step; inputs are loaded when they are needed."""
        if step.operation == 'input':
            return
        operands = [*map(self.operand, step.operands)]
        if step.operation == 'nearest':
            # Without flags: nothing in these sums may be changed.
            whole = self.constant(WHOLE)
            shifted = self.value(f'fadd {self.kind} {operands[0]}, {whole}')
            name = self.value(f'fsub {self.kind} {shifted}, {whole}')
        else:
            name = self.value(self._formulas[step.operation].format(*operands))
        self._names[step.index] = name

    def require(self, comparison: str, value: str, limit: float) -> None:
        """Go on if the comparison holds in every lane."""
        holds = self.value(f'fcmp {comparison} {self.kind} {value}, {self.constant(limit)}')
        if self._lanes > 1:
            bits = self.value(f'bitcast <{self._lanes} x i1> {holds} to i{self._lanes}')
            holds = self.value(f'icmp eq i{self._lanes} {bits}, -1')
        label = f'on.{len(self.lines)}'
        self.lines += [f'  br i1 {holds}, label %{label}, label %none, !prof !0', f'{label}:']


def _columns(program: Program, first_of: Mapping[str, int], lanes: int) -> Body:
    """The inputs, from rows to columns in the scratch memory."""
    body = Body(lanes, {})
    for number, (name, entries) in enumerate(program.inputs.items()):
        rows = [f'%{name}']
        stride = body.value(f'load i64, ptr {body.place("%strides", number, "i64")}')
        while len(rows) < lanes:
            rows.append(body.place(rows[-1], stride, 'double'))
        # Not below the square of RANGE where an entry is not finite.
        squares = body.constant(0.0)
        for piece in pieces(entries, lanes):
            kind = f'<{len(piece)} x double>'
            parts = [
                body.value(f'load {kind}, ptr {body.place(row, piece.start, "double")}, align 8')
                for row in rows
            ]
            columns = columns_of(body.value, parts, len(piece))
            for entry, column in zip(piece, columns, strict=True):
                at = body.place('%scratch', first_of[name] + entry)
                body.lines.append(f'  store {body.kind} {column}, ptr {at}')
                product = body.value(f'fmul {FLAGS} {body.kind} {column}, {column}')
                squares = body.value(f'fadd {FLAGS} {body.kind} {squares}, {product}')
        body.require('olt', squares, RANGE**2)
    return body


def _sines_of(segments: Segments, slots: Mapping[int, int], lanes: int, together: int) -> Body:
    """The sines and cosines of all angles.

    The angles are rounded as plain Python rounds them: one of 1e8 rad is known to 1e-8 rad.
    """
    body = Body(lanes, slots, FLAGS.replace(CONTRACT, ''))
    for step in needed_for(segments.angles):
        body.compute(step)
    kind = _kind(lanes * together)
    for first in range(0, len(segments.angles), together):
        angles = segments.angles[first : first + together]
        names = [body.operand(angle) for angle in angles]
        for angle, name in zip(angles, names, strict=True):
            if angle.operation != 'input':
                body.require('olt', name, RANGE)
                body.require('ogt', name, -RANGE)
        vector = names[0]
        if together > 1:
            vector = 'zeroinitializer'
            for place, name in enumerate(names):
                vector = body.value(f'insertelement {kind} {vector}, double {name}, i64 {place}')
        sine = body.place('%scratch', first)
        cosine = body.place('%scratch', segments.room + first)
        body.lines.append(f'  call void @sines({kind} {vector}, ptr {sine}, ptr {cosine})')
    return body


def _sines(lanes: int) -> list[str]:
    """Definition of `void sines(T angles, T *sines, T *cosines)`."""
    program = sine_program()
    body = Body(lanes, {}, names={program.steps()[0].index: '%angles'})
    for step in program.steps():
        body.compute(step)
    results = zip(program.outputs, ('%sines', '%cosines'), strict=True)
    # What they lie in may be aligned less than vectors.
    for value, array in results:
        body.store(value, array, 0, ', align 8')
    parameters = f'{body.kind} %angles, ptr noalias %sines, ptr noalias %cosines'
    head = f'define internal void @sines({parameters}) #0 {{'
    return [head, *body.lines, '  ret void', '}']


def _segment(
    actions: Sequence[Action], slots: Mapping[int, int], lanes: int, entries: int
) -> Body:
    """A segment of a program whose result has so many entries."""
    body = Body(lanes, slots)
    for action in actions:
        if isinstance(action, Check):
            body.require('ogt', body.operand(action.value), 0.0)
        elif isinstance(action, Store):
            columns = [body.operand(value) for value in action.values]
            rows, kind = columns, body.kind
            if lanes > 1:
                rows = pieces_of(body.value, columns, lanes)
                kind = f'<{len(columns)} x double>'
            for row, piece in enumerate(rows):
                at = body.place('%result', row * entries + action.start, 'double')
                body.lines.append(f'  store {kind} {piece}, ptr {at}, align 8')
        else:
            body.compute(action)
            if action.index in slots:
                body.store(action, '%scratch', slots[action.index])
    return body


def _kind(lanes: int) -> str:
    return 'double' if lanes == 1 else f'<{lanes} x double>'


def _suffix(lanes: int) -> str:
    return 'f64' if lanes == 1 else f'v{lanes}f64'
