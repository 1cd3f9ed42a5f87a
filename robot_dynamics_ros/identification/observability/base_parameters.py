"""Base parameters: the combinations of parameters that the equations depend on."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout


@dataclass(frozen=True)
class UndeterminedBody:
    """A body some of whose parameters the data do not determine.

    Attributes:
        body: its name.
        determined: how many of its ten parameters are determined alone or in combinations.
        reason: why the others stay at their prior, as a sentence.
    """

    body: str
    determined: int
    reason: str


@dataclass(frozen=True)
class BaseParameters:
    """What equations determine: beta = combination @ parameters, with Y pi = Y[:, columns] beta.

    Attributes:
        layout: of the parameters.
        columns: (b,) of independent columns, ascending.
        combination: (b, p), the identity in `columns`; a dependent column d is
            Y[:, columns] @ combination[:, d].
        rank: b, the number of base parameters that these data determine.
        structural_rank: the number that the best data of this robot would determine.
        condition: of the independent columns, each scaled to unit length.
        sentences: (b,) each base parameter as a sum of parameters, readable.
        undetermined: bodies that stay at their prior, wholly or in part, and why.
    """

    layout: ParameterLayout
    columns: tuple[int, ...]
    combination: Array
    rank: int
    structural_rank: int
    condition: float
    sentences: tuple[str, ...]
    undetermined: tuple[UndeterminedBody, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the independent columns (b,)."""
        return tuple(self.layout.names[column] for column in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the base parameters (b,): those of their independent columns."""
        return tuple(self.layout.units[column] for column in self.columns)

    def values(self, parameters: Array) -> Array:
        """Base parameters (b,) of full parameters (p,)."""
        values: Array = self.combination @ parameters
        return values
