"""Whether loads are what was declared: their masses, estimated from the same data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from robot_dynamics_ros.comparison import Finding

from .estimation import Period, PeriodWeights, estimate
from .fitted_equations import FittedEquations
from .observability import base_parameters, structure_of
from .parameter_rows import deviations_alone
from .parameters.parameter_layout import ParameterLayout

# Standard deviations, and share of the declared mass, by which an estimated one may be off.
DEVIATIONS, SHARE = 5.0, 0.2


def load_findings(
    equations: FittedEquations, masses: Mapping[str, float], left_out: Sequence[Period] = ()
) -> Iterator[Finding]:
    """Loads whose mass contradicts the data.

    Args:
        equations: of the recordings, torques, in which these masses are not known.
        masses: that were declared, by the names of their parameters [kg].
        left_out: periods that are not fitted.
    """
    reduced = equations.reduced(PeriodWeights(tuple(left_out)) if left_out else None)
    layout = reduced.layout
    structure = structure_of(layout, gravity=reduced.gravity)
    base = base_parameters(reduced, structure)
    found = estimate(reduced, base=base)
    deviations = deviations_alone(structure, base, found)
    for name, declared in masses.items():
        column = layout.names.index(name)
        value, deviation = float(found.parameters[column]), float(deviations[column])
        if not abs(value - declared) > max(DEVIATIONS * deviation, SHARE * declared):
            continue
        yield Finding(
            'wrong_load',
            (),
            value,
            f'{_option(layout, name, declared)}: the data ask for {value:.3g} kg (standard '
            f'deviation {deviation:.2g} kg): look at the mass, and at which '
            'recording has the load.',
        )


def _option(layout: ParameterLayout, name: str, mass: float) -> str:
    """The option that has declared a load of this mass [kg]; `name` is that of its parameter."""
    load = next(one for one in layout.loads if f'{one.name} m' == name)
    recordings = ', '.join(recording for recording, _, _ in load.periods)
    return f'--load {load.frame}={mass:g}@{recordings}'
