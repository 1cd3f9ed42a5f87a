"""Equations that are read again and again, as robust estimates do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.recordings import motions, open_recording

from ..parameters.parameter_layout import ParameterLayout
from .cutoffs import Cutoffs
from .equation_options import EquationOptions
from .equations import EquationBlock
from .motion_equations import MotionEquations

# Bytes that are kept in memory.
MOST_KEPT = 400_000_000


class RecordedEquations:
    """Equations of recordings, to be iterated any number of times.

    They are kept in memory while they fit into it, and else computed again at each iteration.
    """

    def __init__(
        self, compute: Callable[[], Iterable[EquationBlock]], most_kept: int = MOST_KEPT
    ) -> None:
        """Compute nothing yet.

        Args:
            compute: opens the recordings and gives their equations, the same at each call.
            most_kept: bytes that may be kept.
        """
        self._compute, self._most_kept = compute, most_kept
        self._kept: list[EquationBlock] | None = None

    @classmethod
    def of_files(
        cls,
        layout: ParameterLayout,
        recordings: Mapping[str, Sequence[Path]],
        options: EquationOptions | None = None,
    ) -> RecordedEquations:
        """The equations of recordings, all samples of them.

        Args:
            layout: of the parameters; the recordings have the joints of its model.
            recordings: by its name, the files that together are a recording.
            options: how equations are made; without a cutoff, that of all recordings is up to
                where the velocities of each are more than noise: behind one low pass, the
                equations of a joint have comparable noise.
        """
        chosen = options or EquationOptions()
        dynamics = RobotDynamics(layout.model)

        @cache
        def lowest() -> float:
            if chosen.cutoff is not None:
                return chosen.cutoff
            cutoffs = []
            for files in recordings.values():
                with open_recording(files, joints=layout.joints) as opened:
                    opened.judge_efforts(layout.model)
                    cutoffs.append(Cutoffs.of(opened).equations)
            return min(cutoffs)

        def compute() -> Iterator[EquationBlock]:
            for name, files in recordings.items():
                with open_recording(files, joints=layout.joints) as opened:
                    opened.judge_efforts(layout.model)
                    cutoffs = Cutoffs.of(opened, lowest())
                    own = replace(chosen, cutoff=cutoffs.equations)
                    made = MotionEquations(layout, own, dynamics)
                    yield from made.of_motions(motions(opened, cutoff=cutoffs.motions), name)

        return cls(compute)

    def __iter__(self) -> Iterator[EquationBlock]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[EquationBlock] = []
        room = self._most_kept
        for block in self._compute():
            room -= block.rows.nbytes + block.torques.nbytes
            if room >= 0:
                kept.append(block)
            else:
                kept.clear()
            yield block
        if room >= 0:
            self._kept = kept
