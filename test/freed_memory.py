"""Code in a process whose allocator overwrites what is freed: reading that afterwards crashes."""

import os
import subprocess
import sys

from mechanics.robots import hand_written


def check_alive(code):
    """Run code with the text of a pendulum on stdin; it must end by printing alive."""
    environment = dict(os.environ, PYTHONMALLOC='malloc', MALLOC_PERTURB_='255')
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', code],
        input=hand_written('pendulum').text,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == 'alive', f'{result.returncode}: {result.stderr[-2000:]}'
