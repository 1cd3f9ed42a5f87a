"""Base parameters: the combinations of parameters that data determine.

Two steps: the structure of the robot says which columns are dependent in all data; pivoted QR of
the data, in units of noise and of plausible parameters, which of the others these data determine
(Gautier, "Numerical calculation of the base inertial parameters of robots", 1991).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..parameters.parameter_layout import ParameterLayout
from ..regression.reduced_equations import ReducedEquations
from .combination_sentences import combination_sentences
from .structure import Structure, structure_of
from .undetermined_bodies import UndeterminedBody, undetermined_bodies
from .whitened import Whitened, whitened

# Standard deviations of the noise that a plausible value makes in all data together, to be
# determined: so the data leave a third of what is uncertain without them.
DETERMINED = 3.0
# The same at a single sample, of a measured effort in the place of a column: noise is a part of
# the column, and must not determine its coefficient.
DETERMINED_BY_SAMPLE = 3.0
# Of the largest contribution: rounding.
ROUNDING = 1e-9


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
        undetermined_columns: those that the structure allows to determine, and these data do not.
        spread: (b,) what plausible values of these change of each base parameter.
    """

    layout: ParameterLayout
    columns: tuple[int, ...]
    combination: Array
    rank: int
    structural_rank: int
    condition: float
    sentences: tuple[str, ...]
    undetermined: tuple[UndeterminedBody, ...]
    undetermined_columns: tuple[int, ...] = ()
    spread: Array = field(default_factory=lambda: np.zeros(0))

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


def base_parameters(
    reduced: ReducedEquations, structure: Structure | None = None
) -> BaseParameters:
    """What these equations determine.

    Args:
        reduced: equations of all data.
        structure: of their layout, where it is known already.
    """
    structure = structure or structure_of(reduced.layout, gravity=reduced.gravity)
    layout, white = reduced.layout, whitened(reduced, structure.columns)
    determined, undetermined, folded = _determined(structure, white)
    # The dependent columns of the structure, by the determined ones.
    combination = folded @ structure.combination
    columns = tuple(structure.columns[k] for k in determined)
    combination[:, list(columns)] = np.eye(len(columns))
    undetermined_columns = tuple(structure.columns[k] for k in undetermined)
    return BaseParameters(
        layout,
        columns,
        combination,
        len(columns),
        structure.rank,
        _condition(white.triangle[:, list(columns)]),
        combination_sentences(layout, combination, white.scales),
        undetermined_bodies(structure, reduced, undetermined_columns),
        undetermined_columns,
        np.linalg.norm(
            combination[:, list(undetermined_columns)] * white.scales[list(undetermined_columns)],
            axis=1,
        ),
    )


def _determined(structure: Structure, white: Whitened) -> tuple[list[int], list[int], Array]:
    """Which structural columns are determined, which are not, and these by those.

    Returns:
        Positions (b,) and (c,) in `structure.columns`, ascending; (b, b + c) each structural
        column as a combination of the determined ones, in units of the parameters.
    """
    linalg = required('scipy.linalg', 'identification')
    columns = np.array(structure.columns, int)
    # Plausible values of the base parameters: those of all their parts.
    scales = np.abs(structure.combination) @ white.scales
    rows = white.triangle[:, columns] * (scales / white.scales[columns])
    rows[:, _noisy_gains(structure.layout, columns, white)] = 0.0
    factor, order = linalg.qr(rows, mode='r', pivoting=True, check_finite=False)
    pivots = np.abs(np.diag(factor))
    rank = int(np.count_nonzero(pivots >= max(DETERMINED, ROUNDING * pivots.max(initial=0.0))))
    determined, undetermined = np.sort(order[:rank]), np.sort(order[rank:])
    folded = np.zeros((rank, len(columns)))
    place = np.searchsorted(determined, order[:rank])
    folded[place, order[:rank]] = 1.0
    if 0 < rank < len(columns):
        weights = linalg.solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
        weights[np.abs(weights) < ROUNDING] = 0.0
        folded[np.ix_(place, order[rank:])] = weights
    return determined.tolist(), undetermined.tolist(), folded * scales[determined, None] / scales


def _noisy_gains(layout: ParameterLayout, columns: Array, white: Whitened) -> Array:
    """Positions in `columns` of the gains whose columns are hardly more than noise.

    That is: what all other columns leave of the measured effort.
    """
    if 'gain' not in layout.terms:
        return np.empty(0, int)
    gains = np.flatnonzero(np.isin(columns, layout.columns('gain')))
    least = DETERMINED_BY_SAMPLE * np.sqrt(white.count / max(1, len(white.noise)))
    noisy = []
    for gain in gains:
        last = np.append(np.delete(columns, gain), columns[gain])
        upper = np.asarray(np.linalg.qr(white.triangle[:, last], mode='r'))
        if abs(upper[-1, -1]) < least:
            noisy.append(int(gain))
    return np.array(noisy, int)


def _condition(columns: Array) -> float:
    """Largest to smallest singular value of columns of unit length; 1 for none."""
    if not columns.shape[1]:
        return 1.0
    values = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), compute_uv=False)
    return float(values[0] / values[-1])
