"""Builtins made in memory die in any order without harm."""

import os
import subprocess
import sys

import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core.codegen.kernel import native_obstacle

# The allocator fills what is freed: whoever reads it afterwards crashes.
COLLECT = """
import gc, sys
import numpy as np
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
model = parse_urdf(sys.stdin.read())
q = np.zeros(model.size)
for _ in range(20):
    dynamics = RobotDynamics(model)
    step = dynamics.bind('mass_matrix', q, out=dynamics.mass_matrix(q))
    dynamics.inverse_dynamics(q, q, q)
    del dynamics
    gc.collect()
    step()
    del step
    gc.collect()
print('alive')
"""


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_a_collected_robot_leaves_no_dangling_builtin():
    environment = dict(os.environ, PYTHONMALLOC='malloc', MALLOC_PERTURB_='255')
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', COLLECT],
        input=hand_written('pendulum').text,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == 'alive', f'{result.returncode}: {result.stderr[-2000:]}'
