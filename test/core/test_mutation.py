"""No wrong sign in the algorithms escapes the laws of mechanics, nor in control its tests."""

import datetime
import subprocess
import sys
from pathlib import Path

import pytest
from property_settings import ALL

SCRIPT = Path(__file__).parents[2] / 'scripts' / 'mutate.py'
# Each mutant is a process: a share, another each day; all by hand.
EVERY = {'algorithms': 16, 'control': 32}
TODAY = datetime.date.today().toordinal()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize('room', EVERY if ALL else ['algorithms'])
def test_wrong_signs_are_caught(room):
    share = ['--every', str(EVERY[room]), '--first', str(TODAY % EVERY[room])]
    result = subprocess.run(
        [sys.executable, str(SCRIPT), room, *share], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
