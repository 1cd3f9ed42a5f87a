"""An identification from its recordings to the result, before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from robot_dynamics_ros.comparison import FATAL, Comparison, Finding
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification import (
    IdentifiedModel,
    IdentifiedParameters,
    base_rows,
    body_rows,
    joint_rows,
    without_scale,
)
from robot_dynamics_ros.identification.declared_loads import load_findings
from robot_dynamics_ros.identification.differing_recordings import difference_findings
from robot_dynamics_ros.identification.effort_delay import shift_findings, shift_words
from robot_dynamics_ros.identification.estimation import PeriodWeights
from robot_dynamics_ros.identification.friction_law import law_words
from robot_dynamics_ros.identification.friction_smoothing import smoothing_words
from robot_dynamics_ros.identification.identification import Identification
from robot_dynamics_ros.identification.judgement import JudgedRecording, Judgement
from robot_dynamics_ros.identification.judgement.bad_data import (
    check_motion,
    saturation_levels,
)
from robot_dynamics_ros.identification.judgement.conclude import judge
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.judgement.model_verdicts import locked_words
from robot_dynamics_ros.identification.judgement.repeated_motion import repetition_findings
from robot_dynamics_ros.scheduling import Outcome

from ..compare.compare_command import concluded
from ..compare.compare_parts import compare_tasks, joined_outcomes
from ..compare.compare_task import gather_evidence
from ..fleet_options import Fleet
from ..output import Output
from ..recording_options import RecordingOptions
from .effort_options import check_names
from .fitted_model import FitOptions, FittedModel, fitted_model
from .identify_setup import Equations, Setup
from .identify_sources import Sources
from .surveys import Files, Surveys, surveyed

SPRINGS = (
    'Springs were estimated, and dynamics_node has none: the figures of the held-out part are '
    'those of the torque that it commands, without stiffness times position. friction.yaml has '
    'the stiffness in comments.'
)
# Findings of the comparison about joints whose effort is not measured.
UNMEASURED = frozenset({'zero_effort', 'constant_effort'})


@dataclass(frozen=True)
class Identified:
    """What an identification has found, and what its files are made of.

    Attributes:
        setup: of the identification.
        identification: the result.
        model: the identified one, of the joints that were recorded.
        files: of the recordings.
        failure: why no physically consistent estimate was found; empty where one was.
    """

    setup: Setup
    identification: Identification
    model: IdentifiedModel
    files: Sequence[tuple[Path, ...]]
    failure: str = ''


def identified(
    options: RecordingOptions,
    equations: Equations,
    fitted: Files,
    held_out: Files,
    fleet: Fleet,
    output: Output,
    fit: FitOptions | None = None,
) -> Identified:
    """Identify a robot, and judge the result.

    Args:
        options: of the recordings.
        equations: what is estimated.
        fitted: files of each recording by its name.
        held_out: the same of those that are held out; none: the last third of each of the others.
        fleet: where tasks are computed.
        output: shows progress.
        fit: what is not to be found; None: all is found.

    Raises:
        RecordingError: no recording can be used.
        ParameterError: the recordings show no motion, or an option names what does not exist.
        ModelError: the description cannot be used.
    """
    files = {**fitted, **held_out}
    surveys = surveyed(options, files, tuple(held_out), fleet, output)
    setup = _setup(options, equations, surveys)
    comparison = _compared(options, {name: files[name] for name in surveys.usable}, fleet, output)
    if wrong := {one.file: one.error for one in comparison.recordings if one.error}:
        surveys = surveys.without(wrong)
        setup = _setup(options, equations, surveys)
    compared = comparison.findings
    setup = replace(setup, unmeasured=_unmeasured(setup, compared))
    sources = Sources.of(setup, surveys, files, fleet, output)
    model = fitted_model(sources, fit or FitOptions(), compared, max(surveys.intervals))
    # `missing` says the same, with a renaming.
    said = any(one.code == 'missing' for one in compared)
    remarks = () if said else surveys.remarks
    result = replace(_identification(model, _judged(surveys, compared, model)), remarks=remarks)
    found = model.found
    return Identified(setup, result, found.model, list(files.values()), found.failure)


def _judged(surveys: Surveys, compared: Sequence[Finding], fitted: FittedModel) -> Judgement:
    """The judgement of a model, with what is wrong with the recordings.

    Args:
        surveys: of all recordings.
        compared: findings of the comparison with the description.
        fitted: the model.
    """
    found, setup = fitted.found, fitted.sources.setup
    loads = _load_findings(replace(fitted.sources, setup=_with_free_loads(setup)), setup, found)
    differ = _difference_findings(fitted)
    poor = [*_empty_findings(fitted.sources.empty), *loads, *differ, *found.findings]
    if fitted.delay or fitted.has_none:
        compared = [one for one in compared if one.code != 'delay']
    judgement = judge(
        setup.model,
        surveys.survey,
        fitted.evidence,
        _recordings(surveys, fitted.evidence),
        compared=compared,
        poor=poor,
        interval=surveys.interval,
        currents='gain' in setup.equations.terms,
        still=setup.still,
        punctual=fitted.sources.fitted_names if fitted.has_none else (),
    )
    findings = [
        *(shift_findings(fitted.delay) if fitted.is_found else ()),
        *found.left_out_findings(),
        *repetition_findings(surveys.repeated),
        *judgement.findings,
    ]
    # Of parameters that cannot be trusted, no more is said.
    is_fatal = any(one.code in FATAL for one in judgement.findings)
    # Whether the model may be loaded is said last, or in the headline where nothing is judged.
    headline, *advice = judgement.verdict
    verdict = (
        headline,
        locked_words(setup.locked) if setup.locked else '',
        law_words(found.other_friction) if found.other_friction and not is_fatal else '',
        '' if is_fatal else smoothing_words(setup.layout),
        *advice,
        SPRINGS if 'stiffness' in setup.equations.terms else '',
        shift_words(fitted.delay) if fitted.delay else '',
    )
    return replace(judgement, findings=findings, verdict=tuple(filter(None, verdict)))


def _identification(fitted: FittedModel, judgement: Judgement) -> Identification:
    """The result of an identification, before objections are known."""
    found = fitted.found
    unknown = found.unknown_gains
    return Identification(
        judgement,
        found.final.method,
        found.base.rank,
        found.base.structural_rank,
        found.base.condition,
        without_scale(joint_rows(found.structure, found.base, found.final), unknown),
        body_rows(found.structure, found.base, found.final),
        without_scale(base_rows(found.base, found.final), unknown),
        tuple(body.reason for body in found.base.undetermined),
        equations=found.numbers,
        prior_weight=found.final.prior_weight,
        effort_delay=fitted.delay,
    )


def _with_free_loads(setup: Setup) -> Setup:
    """The same identification, with loads of unknown mass."""
    own = setup.equations
    known = {name: value for name, value in own.known.items() if name not in _masses(setup)}
    return replace(setup, equations=replace(own, known=known))


def _masses(setup: Setup) -> Mapping[str, float]:
    """The declared masses of loads by the names of their parameters [kg]."""
    names = [f'{load.name} m' for load in setup.equations.loads]
    return {name: setup.equations.known[name] for name in names if name in setup.equations.known}


def _load_findings(
    sources: Sources, setup: Setup, found: IdentifiedParameters
) -> Iterable[Finding]:
    """Loads that are not what was declared; currents take their scale from them.

    Args:
        sources: of the same recordings, with loads of unknown mass.
        setup: of the identification.
        found: its parameters.
    """
    masses = _masses(setup)
    if not masses or 'gain' in setup.equations.terms:
        return ()
    return load_findings(sources, masses, found.left_out)


def _difference_findings(fitted: FittedModel) -> Iterable[Finding]:
    """Recordings that do not show one robot; currents of each have a scale of their own."""
    found, sources = fitted.found, fitted.sources
    names = [name for name in sources.fitted_names if name not in sources.empty]
    own = sources.setup.equations
    if len(names) < 2 or own.form == 'power' or 'gain' in own.terms:
        return ()
    weights = PeriodWeights(found.left_out)
    alone = {name: sources.alone(name).reduced(weights) for name in names}
    return difference_findings(alone, found.structure, found.unconstrained)


def _empty_findings(names: Iterable[str]) -> Iterator[Finding]:
    """Recordings of which nothing is fitted."""
    for name in names:
        yield Finding(
            'short',
            (),
            None,
            f'{name}: no motion was long enough for the filter: nothing of it is fitted. Record '
            'a longer motion, or leave it out.',
        )


def _setup(options: RecordingOptions, equations: Equations, surveys: Surveys) -> Setup:
    first = surveys.first
    setup = Setup(options, first.urdf, first.joints, equations)
    check_names(equations, setup.model, tuple(surveys.usable))
    check_motion(setup.model, surveys.survey)
    levels = saturation_levels(setup.model, surveys.survey, surveys.interval)
    return replace(setup, levels=dict(levels))


def _compared(options: RecordingOptions, files: Files, fleet: Fleet, output: Output) -> Comparison:
    """The comparison with the description."""
    if len(files) == 1 and fleet.is_here:
        ((name, paths),) = files.items()
        evidence = gather_evidence(options, name, paths, progress=output.progress)
        outcomes = [Outcome(name, evidence)]
    else:
        tasks = compare_tasks(options, files)
        parts = [part for tasks_of_one in tasks.values() for part in tasks_of_one]
        outcomes = joined_outcomes(tasks, fleet.run('compare', parts, options, output, 'parts'))
    return concluded(options, files, outcomes)


def _unmeasured(setup: Setup, compared: Sequence[Finding]) -> tuple[str, ...]:
    """Joints whose effort the driver does not measure: it is no torque that a body could explain.

    Raises:
        ParameterError: the power of all joints is needed.
    """
    found = {name for one in compared if one.code in UNMEASURED for name in one.joints}
    if found and setup.equations.form == 'power':
        raise ParameterError(
            f'--form power: the effort of {", ".join(sorted(found))} is not measured, and the '
            'power of all joints is needed: use --form torque, or look for the setting of the '
            'driver'
        )
    return tuple(name for name in setup.joints if name in found)


def _recordings(surveys: Surveys, evidence: Sequence[Evidence]) -> list[JudgedRecording]:
    """Those of an identification, with what was held out of each."""
    found = {one.file: one for one in evidence}
    return [
        replace(one, held_out=found[one.file].held_out, duration=found[one.file].duration)
        if one.file in found
        else one
        for one in surveys.recordings()
    ]
