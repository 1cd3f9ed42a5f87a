"""Base parameters: the combinations of bodies and rotors that act on the torques of a robot.

The columns of the regressor at random states are dependent exactly where they are at each state:
the diagonal of R is zero where a column depends on those before it (M. Gautier, "Numerical
calculation of the base inertial parameters of robots", 1991). The order is such that each body
keeps what the rules of Gautier and Khalil leave it ("Direct calculation of minimum set of inertial
parameters of serial robots", 1990).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.model.tree import Joint

# Above it, errors of the data grow by two orders of magnitude (Gautier, Khalil, "Exciting
# trajectories for the identification of base inertial parameters of robots", 1992: below 100).
MAX_CONDITION = 100.0
# Equations for each column, at random states.
EQUATIONS = 3
# Of the longest column: one without influence. Of its length: what is left of a dependent column;
# descriptions round angles to 1e-6, and so are coefficients.
NOTHING, DEPENDENT, ROUNDED = 1e-9, 1e-5, 1e-6
UNITS = ('kg', *('kg m',) * 3, *('kg m^2',) * 6)


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """beta = combination @ parameters, with Y pi = Y[:, columns] beta."""

    names: tuple[str, ...]  #: (p,) of the parameters of bodies and rotors
    units: tuple[str, ...]
    columns: tuple[int, ...]  #: (b,) independent ones, ascending
    combination: Array  #: (b, p), the identity in `columns`

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each (b,) as a sum, such as 'forearm Ixx - forearm Iyy + 0.16 hand m'."""
        sums = [
            ' '.join(
                f'{"-" if row[k] < 0.0 else "+"} '
                + f'{abs(row[k]):.4g} {self.names[k]}'.removeprefix('1 ')
                for k in np.flatnonzero(row)
            )
            for row in self.combination
        ]
        return tuple(f'-{text[2:]}' if text.startswith('- ') else text[2:] for text in sums)


def body_names(model: RobotModel) -> tuple[str, ...]:
    """The first link of each body."""
    first = {frame.body: frame.name for frame in reversed(model.frames)}
    return tuple(first[body] for body in range(len(model.joints)))


def base_parameters(dynamics: RobotDynamics, *, rotors: bool) -> BaseParameters:
    """Those of a robot under the gravity of the recordings; with rotors, or of bodies alone."""
    model = dynamics.model
    names = [f'{body} {one}' for body in body_names(model) for one in PARAMETERS]
    units = [*UNITS] * len(model.joints)
    # Preferred columns first, rotors last.
    ranks = [parameter in _regrouped(joint) for joint in model.joints for parameter in PARAMETERS]
    q, v, a = random_motion(model, EQUATIONS * (len(names) // model.size + 1))
    regressor = dynamics.regressor(q, v, a)
    if rotors:
        names += [f'{joint} armature' for joint in model.joint_names]
        units += ['kg' if slides else 'kg m^2' for slides in model.sliding]
        regressor = np.concatenate([regressor, a[..., None] * np.eye(model.size)], axis=2)
    whole = regressor.reshape(-1, len(names))
    lengths = np.linalg.norm(whole, axis=0)
    scaled = whole / np.where(lengths > NOTHING * lengths.max(), lengths, np.inf)
    order = np.argsort([*ranks, *[2] * (len(names) - len(ranks))], kind='stable')
    diagonal = np.diag(np.linalg.qr(scaled[:, order], mode='r'))
    columns = np.sort(order[np.abs(diagonal) > DEPENDENT])
    found = np.array(np.linalg.lstsq(scaled[:, columns], scaled, rcond=None)[0])
    found *= lengths / lengths[columns, None]
    found[np.abs(found) < ROUNDED] = 0.0
    found[:, columns] = np.eye(len(columns))
    return BaseParameters(tuple(names), tuple(units), tuple(columns.tolist()), found)


def random_motion(model: RobotModel, count: int) -> Array:
    """Random q, v, a (3, m, n), which do not follow from each other."""
    states = [(one.q, one.v, one.a) for one in random_states(model, count)]
    return np.array(states).swapaxes(0, 1)


def _regrouped(joint: Joint) -> set[str]:
    """Parameters of a body that act as parts of the parent body."""
    if joint.kind == 'prismatic':
        return {name for name in PARAMETERS if name.startswith('I')}
    axis = int(np.abs(joint.axis).argmax())
    across = 'xyz'[(axis + 2) % 3]
    return {'m', f'm{"xyz"[axis]}', f'I{across}{across}'}
