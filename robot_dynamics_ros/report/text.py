"""Numbers with units, and names of robots and recordings, which may hold anything, as text."""

from __future__ import annotations

import math
import re

NOT_KNOWN = 'not known'
NO_BREAK = '\N{NO-BREAK SPACE}'
# Controls, changes of the direction, lone surrogates, and what is not a character.
_UNREADABLE = re.compile(
    '[\x00-\x08\x0b-\x1f\x7f-\x9f'
    '\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069'
    '\ud800-\udfff\ufffe\uffff]'
)
REPLACEMENT = '\N{REPLACEMENT CHARACTER}'
# Between a number and its unit, and within that unit: 18.5 N m, 9 %.
_AT_UNIT = re.compile(r'(?<=\d) (?=(?:N|kg|Hz|ms|s|m|m/s|rad|rad/s)\b|%)|(?<=\bN) (?=m\b)')


def number(value: float) -> str:
    """Three significant digits, without an exponent where that is short."""
    if not math.isfinite(value):
        return NOT_KNOWN
    if value == 0.0 or 1e-3 <= abs(value) < 1e5:
        digits = 2 if value == 0.0 else max(0, 2 - math.floor(math.log10(abs(value))))
        text = f'{value:.{min(digits, 5)}f}'
        text = text.rstrip('0').rstrip('.') if '.' in text else text
    else:
        text = f'{value:.2e}'
    return text.replace('-', '\N{MINUS SIGN}', 1) if text.startswith('-') else text


def quantity(value: float, unit: str) -> str:
    """A number with its unit, in one line."""
    if not math.isfinite(value):
        return NOT_KNOWN
    return f'{number(value)} {unit}'.strip().replace(' ', NO_BREAK)


def percent(ratio: float) -> str:
    """A ratio in per cent, of two digits or whole; below 0.01 % it is 0.

    Beyond 999 % it is no figure: what it is relative to is about 0.
    """
    if not math.isfinite(ratio):
        return NOT_KNOWN
    if abs(ratio) > 9.99:
        return f'{"<" if ratio < 0.0 else ">"} {quantity(math.copysign(999.0, ratio), "%")}'
    if abs(ratio) < 1e-4:
        return quantity(0.0, '%')
    value = 100.0 * ratio
    return quantity(float(round(value)) if abs(value) >= 100.0 else float(f'{value:.2g}'), '%')


def duration(seconds: float) -> str:
    """A time span in seconds, minutes or hours."""
    if not math.isfinite(seconds) or seconds < 120.0:
        return quantity(seconds, 's')
    minutes, hours = seconds / 60.0, seconds / 3600.0
    return quantity(minutes, 'min') if hours < 2.0 else quantity(hours, 'h')


def readable(text: str) -> str:
    """The text with a replacement for each character that cannot be shown or misleads."""
    return _UNREADABLE.sub(REPLACEMENT, text)


def sentence(text: str) -> str:
    """The text, whose lines do not break between a number and its unit."""
    return _AT_UNIT.sub(NO_BREAK, text)


def in_one_line(text: str, most: int) -> str:
    """The readable text without line breaks; one that is longer ends after a whole word."""
    line = ' '.join(readable(text).split())
    if len(line) <= most:
        return line
    cut = line[:most]
    return f'{cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut[:-1]}…'
