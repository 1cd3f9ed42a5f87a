"""Prints the table of speeds, and whether each bound holds."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from importlib import metadata
from pathlib import Path

# One thread per process: what is measured uses no more.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

# Modules that measure, by the name of the part.
PARTS = {
    'core': ('core',),
    'batches': ('batches',),
    'c': ('exported_c',),
    'fleets': ('fleets',),
    'recordings': ('recordings',),
    'identification': ('identification', 'intervals', 'planted'),
    'contacts': ('contacts',),
    'node': ('node',),
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
    options = parser.parse_args()

    surroundings = _surroundings()
    print(', '.join(surroundings.values()), end='\n\n')
    figures = []
    for part in options.only:
        for name in PARTS[part]:
            arguments = (options.seconds,) if name == 'node' else ()
            figures += importlib.import_module(name).measure(*arguments)
    if options.json:
        report = {'surroundings': surroundings, 'figures': [f.as_json() for f in figures]}
        options.json.write_text(json.dumps(report, indent=2) + '\n')

    judged = [figure for figure in figures if figure.bound is not None]
    failed = [figure for figure in judged if not figure.holds]
    for figure in failed:
        print(f'bench: {figure}')
    print(f'bench: {len(judged) - len(failed)} of {len(judged)} bounds hold')
    return 1 if failed or not figures else 0


def _parts(text: str) -> list[str]:
    parts = text.split(',')
    if unknown := [part for part in parts if part not in PARTS]:
        raise argparse.ArgumentTypeError(f'{unknown[0]!r}, allowed are {", ".join(PARTS)}')
    return parts


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
