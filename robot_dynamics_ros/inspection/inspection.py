"""Facts about a robot: its loads and margins, what is implausible, what Pinocchio computes."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from robot_dynamics_ros.core.definiteness import check_mass_matrix
from robot_dynamics_ros.core.errors import InertiaError, OracleUnavailable
from robot_dynamics_ros.core.model.findings import Finding, Rule, Severity, listed
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import EvaluatedDynamics
from robot_dynamics_ros.oracle.report import Report

from .audit import FINDING_CODES, ORDER, audit, in_order
from .loads import GravityLoad, PayloadMargin, SampledPoses, gravity_loads, payload_margin

# What shows once torques are computed: problem, advice and severity.
RULES = {
    'no_moving_joint': Rule(
        'no joint of the robot moves: there are no torques to compute',
        'name a URDF with a revolute, continuous or prismatic joint',
    ),
    'no_effort_limit': Rule(
        'dynamics_node commands no joint without an effort limit',
        'give the limit that the hardware has, or set parameter effort_limits of the node',
    ),
    'gravity_exceeds_effort': Rule(
        'its joint cannot hold the arm at some poses',
        'check masses and effort limit, which know no springs; else keep out of these poses',
    ),
    'indefinite_mass_matrix': Rule(
        'the kinetic energy can be negative',
        'correct the inertials of this robot: torques for it make no sense',
        'error',
    ),
    'mesh_not_drawn': Rule(
        'a view lacks a mesh, which cannot be used',
        'make its file available; nothing else needs meshes',
        'info',
    ),
    'disagreement': Rule(
        'Pinocchio computes other values',
        'look for numbers that differ in magnitude by far, and report the file as a defect',
        'error',
    ),
    'not_compared': Rule('Pinocchio refuses the robot: nothing is compared', 'correct the URDF'),
    'other_reading': Rule(
        'urdfdom and Pinocchio read another robot from this file, or none',
        'write what they name as they expect it; this package computes what the file says',
    ),
}
found = partial(Finding.of, rules=RULES)
CODES = {**FINDING_CODES, **{code: rule.problem for code, rule in RULES.items()}}
# Share of the poses beyond which the arm cannot do its work; below, some poses are out of reach.
MAX_SHARE = 0.5
# States at which M is examined and Pinocchio compared: another description differs at each.
STATES = 5


@dataclass(frozen=True)
class Inspection:
    """Everything that `robot_dynamics inspect` says of a robot."""

    model: RobotModel  #: the robot
    poses: SampledPoses  #: over which the worst was looked for; the first counts as zero
    loads: dict[str, GravityLoad]  #: gravity torque of each joint by name, in the order of q
    margin: PayloadMargin | None  #: of a link; None if none was asked for
    findings: tuple[Finding, ...]  #: those of severity error first

    @property
    def moving_mass(self) -> float:
        """Of all that is not fixed to the base [kg]."""
        return float(sum(joint.inertia.mass for joint in self.model.joints))

    def as_json(self) -> dict[str, Any]:
        """The content of --json; numbers that are not finite stand for no limit."""
        return {
            'robot': self.model.name,
            'root': self.model.frames[0].name,
            'mass': self.model.mass,
            'moving_mass': self.moving_mass,
            'reach': self.model.reach,
            'joints': [*map(self._joint, range(len(self.model.joints)))],
            'poses': len(self.poses.q),
            'zero': self.poses.q[0],
            'gravity': {name: asdict(load) for name, load in self.loads.items()},
            'payload_margin': self.margin and asdict(self.margin),
            'findings': [asdict(finding) for finding in self.findings],
        }

    def _joint(self, index: int) -> dict[str, Any]:
        model, joint = self.model, self.model.joints[index]
        return {
            'name': joint.name,
            'type': joint.kind,
            'parent': model.joints[joint.parent].name if joint.parent >= 0 else None,
            'mimics': joint.mimicked,
            'axis': joint.axis,
            **asdict(joint.limits),
            'links': [frame.name for frame in model.frames if frame.body == index],
            'mass': joint.inertia.mass,
            'center_of_mass': joint.inertia.center_of_mass,
        }


@dataclass(frozen=True)
class Validation:
    """What a robot was found to be."""

    robot: str  #: its name
    joints: int  #: number of independent joints
    mass: float  #: of all links [kg]
    findings: tuple[Finding, ...]  #: those of severity error first
    report: Report | None  #: of the comparison with Pinocchio; None where nothing was compared

    def failures(self, *, strict: bool) -> tuple[Finding, ...]:
        """The findings for which the robot fails: errors, with `strict` warnings too."""
        failing = ORDER[:2] if strict else ORDER[:1]
        return tuple(finding for finding in self.findings if finding.severity in failing)


def inspect_robot(
    model: RobotModel,
    frame: str | None = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    urdf: str = '',
) -> Inspection:
    """Look at a robot.

    Args:
        model: the robot.
        frame: link whose payload margin to give.
        gravity: (3,) in the axes of the root link [m/s^2].
        urdf: text of the description, see `audit`.
    """
    # What overflows shows as a value that is not finite.
    with np.errstate(all='ignore'):
        poses = SampledPoses.of(model, gravity=tuple(gravity))
        margin = None if frame is None else payload_margin(poses, frame)
        loads, findings = gravity_loads(poses), in_order(_of_the_robot(poses, urdf))
    return Inspection(model, poses, loads, margin, findings)


def validate_robot(
    model: RobotModel,
    urdf: str,
    ignored: Collection[str] = (),
    massless_joints: Collection[str] = (),
) -> Validation:
    """Examine a robot, and compare it with Pinocchio, which reads its text `urdf` by itself.

    Findings of the codes `ignored` are left out; massless joints move no mass on purpose.
    """
    with np.errstate(all='ignore'):
        report, compared = _agreement(model, urdf)
        findings = [*_of_the_robot(SampledPoses.of(model), urdf, massless_joints), *compared]
    kept = in_order(finding for finding in findings if finding.code not in ignored)
    return Validation(model.name, model.size, model.mass, kept, report)


def pinocchio_is_installed() -> bool:
    """Whether robots can be compared."""
    return importlib.util.find_spec('pinocchio') is not None


def _of_the_robot(
    poses: SampledPoses, urdf: str, massless_joints: Collection[str] = ()
) -> Iterator[Finding]:
    """Findings of the description, and of what it gives."""
    model, root = poses.model, poses.model.frames[0].name
    yield from audit(model, urdf, massless_joints)
    if not model.size:
        yield found('no_moving_joint', root, f'{len(model.frames)} links')
        return
    yield from _beyond_limits(poses)
    try:
        check_mass_matrix(model, EvaluatedDynamics(model).mass_matrix, STATES)
    except InertiaError as error:
        yield found('indefinite_mass_matrix', root, str(error))
    # A limit up to 0 is a finding of the audit.
    unlimited = tuple(compress(model.joint_names, np.isposinf(model.effort_limits)))
    if unlimited:
        yield found('no_effort_limit', root, listed(unlimited), unlimited)


def _beyond_limits(poses: SampledPoses) -> Iterator[Finding]:
    """Findings about joints whose gravity torque is above the effort limit."""
    model = poses.model
    never_held = poses.never_held(model.effort_bounds)
    for index, (name, load) in enumerate(gravity_loads(poses).items()):
        if not load.beyond:
            continue
        body = [joint.name for joint in model.joints].index(name)
        value = (
            f'{name} at {load.beyond:.0%} of {len(poses.q)} poses: up to {abs(load.worst):.3g}, '
            f'effort limit {load.limit:.3g} {model.effort_units[index]}'
        )
        severity: Severity = 'warning' if load.beyond > MAX_SHARE else 'info'
        if index == never_held:
            value, severity = f'{value}; the arm is held at no pose', 'error'
        yield found('gravity_exceeds_effort', model.first_link(body), value, (name,), severity)


def _agreement(model: RobotModel, urdf: str) -> tuple[Report | None, list[Finding]]:
    """Compare tau, g, bias, M and C with Pinocchio's at random states within the limits."""
    if not pinocchio_is_installed() or not model.size:
        return None, []
    # Optional, and slow to import.
    from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference, other_reading

    root = model.frames[0].name
    try:
        reference = PinocchioReference(urdf, model)
    except OracleUnavailable as error:
        return None, [found('not_compared', root, ' '.join(str(error).split()))]
    report = reference.compare(EvaluatedDynamics(model), random_states(model, STATES))
    findings = [] if report.agrees else [found('disagreement', root, str(report))]
    if said := other_reading(urdf):
        findings.append(found('other_reading', root, said))
    return report, findings
