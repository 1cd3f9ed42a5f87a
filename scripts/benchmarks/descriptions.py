"""How long `robot_dynamics validate` takes for every URDF of example-robot-data."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Figure, descriptions, printed

# [s], on two cores.
BOUND = 20.0


def measure() -> list[Figure]:
    """The wall-clock time of one call, with the start of its processes."""
    files = sorted(map(str, descriptions().rglob('*.urdf')))
    command = [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', 'validate', *files]
    print('\nvalidate:', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, 'result.json')
        start = time.perf_counter()
        subprocess.run([*command, '--json', result], stdout=subprocess.DEVNULL, check=False)
        seconds = time.perf_counter() - start
        rows = json.loads(result.read_text())['files']
    agreements = [row['agreement'] for row in rows if row.get('agreement')]
    return [
        printed(f'validate, {len(files)} URDFs', seconds, 's', BOUND),
        printed('of which compared with Pinocchio', len(agreements), 'files'),
        printed('of which disagree', sum(not one['agrees'] for one in agreements), 'files', 0),
    ]
