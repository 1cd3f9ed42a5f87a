"""The numbers that a parameter may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from robot_dynamics_ros.core.errors import ParameterError


@dataclass(frozen=True)
class Bounds:
    """An interval of finite numbers.

    Attributes:
        lower: smallest number; minus infinity for none.
        upper: largest number; infinity for none.
        lower_open: whether `lower` itself is excluded.
    """

    lower: float = -math.inf
    upper: float = math.inf
    lower_open: bool = False

    def __str__(self) -> str:
        """The interval in words, such as "greater than 0 and at most 1"; empty if unbounded."""
        above = 'greater than' if self.lower_open else 'at least'
        words = [f'{above} {self.lower:g}'] if math.isfinite(self.lower) else []
        words += [f'at most {self.upper:g}'] if math.isfinite(self.upper) else []
        return ' and '.join(words)

    def check(self, name: str, value: float, unit: str = '') -> None:
        """Whether a number is finite and within the bounds.

        Args:
            name: of the number, for the message.
            value: the number.
            unit: for the message; empty for none.

        Raises:
            ParameterError: it is not.
        """
        above = value > self.lower if self.lower_open else value >= self.lower
        if not (above and value <= self.upper and math.isfinite(value)):
            finite = '' if math.isfinite(self.upper) else 'finite'
            allowed = ' and '.join(filter(None, (str(self), finite)))
            in_unit = f' [{unit}]' if unit else ''
            raise ParameterError(f'{name} is {value}, it must be {allowed}{in_unit}')


FINITE = Bounds()
POSITIVE = Bounds(0.0, lower_open=True)
NOT_NEGATIVE = Bounds(0.0)
