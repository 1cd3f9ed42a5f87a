"""Keeps the first contact until somebody releases it."""

from __future__ import annotations

from collections.abc import Collection

from .contact_state import ContactState
from .residual_bands import BANDS


class ContactLatch:
    """Keeps a reaction going after the contact that was its reason.

    Attributes:
        kinds: of contacts that are kept; may change at any time.
        first: the state when the contact was found; None while nothing is kept.
    """

    def __init__(self, kinds: Collection[str] = BANDS) -> None:
        """Without a contact.

        Args:
            kinds: of contacts that are kept, of `BANDS`.
        """
        self.kinds = kinds
        self.first: ContactState | None = None

    def step(self, state: ContactState) -> bool:
        """Whether a contact is kept, after this state of a detector."""
        if self.first is None and state.kind in self.kinds:
            self.first = state
        return self.first is not None

    def release(self) -> None:
        """Keep nothing; a contact that goes on is kept again at the next step."""
        self.first = None
