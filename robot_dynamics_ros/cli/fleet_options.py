"""Options of subcommands that compute many recordings, on processes or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from robot_dynamics_ros.scheduling import Outcome, Task, run, worker_count

from .output import Output

Command = TypeVar('Command', bound=Callable[..., Any])


@dataclass(frozen=True)
class Fleet:
    """Where recordings are computed.

    Attributes:
        scheduler: address of a Dask scheduler; None for processes of this machine.
        jobs: processes; None for one for each core.
        resume: folder of the results of an earlier run; None to compute all.
    """

    scheduler: str | None = None
    jobs: int | None = None
    resume: Path | None = None

    @property
    def is_here(self) -> bool:
        """Whether a single recording is computed by this process alone."""
        return self.scheduler is None and self.resume is None

    @property
    def workers(self) -> int:
        """How many tasks are computed at a time.

        Raises:
            ParameterError: no scheduler answers.
        """
        return worker_count(self.scheduler, self.jobs)

    def run(
        self, what: str, tasks: Sequence[Task], common: Any, output: Output, unit: str
    ) -> list[Outcome]:
        """The outcomes of tasks in their order, with a progress bar; see `scheduling.run`.

        Args:
            what: is done, for the bar.
            tasks: one for each recording, or for each part.
            common: first argument of each.
            output: of the subcommand.
            unit: of the tasks, for the bar: `recordings` or `parts`; `parts` where tasks are
                divided.
        """
        sizes = {task.name: len(task.parts) or 1 for task in tasks}
        unit = 'parts' if any(task.parts for task in tasks) else unit
        with output.progress(what, sum(sizes.values()), unit) as advance:
            return run(
                tasks,
                common=common,
                scheduler=self.scheduler,
                processes=self.jobs,
                resume=self.resume,
                report=lambda outcome: advance(sizes.get(outcome.name, 1)),
            )


def fleet_options(command: Command) -> Command:
    """Give a subcommand --scheduler, --jobs and --resume; `Fleet` takes what they give."""
    for option in (
        click.option(
            '--resume', type=click.Path(file_okay=False, path_type=Path), metavar='DIR',
            help='Keep results in this folder, and compute only what it does not have.',
        ),
        click.option(
            '--jobs', type=click.IntRange(min=1), metavar='N',
            help='Processes of this machine. [default: one for each core]',
        ),
        click.option(
            '--scheduler', metavar='ADDRESS',
            help='Dask cluster, tcp://HOST:PORT. [default: processes of this machine]',
        ),
    ):  # fmt: skip
        command = option(command)
    return command
