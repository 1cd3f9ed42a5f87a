"""Exported C beside native code and beside Pinocchio's C++, each in a loop of its own language."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import core
import numpy as np
import pinocchio
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.export import export_c

HERE = Path(__file__).parent
CALLS = {
    'inverse_dynamics': 'robot_inverse_dynamics(q, v, a, robot_standard_gravity, result)',
    'mass_matrix': 'robot_mass_matrix(q, result)',
    'coriolis_matrix': 'robot_coriolis_matrix(q, v, result)',
}
FAST = ('-O3', '-march=native')
# As its CMake targets define them.
PINOCCHIO = (
    '-std=c++17', '-O3', '-march=native', '-DNDEBUG', '-w',
    '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-DBOOST_MPL_LIMIT_LIST_SIZE=30',
    '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30', '-DBOOST_FUSION_INVOKE_MAX_ARITY=12',
)  # fmt: skip
EIGEN = Path('/usr/include/eigen3')


def measure() -> list[Figure]:
    """Nanoseconds of a call; a row of the table is printed as soon as it is known."""
    print(f'\n{"":32}{"C":>10}{"native, bind":>14}{"Pinocchio C++":>15}')
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        program = _pinocchio_program(Path(folder))
        for robot in core.ROBOTS:
            model = parse_urdf(core.urdf(robot))
            for quantity in CALLS:
                seconds = {
                    'C': _exported(model, quantity),
                    'native, bind': _native(model, quantity),
                }
                if program:
                    seconds['Pinocchio C++'] = _pinocchio_seconds(
                        program, core.urdf(robot), quantity
                    )
                cells = ''.join(f'{1e9 * value:10.0f} ns ' for value in seconds.values())
                print(f'{robot + " " + quantity:32}{cells}', flush=True)
                figures += [
                    Figure(f'{robot} {quantity}: {way}', 1e9 * value, 'ns')
                    for way, value in seconds.items()
                ]
    return figures


def _exported(model: RobotModel, quantity: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = export_c(model, name='robot', quantities=[quantity])
        write_folder(folder / 'robot', files)
        include, source = folder / 'robot/include', folder / 'robot/src/robot_dynamics.c'
        objects = folder / 'robot.o'
        _run('cc', '-std=c99', *FAST, '-I', include, '-c', source, '-o', objects)
        _run(
            'cc', '-O1', f'-DCALL={CALLS[quantity]}', '-I', include, HERE / 'c_loop.c', objects,
            '-o', folder / 'loop',
        )  # fmt: skip
        return _seconds(folder / 'loop')


def _native(model: RobotModel, quantity: str) -> float:
    """Of a bound step, called from Python: what the interpreter takes is in it."""
    dynamics = RobotDynamics(model)
    count = CALLS[quantity].count(',') - quantity.startswith('inverse')
    inputs = np.random.default_rng(0).uniform(-1.0, 1.0, (count, model.size))
    n = model.size
    out = np.zeros(n if quantity == 'inverse_dynamics' else (n, n))
    namespace = {'step': dynamics.bind(quantity, *inputs, out=out)}
    return float(interleaved({'step': 'step()'}, namespace)['step'].min())


def _pinocchio_program(folder: Path) -> Path | None:
    """The loop over Pinocchio's functions; None where its headers or Eigen's are not there."""
    prefix = next((Path(path, 'cmeel.prefix') for path in sys.path
                   if Path(path, 'cmeel.prefix/include/pinocchio').is_dir()), None)  # fmt: skip
    if prefix is None or not EIGEN.is_dir():
        print('Pinocchio C++: not measured, its headers or those of Eigen are missing')
        return None
    print('Pinocchio C++: compiling, a minute ...', flush=True)
    program = folder / 'pinocchio_loop'
    try:
        _run(
            'c++', *PINOCCHIO, '-I', prefix / 'include', '-I', EIGEN, HERE / 'pinocchio_loop.cpp',
            '-o', program,
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        print(f'Pinocchio C++: not measured, it does not compile: {error.stderr[:300]}')
        return None
    return program


def _pinocchio_seconds(program: Path, urdf: str, function: str) -> float:
    """Of a call of that function, of the model that the Python module reads."""
    model = pinocchio.buildModelFromXML(urdf)
    file = program.with_name('model.txt')
    lines = []
    for index, joint in enumerate(list(model.joints)[1:], start=1):
        kind = joint.shortname()
        axis = joint.extract().axis if kind.endswith('Unaligned') else np.zeros(3)
        place, body = model.jointPlacements[index], model.inertias[index]
        values = [axis, place.rotation, place.translation, body.mass, body.lever, body.inertia]
        numbers = np.concatenate([np.ravel(value) for value in values])
        words = [kind, str(model.parents[index]), *map(repr, numbers.tolist())]
        lines.append(' '.join(words))
    file.write_text('\n'.join(lines))
    seconds, norm = map(float, _run(program, file, function).split()[:2])
    zero = np.zeros(model.nv)
    expected = np.linalg.norm(pinocchio.rnea(model, model.createData(), zero, zero, zero))
    assert abs(norm - expected) <= 1e-9 * expected, 'the C++ model is another one'
    return seconds


def _seconds(program: Path, *arguments: object) -> float:
    return float(_run(program, *arguments).split()[0])


def _run(*command: object) -> str:
    arguments = [str(part) for part in command]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
