"""What a report draws, apart from how: curves, panels, and figures of panels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .text import number, quantity

Array = NDArray[np.float64]
Dash = Literal['solid', 'dot', 'dash', 'dashdot']
Kind = Literal['line', 'points']
INK, SOFT, GRID = '#1d2228', '#5a6470', '#dfe3e8'
# Of time, in a plot: the pixels of a wide screen. Of all joints: a file has a limited size.
MOST_STRETCHES, STRETCHES_OF_ALL = 2000, 20_000


@dataclass(frozen=True)
class Style:
    """Name, colour, line and kind of a curve.

    Attributes:
        name: in the legend.
        colour: #rrggbb.
        width: of the line, or diameter of the points [px].
        dash: pattern of the line.
        kind: of mark.
        opacity: of the points [-].
    """

    name: str
    colour: str
    width: float
    dash: Dash = 'solid'
    kind: Kind = 'line'
    opacity: float = 1.0


# By the role of a curve; curves of one panel differ in grey too. Of two that lie on each other,
# the lower one is broad and light, the upper one narrow and dark.
STYLES = {
    'measured': Style('measured', '#8fb4dd', 3.5),
    'model': Style('model', '#8b1a1a', 1.3),
    'residual': Style('residual', '#222222', 1.0),
    'gravity': Style('gravity', '#1f4e9c', 2.0),
    'coriolis': Style('Coriolis', '#7b3fa0', 1.8, 'dot'),
    'inertia': Style('inertia', '#d2691e', 1.8, 'dash'),
    'friction': Style('friction', '#2e8b57', 1.8, 'dashdot'),
    'samples': Style('samples', '#5b7fa6', 3.5, kind='points', opacity=0.4),
    'mean': Style('mean', '#111111', 2.2),
    'fit': Style('fitted friction', '#c2410c', 2.0, 'dash'),
    'cutoff': Style('cutoff', '#8b1a1a', 1.5, 'dash'),
    'urdf': Style('URDF', '#d2691e', 1.4, 'dash'),
    'identified': Style('identified', '#12305f', 1.3),
    'interval': Style('95 % interval', '#8fb4dd', 1.5),
    'external': Style('external torque', '#8fb4dd', 3.5),
    'threshold': Style('threshold', '#8b1a1a', 1.5, 'dash'),
}


@dataclass(frozen=True)
class Curve:
    """One curve of a panel.

    Attributes:
        role: a key of STYLES.
        x: shape (K,); NaN interrupts the curve.
        y: shape (K,).
    """

    role: str
    x: Array
    y: Array


@dataclass(frozen=True)
class Band:
    """A stretch of the horizontal axis behind the curves: begin, end, colour, opacity."""

    begin: float
    end: float
    colour: str
    opacity: float


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        key: letters.
        title: what is drawn.
        x_label: with the unit.
        y_name: of the vertical axis.
        unit: of the vertical axis.
        curves: the first is drawn first, below the others.
        remark: sentences with what else the panel shows.
        log: whether both axes are logarithmic.
        bands: of a picture.
    """

    key: str
    title: str
    x_label: str
    y_name: str
    unit: str
    curves: tuple[Curve, ...]
    remark: str = ''
    log: bool = False
    bands: tuple[Band, ...] = ()

    @property
    def y_label(self) -> str:
        """Name and unit."""
        return f'{self.y_name} [{self.unit}]'.strip()

    @property
    def words(self) -> str:
        """What the panel shows, with numbers: for readers who cannot see it."""
        ranges = [
            f'{STYLES[one.role].name} from {number(float(np.nanmin(one.y)))} to '
            f'{quantity(float(np.nanmax(one.y)), self.unit)}'
            for one in self.curves
            if one.role != 'cutoff'
        ]
        return '. '.join(filter(None, ['; '.join(ranges), self.remark]))


@dataclass(frozen=True)
class Figure:
    """Panels above each other with one common horizontal axis.

    Attributes:
        key: letters, digits and hyphens.
        panels: from top to bottom.
        hint: how to read the figure.
        wide: whether it takes the whole width of a page.
    """

    key: str
    panels: tuple[Panel, ...]
    hint: str
    wide: bool = False


class TimeAxis:
    """The times of samples, with recordings one after another, interrupted at gaps.

    Attributes:
        times: (K,) [s].
        label: of the axis.
    """

    def __init__(
        self, times: Array, recording: Array, begins: NDArray[np.bool_], joints: int
    ) -> None:
        """Put the recordings one after another.

        Args:
            times: (K,) since the start of each recording [s].
            recording: (K,) index of the recording.
            begins: (K,) whether a gap lies before a sample.
            joints: number of them: together their curves are of limited size.
        """
        self.times: Array = np.array(times, dtype=np.float64)
        recordings, end = np.unique(recording), 0.0
        for one in recordings if len(recordings) > 1 else ():
            rows = recording == one
            self.times[rows] += end - self.times[rows].min()
            end = self.times[rows].max()
        one_after_another = ', recordings one after another' if len(recordings) > 1 else ''
        self.label = f'time{one_after_another} [s]'
        gaps = np.flatnonzero(begins)
        self._gaps = gaps[gaps > 0]
        self._stretches = min(MOST_STRETCHES, STRETCHES_OF_ALL // max(1, joints))

    def curves(self, listed: Iterable[tuple[str, Array]]) -> tuple[Curve, ...]:
        """One curve for each role whose values (K,) have a finite one."""
        times = np.insert(self.times, self._gaps, np.nan)
        return tuple(
            Curve(role, *envelope(times, np.insert(values, self._gaps, np.nan), self._stretches))
            for role, values in listed
            if np.isfinite(values).any()
        )


def envelope(x: Array, y: Array, stretches: int) -> tuple[Array, Array]:
    """The points of a curve that show at a given resolution.

    Of each stretch with the same number of samples, a smallest and a largest value stay, and the
    first and the last sample of the curve. Where x or y is NaN, the curve stays interrupted.

    Args:
        x: shape (K,).
        y: shape (K,).
        stretches: into which the curve is divided.

    Returns:
        x and y, each of at most 2 `stretches` + 2 samples, and one NaN for each interruption.
    """
    if len(x) <= 2 * stretches + 2:
        return x, y
    low, high = (np.where(np.isfinite(y), y, fill) for fill in (np.inf, -np.inf))
    parts = pairwise(np.linspace(0, len(x), stretches + 1).astype(int).tolist())
    shown = [
        begin + int(row)
        for begin, end in parts
        for row in (low[begin:end].argmin(), high[begin:end].argmax())
    ]
    broken = np.isnan(x) | np.isnan(y)
    # One sample of each interruption is enough.
    gaps = np.flatnonzero(broken[1:] & ~broken[:-1]) + 1
    rows = np.unique([0, *shown, *gaps.tolist(), len(x) - 1])
    return x[rows], y[rows]


def thinned(rows: int, most: int) -> slice:
    """A regular choice of at most `most` of a number of rows."""
    return slice(None, None, max(1, -(-rows // most)))
