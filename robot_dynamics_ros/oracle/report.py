"""The result of a comparison with Pinocchio."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from robot_dynamics_ros.core.errors import OracleDisagreement

# A hundred roundings of a double [-]; the worst of 93 robots of the tests is nine.
TOLERANCE = 100.0 * sys.float_info.epsilon


@dataclass(frozen=True)
class Comparison:
    """The largest errors of one quantity over all states.

    Attributes:
        quantity: its name, such as mass_matrix.
        worst_absolute: in the unit of the quantity.
        worst_relative: divided by the largest term that cancels in it [-].
    """

    quantity: str
    worst_absolute: float
    worst_relative: float


@dataclass(frozen=True)
class Report:
    """The result of a cross-check.

    Attributes:
        samples: number of states compared.
        tolerance: on the largest relative error [-].
        comparisons: one for each quantity.
    """

    samples: int
    tolerance: float
    comparisons: tuple[Comparison, ...]

    @property
    def worst(self) -> Comparison:
        """The quantity with the largest relative error."""
        return max(self.comparisons, key=lambda comparison: comparison.worst_relative)

    @property
    def agrees(self) -> bool:
        """Whether every relative error is within the tolerance (NaN is not)."""
        return all(c.worst_relative <= self.tolerance for c in self.comparisons)

    def __str__(self) -> str:
        """One line for a log."""
        verb = 'agrees' if self.agrees else 'disagrees'
        worst = f'{self.worst.worst_relative:.1e} in {self.worst.quantity}'
        states = '1 state' if self.samples == 1 else f'{self.samples} states'
        return (
            f'Pinocchio {verb} on {states}: worst relative error {worst}, '
            f'allowed {self.tolerance:.0e}'
        )

    def raise_on_disagreement(self) -> None:
        """Check that all errors are within the tolerance.

        Raises:
            OracleDisagreement: one is not.
        """
        if not self.agrees:
            raise OracleDisagreement(str(self))
