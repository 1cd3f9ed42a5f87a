"""Numbers, comments and strings in C source, safe for any text of a description."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable

from ..errors import ParameterError

# C99 compilers need not take longer strings than 4095 characters; four for each byte.
LONGEST_STRING = 1000
LARGEST = float.fromhex('0x1.fffffffffffffp+1023')

# Stays as it is. `*`, `\` and `?` end or join lines and comments.
PLAIN_IN_COMMENTS = re.compile(r'[^\x20-\x7e]|[*\\?]')
PLAIN_IN_STRINGS = re.compile(rb'[^\x20-\x7e]|["\\?]')


def literal(value: float) -> str:
    """A C99 constant of exactly that double.

    Raises:
        ParameterError: it is not finite.
    """
    if not math.isfinite(value):
        raise ParameterError(f'a number of the robot is {value}: C takes finite numbers only')
    text = float(value).hex()
    return f'({text})' if text.startswith('-') else text


def limit(value: float) -> str:
    """A constant for a limit; infinite ones become the largest double."""
    return literal(math.copysign(min(abs(value), LARGEST), value))


def string(text: str) -> str:
    """A C string of the UTF-8 bytes of a text.

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
    plain = PLAIN_IN_STRINGS.sub(lambda match: b'\\%03o' % match.group()[0], data)
    return f'"{plain.decode("ascii")}"'


def in_comment(text: str) -> str:
    """A text that stays inside of a comment, in ASCII; other characters as <U+00E9>."""
    return PLAIN_IN_COMMENTS.sub(lambda match: f'<U+{ord(match.group()):04X}>', text)


def comment(paragraphs: Iterable[str]) -> str:
    """A block comment; a paragraph that begins with a space keeps its lines.

    Args:
        paragraphs: texts that are already safe, see `in_comment`.
    """
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


def table(declaration: str, entries: Iterable[str]) -> str:
    """Definition of a constant array, with as many entries in a line as fit."""
    body = textwrap.fill(
        ', '.join(entries), 98, initial_indent='    ', subsequent_indent='    ',
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return f'{declaration} = {{\n{body}\n}};'
