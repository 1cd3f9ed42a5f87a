"""What holds for all tests."""

import ast
import gc
import os
import signal
from fnmatch import fnmatch
from pathlib import Path

import pytest
from domains import free_domain
from property_settings import load_profile

from robot_dynamics_ros import core
from robot_dynamics_ros.demo.processes import isolate

load_profile()

# Each test process is apart from other robots and other test runs, with all that it starts.
os.environ['ROS_DOMAIN_ID'] = str(free_domain())
isolate()

# Where they are inherited ignored, the processes that tests start would ignore them too.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# What tests of the contract import of the package: what users do,
PUBLIC = (
    *(f'core.{name}' for name in core.__all__),
    *('core.export.*_functions.*', 'core.errors.*', 'textbook*', 'oracle*', 'executables'),
    *('core.export.export_c', 'cli.command_line.*', 'cli.write_folder'),
    *('recordings.Recording', 'ros.node.DynamicsNode', 'identification.Identifier'),
    *('simulation.simulated_arm.*', 'simulation.mujoco_model.SimulationError'),
    *('demo.DemoError', 'demo.default_urdf', 'demo.processes.Children'),
    # scalars and bodies of the sources, names of quantities and codes, and states to try.
    *('core.dual.*', 'core.scalar.*', 'core.spatial*'),
    *('core.model.tree.*', 'core.quantity.*', 'core.model.findings.*'),
    *('core.model.sampling.*', 'inspection.CODES', 'inspection.audit'),
)
# Parts of the node that a test would reach through it.
INSIDE = {'estimate', 'guard', 'robot_holder', 'topic_counters'}


def private_parts(path):
    """What a test file imports, replaces or reaches of the package that is not public."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f'{node.module}.{each.name}' for each in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith('.setattr'):
            names = [ast.unparse(node.args[0]).replace("'", '') + '.replaced']
        elif isinstance(node, ast.Attribute) and node.attr in INSIDE:
            names = [f'robot_dynamics_ros.{node.attr}']
        for package, _, name in (each.partition('.') for each in names):
            if package == 'robot_dynamics_ros' and not any(fnmatch(name, one) for one in PUBLIC):
                yield name


def pytest_collection_modifyitems(items):
    """A file that is marked as a whole keeps to that."""
    for module in {getattr(item, 'module', None) for item in items}:
        marks = getattr(module, 'pytestmark', [])
        marked = pytest.mark.contract in (marks if isinstance(marks, list) else [marks])
        if marked and (private := [*private_parts(Path(module.__file__))]):
            raise pytest.UsageError(f'{module.__file__}: not of the contract: {private}')


def pytest_collection_finish():
    """Collected tests stay to the end: no search for garbage needs to visit them."""
    gc.freeze()
