"""Whether something touches the robot."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ContactState:
    """What a detector says at one time.

    Attributes:
        joints: indices of those that feel the contact now, of the model's independent joints;
            empty without a contact.
        since: when it began [s]; NaN without a contact.
        kind: 'collision' if the fast band has exceeded its threshold since then, else 'push'; ''
            without a contact.
    """

    joints: tuple[int, ...] = ()
    since: float = math.nan
    kind: str = ''

    def __bool__(self) -> bool:
        return bool(self.kind)


FREE = ContactState()
