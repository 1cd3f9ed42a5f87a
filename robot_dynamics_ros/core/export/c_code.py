"""C99: constants, strings and comments, safe for any text of a description, and programs.

A program becomes a function from arrays of doubles to an array of doubles. It is cut into segments
as native code is: compilers take more than twice the time for twice the length of a function.
"""

from __future__ import annotations

import math
import re
import struct
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

from ..compiler.expression import Expression
from ..compiler.program import Program, needed_for
from ..compiler.segments import Action, Check, Store, cut
from ..compiler.sine import RANGE, WHOLE, sine_program
from ..errors import ParameterError
from ..scalar import Scalar

# C99 compilers need not take longer strings than 4095 characters; four for each byte.
LONGEST_STRING = 1000

# Not as it is: `*`, `\` and `?` end or join lines and comments.
UNSAFE_IN_COMMENTS = re.compile(r'[^\x20-\x7e]|[*\\?]')
UNSAFE_IN_STRINGS = re.compile(rb'[^\x20-\x7e]|["\\?]')

# Arguments of the segments of a program beside its inputs.
RESULT, SCRATCH = 'result', 'scratch'
FORMULAS = {
    'neg': '-{}',
    'add': '{} + {}',
    'sub': '{} - {}',
    'mul': '{} * {}',
    'div': '{} / {}',
    'sqrt': 'square_root({})',
    'nearest': f'({{}} + {WHOLE.hex()}) - {WHOLE.hex()}',
}
# Of the bits of a number: half of the exponent, as near as 3.5 %.
HALVED = 0x1FF7A3BEA91D9B1B


def filled(template: str, values: Mapping[str, object]) -> str:
    """A text of `templates`, with what stands for each `@name@`."""
    text = files(__package__).joinpath('templates', f'{template}.in').read_text(encoding='utf-8')
    return re.sub(r'@(\w+)@', lambda match: str(values[match[1]]), text)


def literal(value: float) -> str:
    """A constant of exactly that double.

    Raises:
        ParameterError: it is not finite.
    """
    if not math.isfinite(value):
        raise ParameterError(f'a number of the robot is {value}: C takes finite numbers only')
    text = float(value).hex()
    return f'({text})' if text.startswith('-') else text


def string(text: str) -> str:
    """A string of the UTF-8 bytes of a text.

    Raises:
        ParameterError: the text is too long.
    """
    data = text.encode('utf-8', 'surrogateescape')
    if len(data) > LONGEST_STRING:
        raise ParameterError(
            f'the name {text[:40]!r}... has {len(data)} bytes, at most {LONGEST_STRING} are '
            'allowed'
        )
    # Three octal digits: a digit that follows is not read with them.
    safe = UNSAFE_IN_STRINGS.sub(lambda match: b'\\%03o' % match.group()[0], data)
    return f'"{safe.decode("ascii")}"'


def in_comment(text: str) -> str:
    """A text that stays inside of a comment, in ASCII; other characters as <U+00E9>."""
    return UNSAFE_IN_COMMENTS.sub(lambda match: f'<U+{ord(match.group()):04X}>', text)


def comment(paragraphs: Iterable[str]) -> str:
    """A block comment of texts that are safe in it; what begins with a space keeps its lines."""
    lines: list[str] = []
    for paragraph in paragraphs:
        if paragraph.startswith(' '):
            lines += paragraph.splitlines()
        else:
            lines += textwrap.wrap(paragraph, 94, break_on_hyphens=False) or ['']
    first, *others = lines
    if not others:
        return f'/* {first} */'
    return '\n'.join([f'/* {first}', *(f' * {line}'.rstrip() for line in others), ' */'])


def table(name: str, values: Sequence[float]) -> str:
    """Definition of a constant array, with as many entries in a line as fit."""
    body = textwrap.fill(
        ', '.join(map(literal, values)), 98, initial_indent='    ', subsequent_indent='    ',
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return f'{name}[{len(values)}] = {{\n{body}\n}};'


def prototype(program: Program, prefix: str) -> str:
    """The declaration of the function of a program, without a semicolon.

    It returns 0 and has then written the result. Otherwise it has written nothing, and returns
    -1 for an angle that is out of range, or the number of the condition that does not hold.
    """
    arguments = [f'const double {name}[{size}]' for name, size in program.inputs.items()]
    arguments.append(f'double {RESULT}[{len(program.outputs)}]')
    return f'int {prefix}_{program.name}({", ".join(arguments)})'


def program_code(program: Program, prefix: str) -> str:
    """The function of `prototype`, and the segments that it calls: the angles come first.

    It keeps nothing between calls.

    Raises:
        NotImplementedError: an angle depends on a sine.
        ParameterError: a constant of the program is not finite.
    """
    macro = prefix.upper()
    segments = cut(program)
    angles = segments.angles
    bodies = [_body(actions, segments.slots) for actions in segments.actions]
    if angles:
        bodies.insert(0, _body([*needed_for(angles), Store(0, angles)], {}, SCRATCH))

    arguments = [*program.inputs, RESULT, SCRATCH]
    parameters = ', '.join(
        f'{"const " * (name in program.inputs)}double *{macro}_RESTRICT {name}'
        for name in arguments
    )
    # Most segments do not use every array, of which some compilers warn.
    unused = [f'(void){name};' for name in arguments]
    function = f'{prefix}_{program.name}'
    definitions = []
    calls = []
    for number, body in enumerate(bodies):
        lines = '\n    '.join([*body, *unused, 'return 0;'])
        definitions.append(f'static int {function}_{number}({parameters})\n{{\n    {lines}\n}}\n')
        calls.append(f'{function}_{number}({", ".join(arguments)})')
    if angles:
        sines = f'{SCRATCH}, {SCRATCH} + {segments.room}, {len(angles)}'
        calls.insert(1, f'{prefix}_sines({sines}) ? 0 : {macro}_ANGLE_OUT_OF_RANGE')
    statements = [f'    if (!code) {{\n        code = {call};\n    }}' for call in calls]
    return '\n'.join(
        [
            *definitions,
            f'/* Takes {8 * segments.size} bytes of the stack for {SCRATCH} memory. */',
            prototype(program, prefix),
            '{',
            f'    double {SCRATCH}[{max(segments.size, 1)}];',
            '    int code = 0;',
            *statements,
            '    return code;',
            '}\n',
        ]
    )


def shared_code(codes: Iterable[str], prefix: str) -> Iterator[str]:
    """The square root, and the sines of some angles, where a function calls them."""
    text = '\n'.join(codes)
    if 'square_root(' in text:
        yield filled('square_root.c', {'halved': HALVED})
    if f'{prefix}_sines(' in text:
        program = sine_program()
        lines = '\n        '.join(_body([*program.steps(), Store(0, program.outputs)], {}))
        names = {'prefix': prefix, 'macro': prefix.upper()}
        yield filled('sines.c', {**names, 'range': literal(RANGE), 'lines': lines})


def square_root(square: float) -> float:
    """What `square_root` of `templates/square_root.c.in` computes."""
    if not 0.0 < square <= sys.float_info.max:
        return square
    (bits,) = struct.unpack('<Q', struct.pack('<d', square))
    root: float
    (root,) = struct.unpack('<d', struct.pack('<Q', (bits >> 1) + HALVED))
    for _ in range(4):
        root = 0.5 * (root + square / root)
    return root


def _body(actions: Iterable[Action], slots: Mapping[int, int], result: str = RESULT) -> list[str]:
    """The statements of a segment.

    Args:
        actions: to do, in that order; inputs are loaded when they are needed.
        slots: of results that other segments read in the scratch memory, by index of the step.
        result: name of the array into which values are stored.
    """
    lines: list[str] = []
    known: set[int] = set()

    def operand(value: Scalar) -> str:
        if not isinstance(value, Expression):
            return literal(value)
        if value.index not in known:
            known.add(value.index)
            array, index = (
                value.operands if value.operation == 'input' else (SCRATCH, slots[value.index])
            )
            lines.append(f'const double t{value.index} = {array}[{index}];')
        return f't{value.index}'

    for action in actions:
        if isinstance(action, Check):
            # Not true of a NaN.
            lines.append(f'if (!({operand(action.value)} > 0.0)) return {action.number};')
        elif isinstance(action, Store):
            for index, value in enumerate(action.values, start=action.start):
                lines.append(f'{result}[{index}] = {operand(value)};')
        elif action.operation != 'input':
            formula = FORMULAS[action.operation].format(*map(operand, action.operands))
            lines.append(f'const double t{action.index} = {formula};')
            known.add(action.index)
            if action.index in slots:
                lines.append(f'{SCRATCH}[{slots[action.index]}] = t{action.index};')
    return lines
