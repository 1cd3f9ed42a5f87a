"""The C ABI of a dynamics library, which `robot_dynamics_controller` loads at run time.

`templates/robot_dynamics_library.h.in` is the only source of the ABI: `python -m
scripts.transitions` writes it into the controller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..algorithms.friction import SLIPS, TERMS
from ..checks import Array
from ..compiler.program import evaluate
from ..errors import ParameterError
from ..friction import JointFriction, dead_bands
from ..model.gravity import STANDARD_GRAVITY
from ..model.sampling import random_states
from .c_code import filled, string, table
from .c_package import LARGEST, OWN, ExportedRobot

# In the table of functions; that of friction only where the robot has some.
FUNCTIONS = ('gravity_torque', 'inverse_dynamics', 'torque_terms', 'mass_matrix')
FRICTION = 'friction_step'
ABI_HEADER = 'robot_dynamics_library.h'


def with_friction(friction: JointFriction, offsets: npt.ArrayLike) -> bool:
    """Whether some joint has friction, or a constant torque."""
    return any(friction[term].any() for term in TERMS) or bool(np.any(offsets))


def library_files(
    robot: ExportedRobot, friction: JointFriction, offsets: Sequence[float]
) -> dict[str, str]:
    """Texts of what is compiled, beside the package, to the dynamics library.

    The last one is the end of `CMakeLists.txt`, which builds and installs it.

    Args:
        robot: with the programs of `FUNCTIONS`, and that of `FRICTION` where it has some.
        friction: of its joints.
        offsets: (n,) constant torques of the drives [N m or N].

    Raises:
        ParameterError: friction is of other joints, or there is not one finite offset for each.
    """
    model = robot.model
    programs = {each.program.name: each.program for each in robot.functions}
    if friction.names != (names := tuple(joint.name for joint in model.joints)):
        raise ParameterError(f'friction is of joints {friction.names}, the robot has {names}')
    if len(offsets) != model.size or not np.isfinite(offsets).all():
        raise ParameterError(f'offsets are {offsets}: {model.size} finite numbers are needed')
    functions, coefficients = list(FUNCTIONS), {}
    if FRICTION in programs:
        functions.append(FRICTION)
        coefficients = {
            'friction': friction.coefficients,
            'friction_fed_back': friction.fed_back(1.0),
            'friction_speeds': np.minimum(friction.speed_range, LARGEST),
            'torque_offsets': offsets,
        }
    (state,) = random_states(model, 1)
    inputs = {'q': state.q, 'v': state.v, 'a': state.a, 'gravity': np.array(STANDARD_GRAVITY)}

    def computed(name: str, given: dict[str, Array]) -> Array:
        lists = {name: np.asarray(values).tolist() for name, values in given.items()}
        return np.array(evaluate(programs[name], lists, OWN)[0])

    recorded = {**inputs, 'terms': computed('torque_terms', inputs)}
    if coefficients:
        nothing = np.zeros((SLIPS, model.size))
        load = sum(recorded['terms'].reshape(3, -1))
        step = {'v': state.v, 'load': load, 'travel': nothing[0]}
        step |= {'friction': friction.coefficients, 'slip': nothing.ravel()}
        recorded['friction'] = computed(FRICTION, step)[: model.size]
    tables = {
        'velocity_limits': np.minimum(model.velocity_bounds, LARGEST),
        'rotors': friction.rotors,
        'rest_speeds': dead_bands(model),
        'turns': [
            2.0 * math.pi * (joint.kind == 'continuous') for joint in model.independent_joints
        ],
        **coefficients,
        **{f'recorded_{name}': values for name, values in recorded.items()},
    }
    addresses = [*(f'{robot.prefix}_{name}' for name in functions), *coefficients]
    values = {
        'package': robot.package,
        'prefix': robot.prefix,
        'macro': robot.prefix.upper(),
        'library_tables': '\n'.join(
            table(f'static const double {name}', np.asarray(row).tolist())
            for name, row in tables.items()
        ),
        'robot_name': string(model.name),
        'urdf_hash': robot.urdf_hash,
        'library_functions': ',\n    '.join(
            addresses if coefficients else addresses + ['NULL'] * 5
        ),
        'recorded_friction': 'recorded_friction' if coefficients else 'NULL',
    }
    return {
        f'src/{ABI_HEADER}': filled(ABI_HEADER, {}),
        f'src/{robot.prefix}_library.c': filled('library.c', values),
        'CMakeLists.txt': filled('library.cmake', values),
    }
