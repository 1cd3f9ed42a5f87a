"""Writes the table of transitions into docs/safety.md, its picture, and the C++ of the controller.

python -m scripts.transitions [folder], from the root of the repository. A test compares them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from robot_dynamics_ros.control import (
    feedforward,
    first_fade,
    limiter,
    settings,
    state_filter,
    supervisor,
)
from robot_dynamics_ros.control.supervisor import TRANSITIONS, Event, State
from robot_dynamics_ros.core.export.c_code import filled
from robot_dynamics_ros.core.export.c_library import ABI_HEADER

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURE = 'docs/safety.md', 'docs/transitions.svg'
CPP = 'robot_dynamics_controller/include/robot_dynamics_controller/'
# Of the controller: its manager does the rest.
STATES = tuple(State)
EVENTS = (
    Event.FINISHED,
    Event.DOUBLE_GRAVITY,
    Event.STOPPED,
    Event.LOST,
    Event.STALE,
    Event.REACTION,
    Event.READY,
)
BEGIN, END = '<!-- transitions -->\n', '<!-- end of transitions -->\n'
# Centres of the boxes [px].
PLACES = {
    State.SILENT: (90, 310),
    State.TRACKING: (400, 70),
    State.HOLDING: (980, 150),
    State.REACTING: (980, 560),
    State.STOPPING: (480, 640),
}
BOX = 130, 44
BEND = 0.11  # of an arrow, in lengths


def documents() -> dict[str, str]:
    """The text of the files, by their path in the repository."""
    before, _, rest = (ROOT / PAGE).read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    return {
        PAGE: before + BEGIN + table() + END + after,
        PICTURE: picture(),
        CPP + 'transitions.hpp': cpp(),
        CPP + ABI_HEADER: filled(ABI_HEADER, {}),
    }


def cpp() -> str:
    """The table of the controller, with the constants that it shares with the node."""

    def names(chosen: Iterable[State | Event]) -> str:
        return ', '.join(one.name.lower() for one in chosen)

    rows = [
        '  {' + ', '.join(f'State::{TRANSITIONS[state][event].name.lower()}' for state in STATES)
        for event in EVENTS
    ]
    constants = {
        'longest_stale': supervisor.LONGEST_STALE,
        'longest_step': limiter.LONGEST_STEP,
        'reaction_fade': supervisor.COLLISION_FADE,
        'shortest_fade': limiter.SHORTEST,
        'steepest_slope': limiter.STEEPEST,
        'rate_per_effort': settings.RATE_PER_EFFORT,
        'unknown_rate': settings.UNKNOWN_RATE,
        'forgetting_time': feedforward.FORGETS,
        'longest_motion': feedforward.LONGEST_MOTION,
        'velocity_cutoff': state_filter.VELOCITY_CUTOFF,
        'moved': first_fade.MOVED,
        'carried': first_fade.CARRIED,
        'unexplained_share': first_fade.UNEXPLAINED,
        'shortest_watch': first_fade.SHORTEST,
    }
    guard = 'ROBOT_DYNAMICS_CONTROLLER__TRANSITIONS_HPP_'
    return '\n'.join([
        '// Written by scripts/transitions.py, from robot_dynamics_ros/control.',
        f'#ifndef {guard}\n#define {guard}\n',
        'namespace robot_dynamics_controller\n{\n',
        f'enum class State {{{names(STATES)}}};',
        '// The first that holds decides.',
        f'enum class Event {{{names(EVENTS)}}};',
        '// What follows, by event and state.',
        f'constexpr State transitions[{len(EVENTS)}][{len(STATES)}] = {{',
        *(f'{row}}},' for row in rows),
        '};\n',
        *(f'constexpr double {name} = {value!r};' for name, value in constants.items()),
        f'constexpr int repeats = {supervisor.REPEATS};\n',
        f'}}  // namespace robot_dynamics_controller\n\n#endif  // {guard}\n',
    ])  # fmt: skip


def table() -> str:
    """Events by row, states by column; '-' where the state stays."""
    lines = ['| event | ' + ' | '.join(state.name for state in State) + ' |']
    lines.append('|---' * (len(State) + 1) + '|')
    for event in Event:
        targets = (TRANSITIONS[state][event] for state in State)
        cells = ['-' if to is state else to.name for state, to in zip(State, targets, strict=True)]
        lines.append(f'| {event.name.lower()}: {event.value} | ' + ' | '.join(cells) + ' |')
    lines += ['', '| state | its target |', '|---|---|']
    lines += [f'| {state.name} | {state.value} |' for state in State]
    return '\n'.join(lines) + '\n'


def picture() -> str:
    """An arrow for each change of the state, labelled with its events."""
    shapes = sorted(shape for state in State for shape in arrows(state))  # labels on top
    shapes += [shape for state in State for shape in box(state)]
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1080 700" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">\n'
        '<rect width="1080" height="700" fill="white"/>\n'
        '<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z" fill="#556"/></marker>\n'
    )
    return head + '\n'.join(shapes) + '\n</svg>\n'


def arrows(state: State) -> Iterator[str]:
    for to in State:
        events = [event for event in Event if TRANSITIONS[state][event] is to]
        if to is state or not events:
            continue
        (x, y), (u, v) = PLACES[state], PLACES[to]
        dx, dy = u - x, v - y
        # On the right-hand side, so that the arrow back has the other one.
        cx, cy = (x + u) / 2 - 2 * BEND * dy, (y + v) / 2 + 2 * BEND * dx
        (x, y), (u, v) = edge(x, y, cx, cy), edge(u, v, cx, cy)
        yield (
            f'<path d="M{x:.0f} {y:.0f}Q{cx:.0f} {cy:.0f} {u:.0f} {v:.0f}" fill="none" '
            'stroke="#556" marker-end="url(#tip)"/>'
        )
        names = [event.name.lower() for event in events]
        lx, ly = 0.5 * x + 0.41 * cx + 0.09 * u, 0.5 * y + 0.41 * cy + 0.09 * v
        for row, name in enumerate(names):
            at = ly + 15 * (row - (len(names) - 1) / 2)
            width = 7.5 * len(name)
            yield (
                f'<rect x="{lx - width / 2:.0f}" y="{at - 8:.0f}" width="{width:.0f}" '
                f'height="15" fill="white"/><text x="{lx:.0f}" y="{at + 4:.0f}">{name}</text>'
            )


def edge(x: float, y: float, u: float, v: float) -> tuple[float, float]:
    """Where the line from the centre of a box to (u, v) leaves the box."""
    dx, dy = u - x, v - y
    share = min(BOX[0] / 2 / abs(dx) if dx else math.inf, BOX[1] / 2 / abs(dy) if dy else math.inf)
    return x + share * dx, y + share * dy


def box(state: State) -> Iterator[str]:
    x, y = PLACES[state]
    yield (
        f'<rect x="{x - BOX[0] // 2}" y="{y - BOX[1] // 2}" width="{BOX[0]}" height="{BOX[1]}" '
        'rx="8" fill="#eef3fb" stroke="#2b6cb0"/>'
        f'<text x="{x}" y="{y + 5}" font-size="15" font-weight="bold">{state.name}</text>'
    )


def main(root: Path = ROOT) -> None:
    """Write them below a folder."""
    for name, text in documents().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


if __name__ == '__main__':
    main(*map(Path, sys.argv[1:]))
