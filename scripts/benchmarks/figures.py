"""A measured number, and the bound that it has to keep."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One number; `bound` is None where it is told, not judged."""

    name: str
    value: float
    unit: str
    bound: float | None = None

    @property
    def holds(self) -> bool:
        """NaN does not."""
        return self.bound is None or self.value <= self.bound

    def prefixed(self, prefix: str) -> Figure:
        return replace(self, name=f'{prefix} {self.name}')

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {'holds': self.holds}

    def __str__(self) -> str:
        line = f'{self.name}: {self.value:.3g} {self.unit}'
        if self.bound is not None:
            line += f', at most {self.bound:g}{"" if self.holds else ": FAILED"}'
        return line
