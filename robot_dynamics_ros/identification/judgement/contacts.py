"""Contacts during a recording: times at which the model misses the effort by far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robot_dynamics_ros.comparison import Finding

from ..estimation.disturbances import FAR, Disturbance, disturbances
from .judged_evidence import Evidence

# Contacts that a message lists.
LISTED = 3


def contacts(evidence: Evidence, size: int) -> list[Disturbance]:
    """The contacts of a recording, in their order.

    Args:
        evidence: of the recording.
        size: number of joints.
    """
    times, squares, _, _, speeds = evidence.windows.arrays(size)
    return disturbances(times, squares, speeds)


def contact_findings(names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Recordings in which something touched the robot.

    Args:
        names: of the joints.
        evidence: of each recording.
    """
    for one in evidence:
        found = contacts(one, len(names))
        if not found:
            continue
        joints = sorted({joint for contact in found for joint in contact.joints})
        listed = ', '.join(f'{each.begin:.1f} s to {each.end:.1f} s' for each in found[:LISTED])
        more = f' and {len(found) - LISTED} more' if len(found) > LISTED else ''
        where = tuple(names[joint] for joint in joints)
        total = sum(each.end - each.begin for each in found)
        yield Finding(
            'contact',
            where,
            total,
            f'{one.file}: the effort differs from the model by more than {FAR:g} times the usual '
            f'at {", ".join(where)}, {listed}{more}: a contact, a hand or a cable. The estimate '
            'leaves such samples out where they are fitted; record without contact if there are '
            'many.',
        )
