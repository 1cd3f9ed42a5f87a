"""Numbers as a reader wants them: three significant digits, with their unit."""

from __future__ import annotations

import math

NOT_KNOWN = 'not known'
NO_BREAK = '\N{NO-BREAK SPACE}'


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
    return f'{number(value)} {unit}'.replace(' ', NO_BREAK)


def percent(share: float) -> str:
    """A share in per cent, of two digits or whole; what is below a hundredth of one is zero."""
    if not math.isfinite(share):
        return NOT_KNOWN
    if abs(share) < 1e-4:
        return quantity(0.0, '%')
    value = 100.0 * share
    return quantity(float(round(value)) if abs(value) >= 100.0 else float(f'{value:.2g}'), '%')


def duration(seconds: float) -> str:
    """A time span in seconds, minutes or hours."""
    if not math.isfinite(seconds) or seconds < 120.0:
        return quantity(seconds, 's')
    minutes, hours = seconds / 60.0, seconds / 3600.0
    return quantity(minutes, 'min') if hours < 2.0 else quantity(hours, 'h')
