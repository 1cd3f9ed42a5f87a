"""Instruments for measured efforts in the place of a column: gains of drives.

With --effort current, what the drives give is gain times measured current: the current is a
column, and its noise pulls the gain, and with it all masses, towards zero (errors in variables).
The torque that the estimate predicts, divided by the gain, is that column without its noise: in
the normal equations it takes the place of the current on the left (instrumental variables), and
the estimate is consistent again.

Source: A. Janot, P.-O. Vandanjon, M. Gautier, "A generic instrumental variable approach for
industrial robot identification", IEEE Transactions on Control Systems Technology 22, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout

# Number of an equation, and the place of its gain among the columns.
GainPlace = tuple[int, int]


def gain_places(
    layout: ParameterLayout, equations: Sequence[str], columns: Sequence[int]
) -> list[GainPlace]:
    """Where unknown gains are among some columns.

    Args:
        layout: of the columns.
        equations: names (r,); in power form one equation has all gains, and needs the efforts of
            all joints: there are no instruments for it.
        columns: of the layout.
    """
    if 'gain' not in layout.terms or len(equations) != len(layout.joints):
        return []
    places = {column: place for place, column in enumerate(columns)}
    return [
        (equation, places[column])
        for equation, column in enumerate(layout.columns('gain').tolist())
        if column in places and not layout.is_known[column]
    ]


def with_instruments(
    factors: Array, values: Array, places: Sequence[GainPlace], described: float = 0.0
) -> Array:
    """Equations whose columns of gains are without the noise of the measured effort.

    What an estimate leaves of an equation is that noise, times the gain. Least squares of the
    result have their minimum where the instruments find it: at these values, if they are that
    estimate.

    Args:
        factors: (r, m, c + 1) equations [Y | e] of each joint, or triangles of them.
        values: (c,) estimated ones.
        places: of the gains.
        described: what is to be added to the values of gains, where they are changes.
    """
    result = factors.copy()
    for equation, place in places:
        factor = factors[equation]
        left = factor[:, -1] - factor[:, :-1] @ values
        result[equation, :, place] += left / (described + values[place])
        result[equation, :, -1] += left
    return result
