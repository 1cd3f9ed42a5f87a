"""How rows are made of recordings of a robot, and how the robot is fitted to rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression import regressors
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit
from robot_dynamics_ros.regression.rows import (
    MAX_ROWS,
    Flags,
    Places,
    Rows,
    make_rows,
    motions_cutoff,
)

from .friction_law import ALWAYS, Friction, Law, chosen_laws, friction_terms
from .payload import plausible_payload

Opens = Callable[[], Recording]
# Called with the name of a recording, the number of its states, and 'states'; gives a function
# that takes the number of those that were read since the last call.
Progress = Callable[[str, int | None, str], AbstractContextManager[Callable[[int], object]]]
# Of the effort limit: from there on a drive may be saturated. Of the cutoff of motions: products
# of their signals have up to twice that frequency.
SATURATED, OVERSAMPLING = 0.98, 4.0
# Rows of a joint below which nothing of it is fitted, or said of it; and blocks of time, each of
# which is predicted by the others.
MIN_ROWS, BLOCKS = 20, 4


class Source(NamedTuple):
    """What reads a recording; its files, and its comparison with the URDF."""

    name: str
    opens: Opens
    files: str
    compared: Compared
    held_out: bool


def opener(given: Recording | Opens) -> Opens:
    """What opens a recording, which may be read already."""
    return (lambda: given) if isinstance(given, Recording) else given


class Load(NamedTuple):
    """A body of known mass [kg] on a link in one recording; its term is what else is open."""

    link: str
    mass: float
    recording: str
    term: str


class FittedRobot(NamedTuple):
    """A robot that explains rows best, with the laws of friction of its joints."""

    fitted: Fit
    laws: tuple[Law, ...]


@dataclass(frozen=True)
class RecordedRobot:
    """A robot in recordings, whose joints that were not recorded are locked."""

    dynamics: RobotDynamics
    friction: Friction
    rotors: bool  #: whether they act on the efforts
    scales: Array  #: (n,) torque of an effort, as far as it is known [-, N m/A or N/A]
    gains: Flags  #: (n,) joints whose scale is estimated
    measured: Flags  #: (n,) joints whose driver measures the effort
    loads: Sequence[Load] = ()
    delay: float = 0.0  #: of the efforts behind the states [s]
    progress: Progress = lambda what, total, unit: nullcontext(lambda done: None)

    @property
    def model(self) -> RobotModel:
        """The robot."""
        return self.dynamics.model

    def rows(self, sources: Sequence[Source]) -> RecordedRows:
        """The rows of recordings, one after another."""
        cutoff = min(one.compared.cutoff for one in sources)
        parts, counts = [], np.zeros((2, self.model.size))
        for source in sources:
            recording, carrying = source.opens(), self.dynamics
            recording.judge_efforts(self.model)
            for one in self.loads:
                if one.recording == source.name:
                    model = carrying.model.with_payload(one.link, one.mass, name=one.term)
                    carrying = RobotDynamics(model, gravity=carrying.gravity)
            with self.progress(source.name, recording.size, 'states') as advance:
                motions = self.segments(recording, cutoff)
                rows = make_rows(
                    carrying,
                    self.terms,
                    [self._prepared(one, counts) for one in motions],
                    absent={one.term for one in self.loads if one.recording != source.name},
                    cutoff=cutoff,
                )
                advance(recording.size or 0)
            parts.append(rows)
        step = math.ceil(sum(len(one.times) for one in parts) / MAX_ROWS) or 1
        parts = [one.part(slice(None, None, step)) for one in parts]
        return RecordedRows(self, sources, parts, counts[0] / np.maximum(counts[1], 1.0), cutoff)

    def segments(self, recording: Recording, cutoff: float) -> Iterator[Motion]:
        """Motions of the joints, at a lower rate where that has all which they hold."""
        for motion in recording.motions(cutoff=motions_cutoff(cutoff, 1.0 / recording.interval)):
            yield motion.of(self.model.joint_names).decimated(OVERSAMPLING)

    def fit(self, rows: Rows) -> FittedRobot:
        """Bodies, rotors, and the law of each joint, which is chosen from the whole basis."""
        laws = chosen_laws(rows, self.whole(rows), self.friction)
        free = np.array([[name in {*law, *ALWAYS} for name in rows.own_names] for law in laws])
        return FittedRobot(self.whole(rows, free=free), laws)

    def whole(
        self, rows: Rows, *, free: Flags | bool = True, bounded: bool = True, delay: float = 0.0
    ) -> Fit:
        """A fit with the whole basis of friction, or with the terms (n, k) that are free.

        Without bounds nothing is assumed: intervals are those of such a fit. The prior of a
        further delay has a standard deviation [s].
        """
        gains = np.array([name != 'gain' for name in rows.own_names]) | self.gains[:, None]
        loads = {one.term: partial(_of_known_mass, one.mass) for one in self.loads}
        return Fit(
            rows,
            # The rows do not have the rotors of the URDF any more.
            given={'armature': of_joints(self.model, 'armature')},
            prior={'delay': partial(np.full_like, fill_value=delay), **loads},
            bodies=LogCholesky(self.model),
            free=gains & free,
            bounded=bounded,
        )

    @cached_property
    def terms(self) -> list[regressors.Regressor]:
        """The regressors of rows."""
        return [
            *(regressors.BODIES, regressors.DELAY),
            *(regressors.payload_on(self.model, one.link, one.term) for one in self.loads),
            *([regressors.ARMATURE] if self.rotors else []),
            *friction_terms(self.friction),
            *([regressors.GAIN] if self.gains.any() else []),
        ]

    def _prepared(self, motion: Motion, counts: Array) -> Motion:
        """With torques for efforts, at the time of their states; counts (2, n) saturated ones."""
        efforts = np.where(self.measured, motion.efforts * self.scales, np.nan)
        if not self.gains.any():
            beyond = np.abs(efforts) >= SATURATED * self.model.effort_limits
            counts += np.array([beyond.sum(axis=0), np.isfinite(efforts).sum(axis=0)])
            efforts = np.where(beyond, np.nan, efforts)
        if self.delay:
            at = partial(np.interp, motion.times + self.delay, motion.times)
            efforts = np.transpose([at(one, left=np.nan, right=np.nan) for one in efforts.T])
        return replace(motion, efforts=efforts)


def of_joints(model: RobotModel, name: str) -> Array:
    """A value (n,) that the URDF has of the independent joints."""
    return np.array([getattr(one, name) for one in model.independent_joints])


def _of_known_mass(mass: float, change: Array) -> Array:
    """Standard deviations (10,) of what the mass of a load does not say of it."""
    return np.append(0.0, plausible_payload(np.append(mass, change[1:]))[1:])


@dataclass(frozen=True, eq=False)
class RecordedRows:
    """Rows of recordings."""

    robot: RecordedRobot
    sources: Sequence[Source]
    parts: Sequence[Rows]  #: of each
    saturated: Array  #: (n,) share of the samples with efforts near the limit, which are left out
    cutoff: float  #: [Hz]

    @cached_property
    def whole(self) -> Rows:
        """The rows of all recordings, without joints of which there are too few."""
        rows = Rows.joined(self.parts)
        enough = rows.used.sum(axis=0) >= MIN_ROWS
        return replace(rows, used=rows.used & enough, moving=rows.moving & enough)

    def scaled(self, factors: Array) -> RecordedRows:
        """With efforts times factors (n,)."""
        parts, robot = [], replace(self.robot, scales=self.robot.scales * factors)
        for one in self.parts:
            shared, torque = one.shared.copy(), factors * (one.rigid + one.torque) - one.rigid
            shared[..., one.places('delay')] *= factors[:, None]
            parts.append(replace(one, shared=shared, torque=torque))
        return replace(self, robot=robot, parts=parts)

    @cached_property
    def blocks(self) -> Places:
        """(N,) which of `BLOCKS` blocks of time a row is of; where some are held out, 0, or -1."""
        lengths = [len(part.times) for part in self.parts]
        held = np.repeat([one.held_out for one in self.sources], lengths)
        if held.any():
            return np.where(held, 0, -1)
        return np.arange(len(held)) * BLOCKS // max(1, len(held))
