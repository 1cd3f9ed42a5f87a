"""Prints the table of speeds, and whether each bound holds."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib import metadata, util
from pathlib import Path
from typing import Any

# One thread per process: what is measured uses no more.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import back_ends
import batches
import contacts
import core
import descriptions
import exported_c
import fleets
import identification
import intervals
import kinetics
import observer
import recordings
from figures import Figure

# What is measured, by the name of the part; the node is measured below.
PARTS: dict[str, tuple[Any, ...]] = {
    'core': (core, kinetics, observer),
    'batches': (batches,),
    'back_ends': (back_ends,),
    'c': (exported_c,),
    'fleets': (fleets,),
    'validate': (descriptions,),
    'recordings': (recordings,),
    'identification': (identification, intervals),
    'contacts': (contacts,),
    'node': (),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog='scripts/bench', description=__doc__)
    parser.add_argument('--json', type=Path, metavar='FILE', help='write all figures there')
    parser.add_argument(
        '--only',
        type=_parts,
        default=[*PARTS],
        metavar='PART,...',
        help=f'measure these of {", ".join(PARTS)}',
    )
    parser.add_argument(
        '--seconds', type=float, default=60.0, help='of round trips of the node (default: 60)'
    )
    parser.add_argument(
        '--figure', type=Path, metavar='FILE', help='draw the times of batches there'
    )
    options = parser.parse_args()

    surroundings = _surroundings()
    print(', '.join(surroundings.values()), end='\n\n')
    figures: list[Figure] = []
    for part in options.only:
        for measured in PARTS[part]:
            figures += measured.measure()
        if part == 'node':
            figures += _measure_node(options.seconds)
    if options.figure:
        batches.draw(options.figure)
    if options.json:
        report = {'surroundings': surroundings, 'figures': [f.as_json() for f in figures]}
        options.json.write_text(json.dumps(report, indent=2) + '\n')

    judged = [figure for figure in figures if figure.bound is not None]
    failed = [figure for figure in judged if not figure.holds]
    print()
    for figure in failed:
        print(f'bench: {figure}')
    print(f'bench: {len(judged) - len(failed)} of {len(judged)} bounds hold')
    return 1 if failed or not figures else 0


def _parts(text: str) -> list[str]:
    parts = text.split(',')
    if unknown := [part for part in parts if part not in PARTS]:
        raise argparse.ArgumentTypeError(f'{unknown[0]!r}, allowed are {", ".join(PARTS)}')
    return parts


def _measure_node(seconds: float) -> list[Figure]:
    if util.find_spec('rclpy') is None:
        print('\nnode: not measured, rclpy is not installed')
        return []
    import node

    print(f'\nnode: {seconds:g} s of round trips, and as many of the null relay ...', flush=True)
    measured = node.measure(core.urdf('UR5'), seconds)
    figures = [
        Figure('node ready after', measured['ready_seconds'], 's', node.READY_BOUND),
        Figure('of which compiling', measured['compile_seconds'], 's', node.COMPILE_BOUND),
        Figure('node round trip, median', measured['node_p50_microseconds'], 'us'),
        Figure('node round trip, 99th percentile', measured['node_p99_microseconds'], 'us'),
        Figure('null relay round trip, median', measured['null_p50_microseconds'], 'us'),
        Figure('null relay round trip, 99th percentile', measured['null_p99_microseconds'], 'us'),
        Figure('node to null relay', measured['round_trip_ratio'], 'x', node.ROUND_TRIP_BOUND),
        Figure('a set parameter adds', measured['set_milliseconds'], 'ms', node.SET_BOUND),
        Figure('node processor time per state', measured['node_processor_microseconds'], 'us'),
        Figure('null relay, the same', measured['null_processor_microseconds'], 'us'),
        Figure('node to null relay', measured['processor_ratio'], 'x', node.PROCESSOR_BOUND),
        Figure('messages lost', measured['lost'], '', 0),
        Figure('longest wait at 1 kHz, quiet', measured['wait_quiet'], 'periods'),
        Figure('while a payload is set', measured['wait_set'], 'periods'),
        Figure('setting it adds', measured['wait_set_adds'], 'periods', node.ADDED_WAIT_BOUND),
        Figure('while it is removed', measured['wait_removed'], 'periods'),
        Figure(
            'removing it adds', measured['wait_removed_adds'], 'periods', node.ADDED_WAIT_BOUND
        ),
        Figure(
            'round trip without a payload estimate, 99th percentile',
            measured['payload_inactive_microseconds'],
            'us',
        ),
        Figure('the same with one', measured['payload_active_microseconds'], 'us'),
        Figure('the estimate adds', measured['payload_adds_microseconds'], 'us'),
        Figure('messages lost meanwhile', measured['lost_while_changed'], '', 0),
        Figure(
            'external torques add, processor',
            measured['external_alone_share'],
            'x',
            node.EXTERNAL_BOUND,
        ),
        Figure('published to a subscriber', measured['external_torques_share'], 'x'),
        Figure('with the wrench', measured['external_wrench_share'], 'x'),
        Figure('the same in a contact', measured['external_touched_share'], 'x'),
    ]
    for figure in figures:
        print(figure)
    return figures


def _surroundings() -> dict[str, str]:
    versions = {name: metadata.version(name) for name in ('numpy', 'pin', 'llvmlite')}
    return {
        'processor': f'{_processor()} ({os.cpu_count()} cores)',
        'python': f'Python {platform.python_version()}',
        **{name: f'{name} {version}' for name, version in versions.items()},
    }


def _processor() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.machine()


if __name__ == '__main__':
    sys.exit(main())
