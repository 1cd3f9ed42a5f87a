"""How soon and how often states are answered, and how fast the commands change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from .client import Array, Phase, Samples
from .picture import BLUE, INK
from .verdict import Figure

QUEUE = 10
"""Depth of the node's queue of states; then the oldest is dropped."""
FULL_TORQUE = 0.1
"""Time in which the node lets a command grow from zero to the effort limit, at least [s]."""
LONGEST_STEP = 0.02
"""Of that growth, what may come in one command [s]."""
LATENESS = 0.05
"""Between computing and publishing a command, on a loaded machine [s]."""


@dataclass(frozen=True)
class Timing:
    """Rates, latencies and losses of the commands, and how they use the rate limit.

    Attributes:
        rate: of the states that the arm should publish [Hz].
        state_rate: that it published [Hz].
        command_rate: of the node [Hz].
        latency: from a state to its command (m,) [s].
        transport: from the arm to the observer, without the node (k,) [s].
        lost: states without a command.
        expected: states that were to be answered.
        step: largest change from one command to the next, as time at the rate limit [s].
        lead: by how much a change came earlier than the rate limit allows [s].
        cpu: share of a core that each process used [-].
    """

    rate: float
    state_rate: float
    command_rate: float
    latency: Array
    transport: Array
    lost: int
    expected: int
    step: float
    lead: float
    cpu: Mapping[str, float]

    @classmethod
    def of(cls, rate: float, phase: Phase, commands: Samples, efforts: Array) -> Timing:
        """Match each command with the state that it answers.

        The latency is the time from the sending of a state to the reception of its command in a
        third process, by the clocks of the middleware. The message on ~/torques that follows a
        command has the stamp of the state.

        Args:
            rate: of the arm [Hz].
            phase: in which states are answered.
            commands: of the whole run.
            efforts: effort limits of the joints (n,) [N m or N].
        """
        states, torques, given = phase.states, phase.torques, phase.commands
        sent = dict(zip(states.stamps.tolist(), states.sent.tolist(), strict=True))
        before = np.searchsorted(given.sent, torques.sent, side='right') - 1
        latency = [
            (given.received[command] - sent[stamp]) * 1e-9
            for stamp, command in zip(torques.stamps.tolist(), before, strict=True)
            if stamp in sent and command >= 0
        ]
        # The last states of the phase are answered after it.
        tail = states.sent[-1] - 50_000_000 if len(states) else 0
        due = {stamp for stamp, time in sent.items() if time <= tail}
        return cls(
            rate,
            _rate(states.sent),
            _rate(given.sent),
            np.array(latency),
            (states.received - states.sent) * 1e-9,
            len(due - set(torques.stamps.tolist())),
            len(due),
            *rate_limit_use(commands, efforts / FULL_TORQUE),
            phase.cpu,
        )

    def figures(self) -> list[Figure]:
        """Each figure with its bound.

        Bounds of latency and loss grow with the load of the machine, which the transport of the
        same states to the observer shows; they do not fail the demo.
        """
        p50, p99 = _percentiles(self.latency)
        transport_p50, transport_p99 = _percentiles(self.transport)
        lost = 100.0 * self.lost / self.expected if self.expected else np.nan
        late = 100.0 * np.count_nonzero(self.transport > QUEUE / self.rate)
        late /= max(len(self.transport), 1)
        return [
            Figure('command_step', 'commands: largest step, as time at the rate limit',
                   1e3 * self.step, 'ms', at_most=1e3 * LONGEST_STEP * (1.0 + 1e-9)),
            Figure('command_lead', 'commands: lead over the rate limit', 1e3 * self.lead, 'ms',
                   at_most=1e3 * LATENESS),
            Figure('state_rate', 'joint_states: rate', self.state_rate, 'Hz',
                   at_least=0.5 * self.rate, load=True),
            Figure('command_rate', 'commands: rate', self.command_rate, 'Hz',
                   at_least=0.8 * self.state_rate, load=True),
            Figure('latency_p50', 'state to command: median', p50, 'ms',
                   at_most=max(2.0, 10.0 * transport_p50), load=True),
            Figure('latency_p99', 'state to command: 99th percentile', p99, 'ms',
                   at_most=max(20.0, 4.0 * transport_p99), load=True),
            Figure('transport_p50', 'state to observer, without the node: median',
                   transport_p50, 'ms'),
            Figure('transport_p99', 'the same: 99th percentile', transport_p99, 'ms'),
            Figure('lost', 'states without a command', lost, '%', at_most=10.0 + late, load=True),
            *(
                Figure(f'cpu_{name}', f'processor time of the {name}', 100.0 * share,
                       '% of a core')
                for name, share in self.cpu.items()
            ),
        ]  # fmt: skip

    def draw(self, axes: Axes) -> None:
        """Histogram of the time from a joint state to its torque."""
        milliseconds = 1e3 * self.latency
        p50, p99 = _percentiles(self.latency)
        edge = max(2.5 * p50, 1.15 * p99)
        axes.hist(np.minimum(milliseconds, edge), bins=np.linspace(0, edge, 60), color=BLUE)
        top = axes.get_ylim()[1]
        # At different heights, as the two may be close to each other.
        for value, label, height in ((p50, 'median', 1.1), (p99, '99 % within', 1.02)):
            axes.axvline(value, color=INK, lw=1.5, ls='--')
            side, shift = ('right', -5) if value > edge / 2 else ('left', 5)
            text, place = f'{label}: {value:.2g} ms', (value, height * top)
            axes.annotate(text, place, (shift, 0), textcoords='offset points', ha=side)
        axes.set_ylim(0, 1.18 * top)
        axes.set_title('Latency from state to torque')
        counts = f'{self.command_rate:.0f} commands a second, {self.lost} of {self.expected}'
        axes.set_xlabel(f'time from a joint state to its torque [ms]\n{counts} states lost')
        axes.set_ylabel('number of states')


def rate_limit_use(commands: Samples, rates: Array) -> tuple[float, float]:
    """The largest step from one command to the next, and lead over the rate limits (n,) [s].

    The first command starts from zero torque. By the send times, a change is early by
    |change| / rate - elapsed time: with s = +-command / rate - time, that is s minus the lowest s
    before.
    """
    if not len(commands):
        return np.nan, np.nan
    taken = np.array([message.data for message in commands.messages]) / rates
    step = np.abs(np.diff(taken, axis=0, prepend=0.0)).max()
    passed = (commands.sent - commands.sent[0]) * 1e-9
    s = np.stack([taken, -taken]) - passed[:, None]
    return float(step), float((s - np.minimum.accumulate(s, axis=1)).max())


def _rate(sent: NDArray[np.int64]) -> float:
    return float((len(sent) - 1) / ((sent[-1] - sent[0]) * 1e-9)) if len(sent) > 1 else 0.0


def _percentiles(seconds: Array) -> tuple[float, float]:
    """The median and the 99th percentile [ms]."""
    if not len(seconds):
        return np.nan, np.nan
    p50, p99 = 1e3 * np.percentile(seconds, (50, 99))
    return float(p50), float(p99)
