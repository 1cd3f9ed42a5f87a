"""Why learned thresholds may not hold, in words."""

from __future__ import annotations

from collections.abc import Iterator

from .extreme_values import FEWEST
from .threshold_learning import BLOCK, REST
from .threshold_limits import above_limits
from .threshold_survey import ThresholdSurvey

# Times the shortest duration: some of a recording is lost where the observer begins.
SECURE = 2.5
# Exceeded times that a line lists.
LISTED = 3
CONTACTS_WITHIN = 'the recording has contacts, or the model is wrong'


def threshold_doubts(survey: ThresholdSurvey) -> list[str]:
    """One line for each doubt; empty where nothing is known."""
    return [
        *_effort_doubts(survey),
        *_joint_doubts(survey),
        *_size_doubts(survey),
        *_test_doubts(survey),
    ]


def _effort_doubts(survey: ThresholdSurvey) -> Iterator[str]:
    for one in survey.recordings:
        if one.doubt:
            yield (
                f'efforts: those of {one.name} {one.doubt}; dynamics_node estimates no external '
                'torques from such efforts'
            )
        if one.unexplained:
            yield f'unexplained: {one.name}: {one.unexplained}'
        if one.large and not (one.doubt or one.unexplained):
            yield f'large: {one.name}: {one.large}'


def _joint_doubts(survey: ThresholdSurvey) -> Iterator[str]:
    if unwatched := survey.recordings[0].unwatched:
        yield (
            f'unwatched: {", ".join(unwatched)}: no threshold, because the effort is missing or '
            'constant'
        )
    if (missing := survey.recordings[0].locked.missing) and len(survey.still) < len(survey.joints):
        yield (
            f'locked: {", ".join(missing)}: not recorded, so without threshold, and those of the '
            'other joints contain the torques of that motion: record all joints'
        )
    if survey.still:
        yield (
            f'still: {", ".join(survey.still)}: mean speed below {REST:g} rad/s or m/s, so the '
            'thresholds are those for standing still; record the motions of the application'
        )


def _size_doubts(survey: ThresholdSurvey) -> Iterator[str]:
    """Thresholds that find nothing; of efforts that are not torques, another doubt says more."""
    first = survey.recordings[0]
    above = above_limits(survey.joints, first.units, first.limits, survey.mean_limits)
    if above and not any(one.doubt or one.unexplained for one in survey.recordings):
        yield f'high: {above}; {CONTACTS_WITHIN}: record without contact'


def _test_doubts(survey: ThresholdSurvey) -> Iterator[str]:
    """What the test of each half with the thresholds of the other has shown."""
    if survey.exceeded is None:
        enough = SECURE * FEWEST * BLOCK
        yield (
            f'short: the recordings last {survey.thresholds.seconds:.3g} s, too little to test '
            f'thresholds of one half on the other; record {enough:g} s or more'
        )
        return
    if not survey.exceeded:
        return
    count = len(survey.exceeded)
    times = ', '.join(f'{name} at {time:.1f} s' for name, time in survey.exceeded[:LISTED])
    more = f' and {count - LISTED} more' if count > LISTED else ''
    often = 'once' if count == 1 else f'{count} times'
    yield (
        f'exceeded: thresholds of one half of the recordings are exceeded {often} in the other '
        f'half ({times}{more}); if something touched the robot then, record again; else record '
        'longer, so that both halves have all motions'
    )
