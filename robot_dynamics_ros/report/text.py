"""Numbers with units, and names of robots and recordings, which may hold anything, as text."""

from __future__ import annotations

import math

NO_BREAK = '\N{NO-BREAK SPACE}'
REPLACEMENT = '\N{REPLACEMENT CHARACTER}'


def number(value: float) -> str:
    """Three significant digits, or all before the point; '-' for NaN."""
    # A smaller one than 1e-12 is a rounding error of larger ones.
    text = f'{round(value, 12) + 0.0:{".0f" if 999.5 <= abs(value) < 1e9 else ".3g"}}'
    return text.replace('-', '\N{MINUS SIGN}') if math.isfinite(value) else '-'


def quantity(value: float, unit: str, low: float = math.nan, high: float = math.nan) -> str:
    """A number with its unit, and with its interval where that is known."""
    text = f'{number(value)} {unit}'.replace(' ', NO_BREAK) if math.isfinite(value) else '-'
    known = math.isfinite(low) and math.isfinite(high)
    return f'{text} [{number(low)}, {number(high)}]' if known else text


def readable(text: str) -> str:
    """The text with a replacement for each character that cannot be shown or misleads."""
    shown = (one if one.isprintable() or one == NO_BREAK else REPLACEMENT for one in text)
    return ''.join(shown)
