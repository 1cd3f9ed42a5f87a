"""The figures of the fourth act and their bounds."""

from __future__ import annotations

from ..verdict import Figure
from .contact_measurements import ContactResults


def judge_contacts(results: ContactResults) -> list[Figure]:
    """Each figure with its bound.

    The delay of a collision is counted in joint states, which come late on a loaded machine. A
    push that the joints cannot feel in full is not judged.
    """
    push, collision = results.push, results.collision
    return [
        Figure('push_error', 'push on the tool: error of the felt force', 100.0 * push.error, '%',
               at_most=2.0 if results.felt else None),
        Figure('collision_delay', 'collision with a wall: found after', 1e3 * collision.delay,
               'ms', at_most=5.0, load=True),
        Figure('collision_hold', 'after it: command beside gravity compensation',
               collision.held, 'N m', at_most=1e-6),
        Figure('collision_rest', 'after it: displacement in the last 0.2 s', collision.moved,
               'rad', at_most=0.02),
    ]  # fmt: skip
