"""No wrong sign in the algorithms escapes the laws of mechanics."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / 'scripts' / 'mutate.py'


# Hundreds of processes: a hundred seconds of processor time, on a busy machine many minutes.
@pytest.mark.timeout(1200)
def test_every_wrong_sign_is_caught():
    result = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.rstrip().endswith('0 survived')
