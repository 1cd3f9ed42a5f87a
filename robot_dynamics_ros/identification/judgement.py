"""How well an identified model predicts data that were not fitted, and if it can be loaded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.comparison.findings import advised, conclude
from robot_dynamics_ros.core.model.findings import listed

from .findings import (
    FEWEST,
    STILL,
    driver_findings,
    robot_findings,
    saturation_findings,
    short_findings,
    still_findings,
)
from .held_out import Residuals, Torques, residuals, whiteness
from .recorded_data import JudgedRecording, RecordedData

# A model is worse than another one where its RMS is larger by more than this share, and better
# where it is smaller by a tenth.
WORSE, BETTER = 1.05, 0.9

Standing = Literal['better', 'same', 'worse', 'unjudged']


@dataclass(frozen=True)
class JointJudgement:
    """The figures of one joint on the held-out part, while it moves; NaN where nothing is known.

    Attributes:
        unit: of its effort: 'N m', or 'N' for a prismatic joint.
        moves: whether the recordings move it, for long enough or where they are fitted.
        rms_measured: root mean square of the measured effort [N m or N].
        rms_nominal: of the residual of the URDF [N m or N].
        rms_identified: of the residual of the identified model [N m or N].
        is_noise: whether the residual of the identified model is noise; None: not known.
        repeated: share of its variance that earlier values predict [-].
        rms_low: begin of the 95 % interval of `rms_identified`; NaN: too few samples [N m or N].
        rms_high: its end [N m or N].
        gain_low: begin of the 95 % interval of `gain` [-].
        gain_high: its end [-].
        samples: that were judged: of the joint while it moves, with an effort.
        saturated: share of its samples whose effort is saturated [-].
    """

    unit: str
    moves: bool
    rms_measured: float
    rms_nominal: float
    rms_identified: float
    is_noise: bool | None
    repeated: float
    rms_low: float = math.nan
    rms_high: float = math.nan
    gain_low: float = math.nan
    gain_high: float = math.nan
    samples: int = 0
    saturated: float = 0.0

    @property
    def gain(self) -> float:
        """rms_identified / rms_nominal [-]; NaN where it is not known."""
        return self.rms_identified / self.rms_nominal if self.rms_nominal > 0.0 else math.nan

    @property
    def is_judged(self) -> bool:
        """Whether enough samples of the held-out part show how good the model is here."""
        return math.isfinite(self.rms_identified)

    @property
    def standing(self) -> Standing:
        """The identified model beside the URDF; 'same' where the interval holds equal ones.

        Better by less than a tenth, or worse by less than 5 %, is the same too. Without an
        interval the ratio itself counts.
        """
        if not self.is_judged or not math.isfinite(self.gain) or self.rms_measured == 0.0:
            return 'unjudged'
        if self.gain > WORSE and not self.gain_low <= 1.0:
            return 'worse'
        if self.gain <= BETTER and not self.gain_high >= 1.0:
            return 'better'
        return 'same'

    @property
    def is_worse(self) -> bool:
        """Whether the identified model is worse than the URDF, certainly."""
        return self.moves and self.standing == 'worse'

    @property
    def verdict(self) -> str:
        """One sentence that does not repeat the figures."""
        if self.standing == 'unjudged':
            few = f'fewer than {FEWEST} samples with motion and a measured effort'
            return f'Not judged: {few if self.moves else "the joint stands still"}.'
        beside = {
            'worse': 'Worse than the URDF',
            'better': 'Better than the URDF',
            'same': 'No certain difference from the URDF',
        }[self.standing]
        share = f'{_percent(self.repeated)} of its variance is predicted by earlier values'
        residual = {None: 'too few samples to know if it is noise', True: 'noise', False: share}
        return f'{beside}; residual: {residual[self.is_noise]}.'

    def as_json(self) -> dict[str, Any]:
        """Part of the contract of `robot_dynamics identify --json`."""
        more = {name: getattr(self, name) for name in ('gain', 'is_worse', 'verdict')}
        return {**vars(self), **more}


@dataclass(frozen=True)
class Judgement:
    """An identified model on data that were not fitted.

    Attributes:
        robot: name of the model.
        recordings: of the identification.
        joints: figures by name, in the order of the model.
        findings: about the data, the most important one first.
        samples: held-out torques of each recording, for plots.
        verdict: sentences about the model as a whole.
    """

    robot: str
    recordings: tuple[JudgedRecording, ...]
    joints: Mapping[str, JointJudgement]
    findings: Sequence[Finding]
    samples: Sequence[Torques]
    verdict: tuple[str, ...] = ()

    @property
    def worse(self) -> tuple[str, ...]:
        """Joints at which the identified model is worse than the URDF."""
        return tuple(name for name, joint in self.joints.items() if joint.is_worse)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Joints that nothing has judged, but those that stand still beside judged ones."""
        unjudged = {name: joint for name, joint in self.joints.items() if not joint.is_judged}
        moving = tuple(name for name, joint in unjudged.items() if joint.moves)
        return moving or (tuple(unjudged) if len(unjudged) == len(self.joints) else ())

    @property
    def fatal(self) -> str:
        """Why no parameter can be trusted: the findings that are errors; empty without one."""
        codes = list(dict.fromkeys(one.code for one in self.findings if one.is_error))
        return f'its parameters cannot be trusted: see {_findings(codes)}' if codes else ''

    def as_json(self) -> dict[str, Any]:
        """Part of the contract of `robot_dynamics identify --json`, see docs/identification.md."""
        return {
            'verdict': list(self.verdict),
            'recordings': [vars(one) for one in self.recordings],
            'held_out': {name: joint.as_json() for name, joint in self.joints.items()},
            'findings': [finding.as_json() for finding in advised(self.findings)],
        }


def judge(
    data: RecordedData,
    torques: Sequence[Torques],
    *,
    compared: Sequence[Finding] = (),
    found: Sequence[Finding] = (),
    late: Sequence[Finding] = (),
    errors: Mapping[str, str] | None = None,
    words: Sequence[str] = (),
) -> Judgement:
    """The judgement over all recordings.

    Args:
        data: the recordings that could be used.
        torques: of each.
        compared: findings of the comparison with the URDF.
        found: those of the equations and of the estimate.
        late: those of delays, which mean nothing where no parameter can be trusted.
        errors: why other recordings cannot be used, by name.
        words: sentences about the identification, which follow the headline of the verdict.
    """
    model, survey, scaled = data.model, data.survey, 'gain' not in data.terms
    recordings = [
        *data.judged_recordings(torques),
        *(JudgedRecording(name, error=text) for name, text in (errors or {}).items()),
    ]
    names = model.joint_names
    fitted, held_out = (
        [one.part(one.held_out == later) for one in torques] for later in (False, True)
    )
    of_fitted, held, both = (residuals(parts) for parts in (fitted, held_out, torques))
    free = ~np.isin(names, data.still)
    enough = (both.moving >= FEWEST) & free
    # What a shorter motion has changed is to be judged too.
    shortly = (of_fitted.counts > 0) & (survey.span[1] - survey.span[0] > STILL)
    moved = enough | (shortly & free)
    unscaled = {name for one in found if one.code == 'unknown_gain' for name in one.joints}
    known_scale = enough & ~np.isin(names, list(unscaled))
    causes = [
        *driver_findings(compared, names, scaled=scaled),
        *found,
        *robot_findings(names, of_fitted, known_scale),
        *short_findings(data.empty_names()),
        *still_findings(names, moved, held.moving >= FEWEST),
        *saturation_findings(model, survey, scaled=scaled),
    ]
    judged = int(np.count_nonzero(moved))
    findings = conclude(causes, judged)
    if not any(one.is_error for one in findings):
        findings = conclude([*causes, *late], judged)
    # All equations have the same low pass, and the same interval but for the rate of the samples.
    is_noise, repeated = whiteness(
        held_out,
        min(one.cutoff for one in recordings if not one.error),
        1.0 / max(one.interval for one in torques),
    )
    known = held.counts >= FEWEST
    of_joints = (
        held.measured, held.nominal, held.identified, repeated, *held.interval,
        *held.gain_interval,
    )  # fmt: skip
    figures = np.where(known, of_joints, np.nan).T.tolist()
    joints = {}
    for index, joint in enumerate(model.independent_joints):
        measured, nominal, rms, share, low, high, least, most = figures[index]
        joints[joint.name] = JointJudgement(
            'N' if joint.kind == 'prismatic' else 'N m', bool(moved[index]), measured, nominal,
            rms, is_noise[index] if known[index] else None, share, low, high, least, most,
            int(held.counts[index]), float(survey.saturated_shares[index]),
        )  # fmt: skip
    result = Judgement(model.name, tuple(recordings), joints, findings, held_out)
    headline, *advice = _sentences(result, held)
    return replace(result, verdict=(headline, *words, *advice))


def _sentences(judgement: Judgement, held: Residuals) -> Iterator[str]:
    """The verdict on the model as a whole."""
    joints, fatal = judgement.joints, judgement.fatal
    judged = {name: one for name, one in joints.items() if one.moves and math.isfinite(one.gain)}
    if not judged:
        yield (
            f'0 joints are judged, do not load it: none has {FEWEST} samples with motion and a '
            'measured effort on the held-out part.'
        )
    else:
        mean, low, high = held.mean_gain(np.isin(list(joints), list(judged)))
        worst = max(judged, key=lambda name: judged[name].gain)
        said = [f'95 % interval {_percent(low)} to {_percent(high)}'] * math.isfinite(low)
        if len(judged) > 1:
            said += [f'geometric mean of {len(judged)} joints']
            worst = f'worst {worst}, {_percent(judged[worst].gain)}'
        yield f"Held-out residual: {_percent(mean)} of the URDF's ({'; '.join([*said, worst])})."
    if judgement.worse:
        yield f'It is worse than the URDF at {", ".join(judgement.worse)}: do not load it.'
    if fatal:
        yield f'{fatal[:1].upper()}{fatal[1:]}. Do not load it.'
    elif judged and not judgement.worse:
        better = 'better' if mean <= BETTER and not high >= 1.0 else 'not certainly better'
        doubts = '; '.join(_doubts(judgement))
        yield (
            f'It is {better} than the URDF, but {doubts}, before it is loaded.'
            if doubts
            else 'It can be loaded.'
        )


def _doubts(judgement: Judgement) -> Iterator[str]:
    """What is to be read before a model is loaded that is not worse than the URDF."""
    joints = judgement.joints
    if codes := [one.code for one in judgement.findings if one.severity == 'warning']:
        yield f'read {_findings(list(dict.fromkeys(codes)))}'
    if unjudged := [name for name, one in joints.items() if one.moves and not one.is_judged]:
        yield f'{", ".join(unjudged)} was not judged'


def locked_words(names: Sequence[str]) -> str:
    """That nothing of joints is identified which were not recorded.

    Args:
        names: of these joints, one at least.
    """
    was, are = ('was', 'is') if len(names) == 1 else ('were', 'are')
    return (
        f'Not identified: {listed(names)} {was} not recorded, and {are} taken to be locked at '
        'zero, or at the position limit nearest to it. The bodies that move there, friction and '
        'rotors are those of the URDF.'
    )


def _percent(share: float) -> str:
    return f'{100.0 * share:.{1 if share < 0.095 else 0}f} %'


def _findings(codes: Sequence[str]) -> str:
    return f'the finding{"s" if len(codes) > 1 else ""} {listed(codes)}'
