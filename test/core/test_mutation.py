"""No wrong sign in the algorithms escapes the laws of mechanics."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / 'scripts' / 'mutate.py'


# Each is a process: all together take a hundred seconds of processor time, by hand.
EVERY = 8


@pytest.mark.timeout(1200)
def test_wrong_signs_are_caught():
    result = subprocess.run(
        [sys.executable, str(SCRIPT), '--every', str(EVERY)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.rstrip().endswith('0 survived')
