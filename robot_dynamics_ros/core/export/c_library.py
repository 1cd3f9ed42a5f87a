"""The C ABI of a dynamics library, which `robot_dynamics_controller` loads at run time.

`HEADER` is the only source of the ABI: `python -m scripts.transitions` writes it into the
controller.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..algorithms.friction import SLIPS, TERMS
from ..compiler.program import Program, evaluate
from ..errors import ParameterError
from ..friction import JointFriction, dead_bands
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..model.sampling import random_states
from .c_code import string, table
from .c_package import OWN
from .c_sources import LARGEST, ExportedRobot

# In the table of functions; that of friction only where the robot has some.
FUNCTIONS = ('gravity_torque', 'inverse_dynamics', 'torque_terms', 'mass_matrix')
FRICTION = 'friction_step'
TURN = 2.0 * math.pi
ABI_HEADER = 'robot_dynamics_library.h'
HEADER = """\
/* C ABI of a dynamics library, written by robot_dynamics export-c --library.
 *
 * Vectors have one entry for each joint, in the order of joint_names, matrices are stored row by
 * row, all in SI units. A function returns 0 if it has written its result; its inputs must be
 * finite. Functions take no memory and may run in any number of threads. */
#ifndef ROBOT_DYNAMICS_LIBRARY_H
#define ROBOT_DYNAMICS_LIBRARY_H

/* Changes with every change of the structure. */
#define ROBOT_DYNAMICS_ABI 2
/* The only symbol of a library: a structure, as below. */
#define ROBOT_DYNAMICS_SYMBOL "robot_dynamics_library"

struct robot_dynamics_library
{
    int abi;   /* ROBOT_DYNAMICS_ABI, and the size of this structure, where it was compiled */
    int bytes;
    const char *name;
    const char *description;        /* SHA-256 of the text of the URDF; "" if it is not known */
    int size;                       /* number of joints */
    const char *const *joint_names; /* UTF-8 */
    const double *effort_limits;    /* [N m or N]; DBL_MAX where the description has none */
    const double *velocity_limits;  /* [rad/s or m/s]; DBL_MAX as above */
    const double *rotors;           /* inertia before the gear [kg m^2 or kg] */
    const double *rest_speeds;      /* below these a joint may stick [rad/s or m/s] */
    const double *turns;            /* 2 pi for a continuous joint, else 0 [rad] */

    /* gravity (x, y, z) in the axes of the root link [m/s^2]. */
    int (*gravity_torque)(const double *q, const double *gravity, double *g);
    int (*inverse_dynamics)(const double *q, const double *v, const double *a,
                            const double *gravity, double *tau);
    /* Rows g(q), C(q, v) v and M(q) a. */
    int (*torque_terms)(const double *q, const double *v, const double *a, const double *gravity,
                        double *rows);
    int (*mass_matrix)(const double *q, double *M);

    /* Rows: the torque that overcomes friction, and two states of pre-sliding, which are slip of
     * the next step; load: the torques that the joints transmit; travel: the way since the step
     * before. NULL, as the next five, where the robot has no friction. */
    int (*friction_step)(const double *v, const double *load, const double *travel,
                         const double *friction, const double *slip, double *rows);
    const double *friction;
    const double *friction_fed_back; /* what of it may be compensated at a measured velocity */
    const double *friction_speeds;   /* largest speeds at which friction is known [rad/s or m/s] */
    const double *torque_offsets;    /* constant torques of the drives [N m or N] */

    /* A state q, v, a with gravity, and its torque_terms; friction_step there, with M a + C v + g
     * as load, no travel and no slip. */
    const double *recorded_q, *recorded_v, *recorded_a, *recorded_gravity, *recorded_terms;
    const double *recorded_friction;
};

#endif
"""
SOURCE = """\
/* The dynamics library of {package}, see {abi_header}. */
#include <stddef.h>

#include <{package}/{package}.h>

#include "{abi_header}"

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

{tables}

extern EXPORTED const struct robot_dynamics_library robot_dynamics_library;
const struct robot_dynamics_library robot_dynamics_library = {{
    ROBOT_DYNAMICS_ABI, (int)sizeof(struct robot_dynamics_library),
    {name},
    "{urdf_hash}",
    {macro}_SIZE, {prefix}_joint_names, {prefix}_effort_limits,
    velocity_limits, rotors, rest_speeds, turns,
    {functions},
    recorded_q, recorded_v, recorded_a, recorded_gravity, recorded_terms, {recorded_friction}
}};
"""
CMAKE = """
# What robot_dynamics_controller loads, with dynamics_library: {package}/{prefix}.
add_library({prefix}_library MODULE src/{package}.c src/{prefix}_library.c)
set_target_properties({prefix}_library PROPERTIES
  PREFIX "" SUFFIX ".so" OUTPUT_NAME {prefix} C_STANDARD 99 C_STANDARD_REQUIRED ON
  C_VISIBILITY_PRESET hidden)
target_include_directories({prefix}_library PRIVATE include)
target_compile_options({prefix}_library PRIVATE
  $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)
if(UNIX AND NOT APPLE)
  target_link_options({prefix}_library PRIVATE -Wl,--exclude-libs,ALL)
endif()
install(TARGETS {prefix}_library LIBRARY DESTINATION lib/{package})
"""


def with_friction(friction: JointFriction, offsets: npt.ArrayLike) -> bool:
    """Whether some joint has friction, or a constant torque."""
    return any(friction[term].any() for term in TERMS) or bool(np.any(offsets))


def library_files(
    robot: ExportedRobot, friction: JointFriction, offsets: Sequence[float]
) -> dict[str, str]:
    """Texts of what is compiled, beside the package, to the dynamics library.

    Args:
        robot: with the programs of `FUNCTIONS`, and that of `FRICTION` where it has some.
        friction: of its joints.
        offsets: (n,) constant torques of the drives [N m or N].

    Raises:
        ParameterError: friction is of other joints, or there is not one finite offset for each.
    """
    model, programs = robot.model, {program.name: program for program in robot.programs}
    if friction.names != (names := tuple(joint.name for joint in model.joints)):
        raise ParameterError(f'friction is of joints {friction.names}, the robot has {names}')
    if len(offsets) != model.size or not np.isfinite(offsets).all():
        raise ParameterError(f'offsets are {offsets}: {model.size} finite numbers are needed')
    bands = dead_bands(model)
    values = {
        'velocity_limits': np.minimum(model.velocity_bounds, LARGEST).tolist(),
        'rotors': friction.rotors.tolist(),
        'rest_speeds': bands.tolist(),
        'turns': [TURN * (joint.kind == 'continuous') for joint in model.independent_joints],
    }
    functions = [f'{robot.prefix}_{name}' for name in FUNCTIONS]
    rubs = FRICTION in programs
    if rubs:
        given = {
            'friction': friction.coefficients.tolist(),
            'friction_fed_back': friction.fed_back(1.0).tolist(),
            'friction_speeds': np.minimum(friction.speed_range, LARGEST).tolist(),
            'torque_offsets': list(offsets),
        }
        values |= given
        functions += [f'{robot.prefix}_{FRICTION}', *given]
    else:
        functions += ['NULL'] * 5
    recorded = dict(_recorded(model, programs, friction))
    tables = [
        table(f'static const double {name}[{len(row)}]', row)
        for name, row in {**values, **recorded}.items()
    ]
    source = SOURCE.format(
        package=robot.package,
        abi_header=ABI_HEADER,
        tables='\n'.join(tables),
        name=string(model.name),
        urdf_hash=robot.urdf_hash,
        macro=robot.macro,
        prefix=robot.prefix,
        functions=',\n    '.join(functions),
        recorded_friction='recorded_friction' if rubs else 'NULL',
    )
    return {f'src/{ABI_HEADER}': HEADER, f'src/{robot.prefix}_library.c': source}


def library_cmake(robot: ExportedRobot) -> str:
    """The end of `CMakeLists.txt` that builds and installs the library."""
    return CMAKE.format(package=robot.package, prefix=robot.prefix)


def _recorded(
    model: RobotModel, programs: dict[str, Program], friction: JointFriction
) -> Iterator[tuple[str, list[float]]]:
    (state,) = random_states(model, 1)
    inputs = {name: getattr(state, name).tolist() for name in 'qva'}
    inputs['gravity'] = np.array(STANDARD_GRAVITY).tolist()
    yield from ((f'recorded_{name}', values) for name, values in inputs.items())
    terms, _ = evaluate(programs['torque_terms'], inputs, OWN)
    yield 'recorded_terms', terms
    if FRICTION in programs:
        given = {
            'v': inputs['v'],
            'load': np.reshape(terms, (3, -1)).sum(axis=0).tolist(),
            'travel': [0.0] * model.size,
            'friction': friction.coefficients.tolist(),
            'slip': [0.0] * (SLIPS * model.size),
        }
        yield 'recorded_friction', evaluate(programs[FRICTION], given, OWN)[0][: model.size]
