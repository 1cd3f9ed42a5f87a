"""The core's figures: its calls beside Pinocchio's, both from Python, and its start-up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

ROBOTS = {
    'UR5': 'ur_description/urdf/ur5_robot.urdf',
    'xArm7': 'xarm_description/urdf/xarm7.urdf',
    'Talos reduced': 'talos_data/robots/talos_reduced.urdf',
}
FACADE_BOUND = 0.7
COMPILE_BOUND = 0.5
STARTS = 5
# Of the largest entry; as the oracle allows.
AGREEMENT = 1e-12


@dataclass(frozen=True)
class Quantity:
    """What is compared: our method, Pinocchio's function, their inputs, the bound of `bind`."""

    method: str
    function: str
    inputs: int
    bind_bound: float


QUANTITIES = {
    'RNEA': Quantity('inverse_dynamics', 'rnea', 3, 0.45),
    'CRBA': Quantity('mass_matrix', 'crba', 1, 0.45),
    'Coriolis': Quantity('coriolis_matrix', 'computeCoriolisMatrix', 2, 0.6),
}


def urdf(robot: str) -> str:
    """Text of the URDF of one of `ROBOTS`."""
    package = metadata.distribution('example-robot-data')
    root = Path(str(package.locate_file('cmeel.prefix/share/example-robot-data/robots')))
    return (root / ROBOTS[robot]).read_text()


def measure() -> list[Figure]:
    """Everything; a row of the table is printed as soon as it is known."""
    print(
        f'{"":24}{"Pinocchio":>10}{"facade":>10}{"ratio":>8}{"bound":>7}'
        f'{"bind":>10}{"ratio":>8}{"bound":>7}{"compile":>9}'
    )
    figures = []
    for robot in ROBOTS:
        for name, quantity in QUANTITIES.items():
            row = _compare(urdf(robot), quantity)
            _print_row(f'{robot} {name}', row)
            figures += [figure.prefixed(f'{robot} {name}') for figure in row.values()]
    return figures + _start_up(urdf('UR5'))


def _compare(text: str, quantity: Quantity) -> dict[str, Figure]:
    dynamics = RobotDynamics(parse_urdf(text))
    started = time.perf_counter()
    dynamics.compile(quantity.method)
    compiled = time.perf_counter() - started

    model = pinocchio.buildModelFromXML(text)
    assert model.nq == model.nv, 'Pinocchio holds an angle as its cosine and sine'
    order = [dynamics.model.index_of(name) for name in list(model.names)[1:]]
    inputs = list(np.random.default_rng(0).uniform(-1.0, 1.0, (quantity.inputs, model.nv)))
    arguments = [f'x{index}' for index in range(quantity.inputs)]
    namespace = dict(zip(arguments, inputs, strict=True))
    namespace |= {f'their_{name}': array[order] for name, array in namespace.items()}
    namespace |= {'pinocchio': pinocchio, 'model': model, 'data': model.createData()}
    namespace |= {'dynamics': dynamics}
    their_arguments = ', '.join(f'their_{name}' for name in arguments)
    statements = {
        'Pinocchio': f'pinocchio.{quantity.function}(model, data, {their_arguments})',
        'facade': f'dynamics.{quantity.method}({", ".join(arguments)})',
    }
    theirs, ours = (eval(statement, namespace) for statement in statements.values())
    _check(ours[order] if ours.ndim == 1 else ours[np.ix_(order, order)], theirs)

    namespace['step'] = dynamics.bind(quantity.method, *inputs, out=np.zeros_like(ours))
    seconds = interleaved(statements | {'bind': 'step()'}, namespace)
    figures = {
        name: Figure(name, 1e6 * float(np.median(values)), 'us')
        for name, values in seconds.items()
    }
    for name, bound in (('facade', FACADE_BOUND), ('bind', quantity.bind_bound)):
        ratio = float(np.median(seconds[name] / seconds['Pinocchio']))
        figures[f'{name} ratio'] = Figure(f'{name} ratio', ratio, 'x', bound)
    figures['compile'] = Figure('compile', compiled, 's')
    return figures


def _check(ours: Any, theirs: Any) -> None:
    """What is compared must be the same; Pinocchio fills the upper triangle of M only."""
    error = np.abs(np.triu(ours - theirs)).max() / np.abs(ours).max()
    assert error <= AGREEMENT, f'off by {error:.1e}'


def _print_row(name: str, row: dict[str, Figure]) -> None:
    cells = [f'{name:24}{row["Pinocchio"].value:7.2f} us']
    for way in ('facade', 'bind'):
        ratio = row[f'{way} ratio']
        mark = ' ' if ratio.holds else '!'
        cells.append(f'{row[way].value:7.2f} us{ratio.value:7.2f}{mark}{ratio.bound:7.2f}')
    print(f'{"".join(cells)}{row["compile"].value:7.2f} s', flush=True)


# What a process does before it can compute, timed from its start.
START_UP = """
import sys, time
started = time.perf_counter()
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.compilation import COMPILED_QUANTITIES
imported = time.perf_counter()
model = parse_urdf(sys.stdin.read())
parsed = time.perf_counter()
dynamics = RobotDynamics(model)
loaded = time.perf_counter()
dynamics.compile(*COMPILED_QUANTITIES)
compiled = time.perf_counter()
print([imported - started, parsed - imported, loaded - parsed, compiled - loaded])
"""


def _start_up(text: str) -> list[Figure]:
    """In new processes: import, parse, load LLVM, compile all that the node prepares."""
    runs = [
        json.loads(
            subprocess.run(
                [sys.executable, '-c', START_UP],
                input=text, capture_output=True, text=True, check=True,
            ).stdout
        )
        for _ in range(STARTS)
    ]  # fmt: skip
    imported, parsed, loaded, compiled = map(float, np.median(runs, axis=0))
    figures = [
        Figure('core start-up on UR5: import', imported, 's'),
        Figure('core start-up on UR5: parse', parsed, 's'),
        Figure('core start-up on UR5: load LLVM', loaded, 's'),
        Figure('core start-up on UR5: compile', compiled, 's', COMPILE_BOUND),
    ]
    print()
    for figure in figures:
        print(figure)
    return figures
