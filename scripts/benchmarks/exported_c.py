"""Exported C, in a loop in C; `core` has native code that is bound in Python."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from figures import ROBOTS, Figure, printed, urdf

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.export import export_c

LOOP = Path(__file__).with_name('c_loop.c')
CALLS = {
    'inverse_dynamics': 'robot_inverse_dynamics(q, v, a, robot_standard_gravity, result)',
    'mass_matrix': 'robot_mass_matrix(q, result)',
    'coriolis_matrix': 'robot_coriolis_matrix(q, v, result)',
}


def measure() -> list[Figure]:
    """Nanoseconds of a call; a row of the table is printed as soon as it is known."""
    print('\nexported C')
    figures = []
    for robot in ROBOTS:
        model = parse_urdf(urdf(robot))
        for quantity in CALLS:
            name = f'{robot} {quantity}'
            figures.append(printed(name, 1e9 * _exported(model, quantity), 'ns'))
    return figures


def _exported(model: RobotModel, quantity: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in export_c(model, name='robot', quantities=[quantity]).items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        # The call must not be inlined: the loop is compiled apart, as a controller is.
        fast = ['cc', '-std=c99', '-O3', '-march=native', '-I', 'include', '-c']
        loop = ['cc', '-O1', f'-DCALL={CALLS[quantity]}', '-I', 'include', str(LOOP)]
        for command in (
            [*fast, 'src/robot_dynamics.c', '-o', 'robot.o'],
            [*loop, 'robot.o', '-o', 'loop'],
        ):
            subprocess.run(command, cwd=folder, check=True)
        run = subprocess.run([f'{folder}/loop'], stdout=subprocess.PIPE, text=True, check=True)
        return float(run.stdout.split()[0])
