"""From motions to equations, as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotDynamics

from ..parameters.parameter_layout import ParameterLayout
from .columns import Columns, Samples
from .equation_options import EquationOptions
from .equations import EquationBlock
from .parallel_filter import ParallelFilter
from .power_form import PowerForm
from .torque_form import TorqueForm
from .unusable_samples import UnusableSamples

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings import Motion

# Samples whose columns are computed together.
TOGETHER = 1024
OF_SAMPLES = ('times', 'positions', 'velocities', 'accelerations', 'efforts')


class MotionEquations:
    """Makes equations of motions; the regressor is compiled once.

    Attributes:
        layout: of the parameters.
        options: how equations are made.
    """

    def __init__(
        self,
        layout: ParameterLayout,
        options: EquationOptions | None = None,
        dynamics: RobotDynamics | None = None,
    ) -> None:
        """Choose the form.

        Args:
            layout: of the parameters.
            options: how equations are made; None for the usual.
            dynamics: of the model of the layout, where its regressor is compiled; None: compile.

        Raises:
            UnknownNameError: an option names a joint that the robot does not have.
        """
        self.layout, self.options = layout, options or EquationOptions()
        dynamics = dynamics or RobotDynamics(layout.model)
        dynamics = dynamics.with_gravity(self.options.gravity)
        form = PowerForm if self.options.form == 'power' else TorqueForm
        self._form = form(layout, dynamics)
        self._unusable = UnusableSamples(layout, self.options)
        self._known = np.flatnonzero(layout.is_known)
        self._values = layout.nominal()[self._known]

    def of_motions(
        self, motions: Iterable[Motion], recording: str = ''
    ) -> Iterator[EquationBlock]:
        """Filtered and decimated equations of one recording; only a part of them is in memory.

        Args:
            motions: in their order; joints that the model does not have do not matter.
            recording: its name, by which `Load.periods` refers to it.

        Raises:
            ParameterError: a motion has not all joints of the model.
        """
        carried: Columns | None = None
        parallel: ParallelFilter | None = None
        # Samples before the first one that the next equation needs.
        skipped = 0
        for motion in motions:
            if parallel is None or motion.begins:
                parallel = self._filter(motion.rate, motion.cutoff)
                # Equations lie at multiples of the step, from the beginning of the segment on.
                carried, skipped = None, -motion.number % parallel.step
            for part in _parts(_in_order(motion, self.layout.joints)):
                new = self.columns(part, recording)
                columns = new if carried is None else carried.followed_by(new)
                columns, skipped = columns.after(skipped), max(0, skipped - len(columns))
                count = parallel.results(len(columns))
                if count:
                    yield self._block(columns, parallel, recording)
                skipped = max(skipped, count * parallel.step - len(columns))
                carried = columns.after(count * parallel.step)

    def of_samples(self, samples: Samples, recording: str = '') -> EquationBlock:
        """Equations of states and efforts as they are, without a filter.

        Args:
            samples: in torque form alone; the efforts belong to the states.
            recording: its name.

        Raises:
            ParameterError: the equations are in power form, which needs the filter.
        """
        if self._form.has_slopes:
            raise ParameterError('the power form needs a filter: use motions')
        columns = self.columns(samples, recording)
        return self._block(columns, ParallelFilter.nothing(), recording)

    def columns(self, samples: Samples, recording: str) -> Columns:
        """Columns and flags of single samples."""
        carried = self._form.carried(samples.times, recording)
        efforts = np.where(np.isfinite(samples.efforts), samples.efforts, 0.0)
        values, slopes = self._form.columns(samples, efforts, carried)
        return Columns(samples.times, values, slopes, self._unusable.flags(samples, carried))

    def _filter(self, rate: float, passed: float) -> ParallelFilter:
        return ParallelFilter.of_motion(
            rate, passed, self.options.cutoff, slopes=self._form.has_slopes
        )

    def _block(self, columns: Columns, parallel: ParallelFilter, recording: str) -> EquationBlock:
        """The equations whose samples are there."""
        rows, torques = self._form.rows(
            parallel.value(columns.values), parallel.slope(columns.slopes)
        )
        if self._known.size:
            torques = torques - rows[:, :, self._known] @ self._values
            rows[:, :, self._known] = 0.0
        times = columns.times[parallel.centers(len(rows))]
        used, left_out = self._unusable.found(columns.flags, parallel)
        return EquationBlock(
            self.layout,
            self._form.equations,
            rows,
            torques,
            times,
            used,
            parallel.independence,
            recording,
            left_out,
            self.options.gravity,
            parallel.interval,
        )


def _in_order(motion: Motion, joints: tuple[str, ...]) -> Motion:
    """The same motion with these joints alone, in this order."""
    if motion.joints == joints:
        return motion
    missing = [name for name in joints if name not in motion.joints]
    if missing:
        raise ParameterError(
            f'the motion has no joint {missing[0]!r}, it has {", ".join(motion.joints)}: lock '
            'joints that were not recorded, with RobotModel.reduced'
        )
    columns = [motion.joints.index(name) for name in joints]
    chosen = {name: getattr(motion, name)[:, columns] for name in OF_SAMPLES[1:]}
    return replace(motion, joints=joints, **chosen)


def _parts(motion: Motion) -> Iterator[Motion]:
    """Consecutive parts of a motion, whose columns fit into memory."""
    for first in range(0, len(motion), TOGETHER):
        rows = slice(first, first + TOGETHER)
        yield replace(motion, **{name: getattr(motion, name)[rows] for name in OF_SAMPLES})
