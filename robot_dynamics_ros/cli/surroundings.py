"""What ROS hands to the command, which does not import it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import click

# The text of a description by the name of its topic, from a running robot.
TopicReader = Callable[[str], str]
# Names of the parameters of dynamics_node.
ParameterNames = Callable[[], Collection[str]]


@dataclass(frozen=True)
class Surroundings:
    """Each is None where it is not there.

    Attributes:
        read_topic: gives the description that a running robot publishes.
        parameter_names: gives those of dynamics_node.
    """

    read_topic: TopicReader | None = None
    parameter_names: ParameterNames | None = None


def surroundings() -> Surroundings:
    """Those of the command that runs, as `main` has set them; none in a script."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_root().obj
    return found if isinstance(found, Surroundings) else Surroundings()
