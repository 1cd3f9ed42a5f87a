"""What is done with one recording; tasks that any process may execute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification.estimation import (
    Estimate,
    LaggedInfluence,
    Period,
    WindowSums,
    disturbed_periods,
    lagged_influence,
    window_sums,
)
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.judgement.judged_torques import torques_of
from robot_dynamics_ros.identification.judgement.repeated_motion import PositionTrace
from robot_dynamics_ros.identification.judgement.survey import survey
from robot_dynamics_ros.identification.model_of_parameters import written_parameters
from robot_dynamics_ros.identification.regression import (
    Cutoffs,
    EquationBlock,
    EquationOptions,
    MotionEquations,
    ReducedEquations,
    Weights,
    reduce,
    shifted_efforts,
)
from robot_dynamics_ros.recordings import JointSamples, Motion, motions, open_recording
from robot_dynamics_ros.recordings.sample_segments import SegmentStarts

from ..progress import ShowProgress, no_progress
from ..recorded_robot import recorded_robot, unused_joints
from ..recording_options import RecordingOptions
from .identify_setup import Setup, Source, Surveyed, recorded_dynamics, recorded_model


def survey_recording(
    options: RecordingOptions,
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> Surveyed:
    """Look at all samples of a recording once.

    Args:
        options: of the recording.
        name: of the recording, for the bar.
        files: that together are the recording.
        progress: shows how far it is.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the description cannot be used.
        ParameterError: the robot has no moving joint.
    """
    urdf, joints, _ = recorded_robot(options, files)
    with (
        open_recording(
            files, topic=options.topic, rename=options.rename, joints=joints
        ) as recording,
        progress(name, recording.size, 'states') as advance,
    ):
        model = recorded_model(urdf, joints)
        recording.judge_efforts(model)
        cutoffs = Cutoffs.of(recording, options.cutoff)
        trace, starts = PositionTrace(), SegmentStarts(recording.interval)

        def counted() -> Iterator[JointSamples]:
            for chunk in recording.chunks():
                trace.add(chunk.times, chunk.positions)
                starts.add(chunk)
                yield chunk
                advance(len(chunk))

        bands = EquationOptions().bands(model)
        surveyed = survey(counted(), bands)
        both = cutoffs.motions, cutoffs.equations
        return Surveyed(
            urdf, joints, recording.topic, recording.interval, both, surveyed, trace,
            tuple(starts.times), unused_joints(parse_urdf(urdf), recording),
        )  # fmt: skip


def reduce_recording(
    setup: Setup, source: Source, weights: Weights | None = None
) -> ReducedEquations | None:
    """The equations of the fitted part of a recording, reduced; None where there are none.

    A part of a recording may lie in what is held out, and a recording may be too short.

    Args:
        setup: of the identification.
        source: the recording.
        weights: of the equations; None for equal ones.

    Raises:
        RecordingError: the recording cannot be used.
    """
    blocks = fitted_equations(setup, source)
    first = next(blocks, None)
    return None if first is None else reduce(chain([first], blocks), weights)


def disturbed_recording(setup: Setup, source: Source, parameters: Array) -> tuple[Period, ...]:
    """When something touched the robot in the fitted part of a recording.

    Args:
        setup: of the identification.
        source: the recording.
        parameters: (p,) of a robust estimate from all recordings.

    Raises:
        RecordingError: the recording cannot be used.
    """
    return disturbed_periods(fitted_equations(setup, source), parameters)


def correlate_recording(
    setup: Setup,
    source: Source,
    parameters: Array,
    columns: tuple[int, ...],
    covariance: Array,
    noise: Array,
    weights: Weights,
) -> LaggedInfluence:
    """How residuals of the fitted part of a recording are correlated.

    Args:
        setup: of the identification.
        source: the recording.
        parameters: (p,) estimated from all recordings.
        columns: (b,) of the base parameters.
        covariance: (b, b) of these, for white noise.
        noise: (r,) standard deviation of the equations.
        weights: of the equations in the estimate.

    Raises:
        RecordingError: the recording cannot be used.
    """
    found = Estimate(setup.layout, parameters, columns, covariance, noise, 'weighted')
    return lagged_influence(fitted_equations(setup, source), found, weights)


def sum_windows(
    setup: Setup, source: Source, columns: tuple[int, ...], scales: Array, size: int
) -> WindowSums:
    """Sums of the equations of the fitted part of a recording over windows of time.

    Args:
        setup: of the identification.
        source: the recording.
        columns: (c,) that are fitted.
        scales: (c,) plausible magnitudes of their parameters.
        size: equations of each joint in a window.

    Raises:
        RecordingError: the recording cannot be used.
    """
    return window_sums(fitted_equations(setup, source), columns, scales, size)


def fitted_equations(setup: Setup, source: Source) -> Iterator[EquationBlock]:
    """The equations of the fitted part of a recording, in blocks."""
    maker = _maker(setup, source, setup.equations.band)
    for parts, bounds in _motions(setup, source):
        fitted = shifted_efforts(source.fitted.fitted(parts), source.delay)
        for block in maker.of_motions(fitted, source.name):
            if len(own := block.within(*bounds)):
                yield own


def judge_recording(
    setup: Setup,
    source: Source,
    nominal: Array,
    identified: Array,
    progress: ShowProgress = no_progress,
) -> Evidence:
    """What is kept of a recording to judge an identified model, in one pass over it.

    Held-out data judge the model that is written, fitted data the equations that were fitted.

    Args:
        setup: of the identification.
        source: the recording.
        nominal: parameters (p,) of the description.
        identified: parameters (p,) of the identified model.
        progress: shows how far it is.

    Raises:
        RecordingError: the recording cannot be used.
    """
    # Slow joints are judged too, and parameters that are known.
    judging = replace(setup, equations=replace(setup.equations, form='torque', known={}))
    maker = _maker(judging, source, band=0.0)
    evidence = Evidence.of_nothing(source.name, len(setup.joints))
    written = written_parameters(maker.layout, identified)
    for parts, bounds in _motions(setup, source, progress):
        for held_out, group in groupby(source.fitted.parts(parts), key=itemgetter(0)):
            own_motions = shifted_efforts((motion for _, motion in group), source.delay)
            blocks = maker.of_motions(own_motions, source.name)
            own = (block.within(*bounds) for block in blocks)
            judged = written if held_out else identified
            for piece in torques_of(own, nominal, judged):
                if held_out:
                    evidence.add_held_out(piece, source.cutoffs[1])
                else:
                    evidence.add_fitted(piece)
    return evidence


def _maker(setup: Setup, source: Source, band: float | None = None) -> MotionEquations:
    options = EquationOptions(
        form=setup.equations.form,
        cutoff=source.cutoffs[1],
        effort_levels=dict(setup.levels),
        unmeasured=setup.unmeasured,
        still=setup.still,
    )
    if band is not None:
        options = replace(options, turning_band=band, sliding_band=band)
    dynamics = recorded_dynamics(setup.urdf, setup.joints)
    return MotionEquations(setup.layout, options, dynamics)


def _motions(
    setup: Setup, source: Source, progress: ShowProgress = no_progress
) -> Iterator[tuple[Iterator[Motion], tuple[float, float]]]:
    """The motions of a part of a recording and its halo, and the bounds of the part [s].

    Once, while the recording is open.
    """
    options = setup.options
    with (
        open_recording(
            source.files,
            topic=options.topic,
            rename=options.rename,
            joints=setup.joints,
            part=source.part,
            halo=source.halo,
        ) as recording,
        progress(source.name, recording.size, 'states') as advance,
    ):
        recording.judge_efforts(setup.model)

        def counted() -> Iterator[Motion]:
            for motion in motions(recording, cutoff=source.cutoffs[0], starts=source.starts):
                yield motion
                advance(len(motion))

        yield counted(), recording.bounds
