"""The package.xml: every import has its dependency, and a release can be made of them."""

import ast
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
INTERFACES, CONTROLLER = (ROOT / f'robot_dynamics_{name}' for name in ('interfaces', 'controller'))
FOLDERS = ROOT, INTERFACES, CONTROLLER
PACKAGES = {folder.name: ElementTree.parse(folder / 'package.xml').getroot() for folder in FOLDERS}
NODE, MESSAGES, PLUGIN = PACKAGES.values()
# What rosdep calls the packages of these modules; the others have one name.
NAMED_ALIKE = (
    'click', 'hypothesis', 'jinja2', 'matplotlib', 'numpy', 'pytest', 'rich',
    'scipy', 'sympy', 'yaml',
)  # fmt: skip
KEYS = {name: f'python3-{name}' for name in NAMED_ALIKE} | {
    'llvmlite': 'python3-numba',
    'mujoco': 'python3-mujoco-pip',
    'PIL': 'python3-pil',
    'urdf_parser_py': 'urdfdom_py',
}
# Of meshes, recordings, reports and fleets: they have no rosdep key, and no
# node needs one of them.
OF_AN_EXTRA = {
    'backports', 'coal', 'compression', 'dask', 'distributed', 'lz4', 'mcap', 'playwright',
    'plotly', 'pyarrow', 'rosbags', 'ruamel', 'trimesh', 'viser', 'websockets',
}  # fmt: skip


def declared(package, *kinds):
    return {entry.text for kind in kinds for entry in package.findall(kind)}


def imported(*folders):
    """Top modules that the Python files below these folders import."""
    modules = set()
    for file in (file for folder in folders for file in (ROOT / folder).rglob('*.py')):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                modules |= {name.name.partition('.')[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module.partition('.')[0])
    return modules - set(sys.stdlib_module_names) - {'robot_dynamics_ros'}


def test_what_the_package_and_its_tests_import_is_declared():
    needed = {KEYS.get(name, name) for name in imported('robot_dynamics_ros', 'launch')}
    needed -= OF_AN_EXTRA | {'casadi'}  # to whose functions `core/export` translates
    assert {'rclpy', 'tf2_py', 'launch_ros', 'python3-numpy'} <= needed
    assert needed - declared(NODE, 'depend', 'exec_depend') == set()
    # Modules of the folders of the tests are on the path of pytest.
    folders = 'test', 'examples', 'scripts'
    own = {path.stem for folder in folders for path in (ROOT / folder).rglob('*')}
    needed = {KEYS.get(name, name) for name in imported('test') - own}
    assert needed - OF_AN_EXTRA - declared(NODE, 'depend', 'exec_depend', 'test_depend') == set()


def test_what_the_messages_are_made_of_is_declared():
    types = '\n'.join(file.read_text() for file in INTERFACES.glob('*/*.*'))
    used = set(re.findall(r'^(\w+)/\w+', types, re.M))
    cmake = (INTERFACES / 'CMakeLists.txt').read_text()
    found = set(re.findall(r'find_package\((\w+) REQUIRED\)', cmake))
    assert used == declared(MESSAGES, 'depend') > set()
    assert found == used | declared(MESSAGES, 'buildtool_depend')


def test_what_the_controller_is_built_of_is_declared():
    cmake = (CONTROLLER / 'CMakeLists.txt').read_text()
    found = set(re.findall(r'find_package\((\w+)', cmake)) - {'inverse_dynamics_solver'}
    assert found == declared(PLUGIN, 'depend', 'buildtool_depend')
    used = {KEYS.get(name, name) for name in imported('robot_dynamics_controller')}
    have = declared(PLUGIN, 'depend', 'exec_depend') | {'python3-mujoco-pip'}
    assert used - have == set()


@pytest.mark.parametrize('name', PACKAGES)
def test_a_release_can_be_made(name):
    """What catkin_pkg and bloom ask of format 3; bloom refuses keys that apt cannot install."""
    for entry in NODE:
        if (entry.text or '').endswith('-pip'):
            assert '$ROBOT_DYNAMICS_DEMO == 1' in entry.get('condition', '')
    catkin_package = pytest.importorskip('catkin_pkg.package')
    folder = next(each for each in FOLDERS if each.name == name)
    warnings = []
    package = catkin_package.parse_package(folder, warnings=warnings)
    assert (warnings, package.package_format) == ([], 3)
    assert package.version == NODE.findtext('version')
    assert f"version='{package.version}'" in (ROOT / 'setup.py').read_text()
    assert package.licenses == ['Apache-2.0']
    changelog = (folder / 'CHANGELOG.rst').read_text()
    assert changelog.splitlines()[1] == f'Changelog for package {package.name}'
    assert re.search(r'^Forthcoming\n-+$', changelog, re.M)


@pytest.mark.parametrize('file', ['ur', 'franka', 'kuka'])
def test_a_configuration_of_the_controller_names_its_joints_alike(file):
    yaml = pytest.importorskip('yaml')
    config = yaml.safe_load((CONTROLLER / f'config/{file}.yaml').read_text())
    own, before = (
        config[name]['ros__parameters'] for name in ('dynamics_controller', 'arm_controller')
    )
    assert own['joints'] == before['joints']
    assert before['command_joints'] == [f'dynamics_controller/{name}' for name in own['joints']]
    assert {len(own[name]) for name in ('kp', 'kd')} == {len(own['joints'])}
    known = yaml.safe_load((CONTROLLER / 'src/parameters.yaml').read_text())
    assert own.keys() - {'type'} <= known['robot_dynamics_controller'].keys()
