"""A body that the robot carries during some of the data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Load:
    """A body of unknown or partly known inertia, fixed to a link during some time.

    What is known of it is in `ParameterLayout.known`, such as {'brick m': 1.0}.

    Attributes:
        name: of the load; it begins the names of its ten parameters.
        frame: name of the link; the parameters are in its frame.
        periods: (recording, start, stop) when it is carried: the name of a recording, or '' for
            each, and times since its start [s].
    """

    name: str
    frame: str
    periods: tuple[tuple[str, float, float], ...]
