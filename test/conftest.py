"""What holds for all tests."""

import ast
import gc
import signal
from fnmatch import fnmatch

import pytest
from property_settings import load_profile

from robot_dynamics_ros import core

# The number of examples in property tests: see `property_settings`.
load_profile()

# Where it is inherited ignored, the processes that tests start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)


# What tests of the contract import of the package, and no more.
PUBLIC = (
    *(f'core.{name}' for name in core.__all__),
    *('core.errors.*', 'core.adapters.*', 'core.c_export.export_c', 'core.textbook*', 'oracle*'),
    *('cli.command_line.main', 'cli.write_folder', 'executables', 'recordings.open_recording'),
    *('ros.node.DynamicsNode', 'simulation.simulated_arm.SimulatedArm', 'demo.default_arm.*'),
    # The laws compare over any scalar, and run over each quantity at random states.
    *(
        'core.dual.*',
        'core.scalar.*',
        'core.spatial*',
        'core.model.inertia.*',
        'core.quantities.*',
    ),
    *('core.model.sampling.*', 'recordings.motions', 'demo.DemoError', 'demo.processes.Children'),
)
# What tests replace of the package starts so.
PATCHED = ("'robot_dynamics_ros", 'robot_dynamics_ros', 'RobotDynamics', 'executables', 'node')


def private_parts(path):
    """What a test file imports or replaces of the package that is not public."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f'{node.module}.{each.name}' for each in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == 'monkeypatch.setattr':
            target = ast.unparse(node.args[0])
            names = [f'robot_dynamics_ros.{target}' for one in PATCHED if target.startswith(one)]
        for package, _, name in (each.partition('.') for each in names):
            if package == 'robot_dynamics_ros' and not any(fnmatch(name, one) for one in PUBLIC):
                yield name


def pytest_collection_modifyitems(items):
    marked = {item.path for item in items if pytest.mark.contract in marks_of(item.module)}
    private = {str(path): parts for path in marked if (parts := [*private_parts(path)])}
    if private:
        raise pytest.UsageError(f'tests of the contract use private parts: {private}')


def marks_of(module):
    """Those of the whole file."""
    marks = getattr(module, 'pytestmark', [])
    return marks if isinstance(marks, list) else [marks]


def pytest_collection_finish():
    """Collected tests stay to the end: no search for garbage needs to visit them."""
    gc.freeze()
