"""What may lie between the model and the measured efforts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """measured[order[j]](t + delay) = gain_j (gravity g + C v + M a + load)_j + friction_j.

    Attributes:
        order: (n,) index of the joint whose effort is that of joint j.
        gains: (n,) ratio of measured effort and torque.
        gravity: whether the efforts contain the gravity torque.
        delay: of the efforts [s].
        body: index of the joint that carries something that the description has not; None for
            nothing.
        load: (10,) its inertial parameters, in the frame of the body.
        steps: codes of what differs from the model, in the order in which it was found.
    """

    order: tuple[int, ...]
    gains: tuple[float, ...]
    gravity: bool = True
    delay: float = 0.0
    body: int | None = None
    load: tuple[float, ...] = ()
    steps: tuple[str, ...] = ()

    @classmethod
    def nothing(cls, size: int) -> Explanation:
        """The efforts are those of the model, for n joints."""
        return cls(order=tuple(range(size)), gains=(1.0,) * size)
