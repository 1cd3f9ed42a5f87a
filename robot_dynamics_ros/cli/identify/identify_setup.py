"""What all tasks of an identification share, and what is known of each recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robot_dynamics_ros.comparison.compared_model import compared_model
from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification.judgement.fitted_part import FittedPart
from robot_dynamics_ros.identification.judgement.repeated_motion import PositionTrace
from robot_dynamics_ros.identification.judgement.survey import Survey
from robot_dynamics_ros.identification.parameters.joint_terms import USUAL, JointTerm
from robot_dynamics_ros.identification.parameters.load import Load
from robot_dynamics_ros.identification.parameters.parameter_layout import BODY, ParameterLayout
from robot_dynamics_ros.identification.regression.equation_options import Form
from robot_dynamics_ros.recordings.filtering.zero_phase import half_length
from robot_dynamics_ros.recordings.recording import WHOLE, Part
from robot_dynamics_ros.scheduling import once

from ..recording_options import RecordingOptions

# Samples of a halo, beside those of the filters.
HALO = 64


@dataclass(frozen=True)
class Equations:
    """What is estimated, and how its equations are made; plain data.

    Attributes:
        terms: of the joints.
        form: 'torque' or 'power'.
        loads: that the robot carries in some of the recordings.
        known: values of parameters by name.
        smoothing: of the friction by joint, see `ParameterLayout`.
        band: speed below which joints do not count [rad/s or m/s]; None: the usual ones.
    """

    terms: tuple[JointTerm, ...] = USUAL
    form: Form = 'torque'
    loads: tuple[Load, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)
    smoothing: tuple[float, ...] = ()
    band: float | None = None


@dataclass(frozen=True)
class Setup:
    """What all tasks share; plain data.

    Attributes:
        options: of the recordings.
        urdf: text of the URDF.
        joints: that were recorded.
        equations: what is estimated.
        levels: smallest and largest effort at which joints are saturated, by name [N m, N or A].
        unmeasured: joints whose effort the driver does not measure.
        still: joints that hardly move: nothing of their motion is fitted or judged.
    """

    options: RecordingOptions
    urdf: str
    joints: tuple[str, ...]
    equations: Equations
    levels: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()
    still: tuple[str, ...] = ()

    @property
    def model(self) -> RobotModel:
        """The robot whose joints that were not recorded are locked."""
        return recorded_model(self.urdf, self.joints)

    @property
    def locked(self) -> tuple[str, ...]:
        """Joints of the robot that were not recorded."""
        names = parse_urdf(self.urdf).joint_names
        return tuple(name for name in names if name not in self.joints)

    @property
    def carried(self) -> Array:
        """(10 b,) what is fixed to the bodies by joints that were not recorded."""
        whole = parse_urdf(self.urdf)
        own = dict(
            zip(
                (joint.name for joint in whole.joints),
                whole.inertial_parameters().reshape(-1, BODY),
                strict=True,
            )
        )
        bodies = self.model.inertial_parameters().reshape(-1, BODY)
        rest = [
            body - own[joint.name] for joint, body in zip(self.model.joints, bodies, strict=True)
        ]
        return np.concatenate(rest)

    @property
    def layout(self) -> ParameterLayout:
        """Of what is estimated."""
        one = self.equations
        return ParameterLayout(self.model, one.terms, one.loads, dict(one.known), one.smoothing)


@dataclass(frozen=True)
class Source:
    """One recording, or a part of it; plain data.

    Attributes:
        name: of the recording.
        files: that together are the recording.
        fitted: which of its samples are fitted.
        cutoffs: of the motions and of the equations [Hz].
        part: of the recording, see `open_recording`.
        interval: usual time between two samples [s].
        starts: of the segments of the whole recording [s].
        delay: of the efforts behind the states, by which they are shifted [s].
    """

    name: str
    files: tuple[Path, ...]
    fitted: FittedPart
    cutoffs: tuple[float, float]
    part: Part = WHOLE
    interval: float = 0.0
    starts: tuple[float, ...] = ()
    delay: float = 0.0

    @property
    def halo(self) -> float:
        """Time before and after a part from which its equations take samples [s]."""
        if self.part == WHOLE:
            return 0.0
        rate = 1.0 / self.interval
        samples = sum(half_length(cutoff, rate) for cutoff in self.cutoffs)
        # Beside the filters: the step between two equations, and cubics.
        return (2.0 * samples + HALO) * self.interval + abs(self.delay)


@dataclass(frozen=True)
class Surveyed:
    """What a first look at a recording has shown; plain data.

    Attributes:
        urdf: text of the URDF.
        joints: that were recorded, in the order of the model.
        topic: of the joint states.
        interval: usual time between two samples [s].
        cutoffs: of the motions and of the equations [Hz].
        survey: of its samples.
        trace: its positions.
        starts: of its segments [s].
        remark: on joints of the recording that the robot has not; empty without any.
    """

    urdf: str
    joints: tuple[str, ...]
    topic: str
    interval: float
    cutoffs: tuple[float, float]
    survey: Survey
    trace: PositionTrace
    starts: tuple[float, ...]
    remark: str = ''


@once
def recorded_model(urdf: str, joints: tuple[str, ...]) -> RobotModel:
    """The robot whose other joints are locked; once in a process."""
    return compared_model(parse_urdf(urdf), joints)


@once
def recorded_dynamics(urdf: str, joints: tuple[str, ...]) -> RobotDynamics:
    """Its dynamics, compiled once in a process."""
    return RobotDynamics(recorded_model(urdf, joints))
