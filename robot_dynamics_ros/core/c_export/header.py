"""The header of an export: what the functions compute, in which units, order and frames."""

from __future__ import annotations

from ..model.robot import RobotModel
from ..quantity import INPUTS
from .c_text import comment, in_comment
from .descriptions import input_text
from .exported_robot import ExportedQuantity, ExportedRobot, version
from .identifiers import MARK
from .program_code import RESULT, prototype

# Constant tables with one entry for each joint, and what they hold.
TABLES = {
    'lower': 'smallest positions [rad or m]',
    'upper': 'largest positions [rad or m]',
    'velocity_limits': 'largest speeds [rad/s or m/s]',
    'effort_limits': 'largest torques or forces [N m or N]',
}
TEXT = """\
{introduction}
#ifndef {macro}_DYNAMICS_H
#define {macro}_DYNAMICS_H

/* The same in all files of one export. */
#define {macro}_EXPORT {mark}
/* Number of joints, and of entries of q, v, a and tau. */
#define {macro}_SIZE {size}
{input_sizes}
/* A function returns this if it has written its result. */
#define {macro}_DONE 0
/* An angle that the result depends on is {refused}; nothing is written. */
#define {macro}_ANGLE_OUT_OF_RANGE (-1)

#ifdef __cplusplus
extern "C" {{
#endif

/* Names of the joints (UTF-8) in the order of every vector. */
extern const char *const {prefix}_joint_names[{macro}_SIZE];
/* What the description allows, one entry for each joint; where it says nothing DBL_MAX,
 * in lower -DBL_MAX. */
{tables}
/* Of Earth, in the axes of a root link that stands upright [m/s^2]. */
extern const double {prefix}_standard_gravity[3];

{functions}

#ifdef __cplusplus
}}
#endif

#endif
"""


def header(robot: ExportedRobot) -> str:
    """Text of `<package>.h`, for C99 and C++."""
    names = robot.names
    sizes = [
        f'#define {names.macro}_{name.upper()}_SIZE {size}'
        for name, size in robot.inputs.items()
        if INPUTS[name].labels(robot.model) != robot.model.joint_names
    ]
    tables = [
        f'/* {text} */\nextern const double {names.prefix}_{name}[{names.macro}_SIZE];'
        for name, text in TABLES.items()
    ]
    return TEXT.format(
        introduction=comment(_introduction(robot)),
        macro=names.macro,
        mark=MARK,
        prefix=names.prefix,
        size=robot.model.size,
        input_sizes='\n'.join(['/* Numbers of entries of the other inputs. */', *sizes, ''])
        if sizes
        else '',
        refused='not finite, or not below 2^30 rad' if robot.own_sincos else 'not finite',
        tables='\n'.join(tables),
        functions='\n\n'.join(_declaration(robot, quantity) for quantity in robot.quantities),
    )


def _introduction(robot: ExportedRobot) -> list[str]:
    model, macro = robot.model, robot.names.macro
    joints = [
        f'   {index:3} {joint.kind:10} {in_comment(joint.name)}'
        for index, joint in enumerate(model.independent_joints)
    ]
    payloads = [
        f'Payload "{in_comment(payload.name)}" on link "{in_comment(payload.frame)}", '
        f'{payload.mass:g} kg, is included.'
        for payload in model.payloads
    ]
    carrier = model.joints[robot.payload_body].name if robot.payload_body is not None else ''
    payload_joint = in_comment(carrier)
    sines = (
        'Sine and cosine are computed here: no other function is needed, and the code is '
        'freestanding.'
        if robot.own_sincos
        else 'It needs sin and cos of math.h, and no other function.'
    )
    return [
        f'Dynamics of the robot "{in_comment(model.name)}", in C99.',
        '',
        f'Written by robot_dynamics_ros {version()}, robot_dynamics export-c. Do not edit it: '
        'export again.',
        f'SHA-256 of the URDF: {robot.urdf_hash or "not known"}',
        '',
        'SI units: rad, m, s, kg, N, N m. Vectors have one entry for each joint, in this order:',
        '\n'.join(joints),
        *_mimic_joints(model),
        'Joints of the URDF that are not named here are fixed, or were locked before the export; '
        'the SHA-256 is that of the whole URDF.',
        'Signs are those of the joint axes of the URDF. Matrices are row-major, without gaps.',
        *(
            f'{name} ({size}): {input_text(name, payload_joint=payload_joint)}.'
            for name, size in robot.inputs.items()
        ),
        *payloads,
        '',
        f'A function returns {macro}_DONE (0) and has then written its whole result; any other '
        'value says why it has written nothing. The result must not overlap an input.',
        '',
        'Check before the call that every input is finite: the functions check the angles that '
        'the result depends on, and the conditions that are named below, and nothing else. A '
        'finite result does not show that the inputs were finite: what does not depend on an '
        'input stays finite where that input is NaN. Finite inputs that are too large can give '
        'results that are not finite.',
        '',
        'The functions take no memory but the stack, keep nothing between calls, and may run in '
        f'any number of threads at once. {sines} Do not compile with -ffast-math: NaN must stay '
        'visible.',
    ]


def _mimic_joints(model: RobotModel) -> list[str]:
    """A paragraph about the joints that have no entry because they follow others; or none."""
    followers = [
        f'"{in_comment(joint.name)}" = {joint.coordinate.multiplier:g} '
        f'"{in_comment(joint.mimicked)}" + {joint.coordinate.offset:g}'
        for joint in model.joints
        if joint.mimicked is not None
    ]
    if not followers:
        return []
    return [
        f'Mimic joints have no entry: {", ".join(followers)}. Torques and inertias of the joint '
        'that they follow include theirs.'
    ]


def _declaration(robot: ExportedRobot, quantity: ExportedQuantity) -> str:
    program = quantity.program
    conditions = [
        f'Returns {number}: {in_comment(reason)}.'
        for number, (_, reason) in enumerate(program.conditions, start=1)
    ]
    text = comment([f'{RESULT}: {quantity.text}', *conditions])
    return f'{text}\n{prototype(program, robot.names)};'
