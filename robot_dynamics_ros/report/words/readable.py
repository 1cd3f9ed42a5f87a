"""Names and texts of descriptions and recordings, which may hold anything, as readable text."""

from __future__ import annotations

import re

from .numbers_as_text import NO_BREAK

# Controls, changes of the direction, lone surrogates, and what is not a character.
_UNREADABLE = re.compile(
    '[\x00-\x08\x0b-\x1f\x7f-\x9f'
    '\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069'
    '\ud800-\udfff\ufffe\uffff]'
)
REPLACEMENT = '\N{REPLACEMENT CHARACTER}'
# Between a number and its unit, and within that unit: 18.5 N m, 9 %.
_BEFORE_UNIT = re.compile(r'(?<=\d) (?=(?:N|kg|Hz|ms|s|m|m/s|rad|rad/s)\b|%)')
_WITHIN_UNIT = re.compile(r'(?<=\bN) (?=m\b)')


def readable(text: str) -> str:
    """The text with a replacement for each character that cannot be shown or misleads."""
    return _UNREADABLE.sub(REPLACEMENT, text)


def readable_sentence(text: str) -> str:
    """The same, of a sentence: its lines do not break between a number and its unit."""
    return _WITHIN_UNIT.sub(NO_BREAK, _BEFORE_UNIT.sub(NO_BREAK, readable(text)))


def in_one_line(text: str, most: int) -> str:
    """The text without line breaks, and cut if it is longer."""
    line = ' '.join(readable(text).split())
    return line if len(line) <= most else f'{line[: most - 1]}…'
