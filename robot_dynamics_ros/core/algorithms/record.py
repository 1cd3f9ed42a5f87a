"""What makes an algorithm a quantity: a record, by decorator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Algorithm = TypeVar('Algorithm', bound=Callable[..., Any])


@dataclass(frozen=True)
class Record:
    """What the signature and the docstring of an algorithm do not say.

    Attributes:
        algorithm: takes the model, each input as a sequence of scalars, then the frame and the
            axes where it has them; returns a scalar, or nested lists of them.
        shape: of the result: numbers, and names of `quantity.RESULT_AXES`.
        unit: SI; of several, in the order of the text, or those of turning and sliding joints.
        of_inertia: whether the inertia of the bodies enters, and so a payload.
        of_base_inertias: whether `base_inertias` give it. Not C: that of one joint is zero but
            for rounding, and with other bodies it rounds to something else in C and in LLVM.
        is_step: whether it is a part of another computation: no quantity of a state, not exported.
    """

    algorithm: Callable[..., Any]
    shape: tuple[int | str, ...]
    unit: str
    of_inertia: bool = True
    of_base_inertias: bool = False
    is_step: bool = False


RECORDS: list[Record] = []


def quantity(*shape: int | str, unit: str, **options: bool) -> Callable[[Algorithm], Algorithm]:
    """Offer an algorithm as a quantity of `RobotDynamics`, see `Record` and `core.quantity`."""

    def record(algorithm: Algorithm) -> Algorithm:
        RECORDS.append(Record(algorithm, shape, unit, **options))
        return algorithm

    return record
