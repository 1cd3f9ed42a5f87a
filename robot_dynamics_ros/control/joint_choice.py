"""Some entries of arrays of all joints, in a cycle."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def choice(indices: npt.NDArray[np.intp]) -> slice | npt.NDArray[np.intp]:
    """What chooses the entries with these indices: as a view, where that is possible.

    A view takes a tenth of the time of a copy.
    """
    count_up = np.array_equal(indices, np.arange(len(indices)))
    return slice(len(indices)) if count_up else indices
