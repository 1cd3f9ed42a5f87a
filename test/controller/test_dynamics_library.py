"""`export-c --library`: one symbol, the torques of the robot, and what the controller refuses."""

import ctypes
import hashlib
import json

import numpy as np
import pytest
from driven_controller import driver, hash_of, strings, write_library
from exported_library import needs_compilers, run
from three_joints import JOINTS, LIMITED

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.sampling import random_states

pytestmark = needs_compilers

# With friction in its description.
URDF = LIMITED.replace('<axis', '<dynamics damping="0.7" friction="0.4"/><axis')
MODEL = parse_urdf(URDF)
HASH = hash_of(URDF)
RECORDED = 'gravity', 'terms', 'friction'


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('library')


@pytest.fixture(scope='module')
def library(folder):
    return write_library(folder / 'arm', URDF)


def table(library):
    """The structure that a library exports, as its C header declares it."""
    doubles, strings = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_char_p)

    def function(vectors):
        return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * vectors)

    class Table(ctypes.Structure):
        _fields_ = (
            *((name, ctypes.c_int) for name in ('abi', 'bytes')),
            *((name, ctypes.c_char_p) for name in ('name', 'description')),
            ('size', ctypes.c_int), ('joint_names', strings),
            *((name, doubles) for name in ('effort_limits', 'rotors', 'rest_speeds', 'turns')),
            ('gravity_torque', function(3)), ('inverse_dynamics', function(5)),
            ('torque_terms', function(5)), ('mass_matrix', function(2)),
            ('friction_step', function(6)),
            *((name, doubles) for name in ('friction', 'torque_offsets')),
            *((f'recorded_{name}', doubles) for name in ('q', 'v', 'a', *RECORDED)),
        )  # fmt: skip

    return Table.in_dll(ctypes.CDLL(str(library)), 'robot_dynamics_library')


def called(function, *vectors, size):
    result = np.full(size, np.nan)
    arrays = [np.ascontiguousarray(vector, np.float64) for vector in vectors]
    assert function(*(array.ctypes.data for array in (*arrays, result))) == 0
    return result


def refusal(folder, library, joints=JOINTS):
    """What the controller says of a library and its joints; empty if it takes them."""
    arguments = str(library).encode(), HASH.encode(), strings(joints), len(joints)
    return driver(folder).refusal(*arguments).decode()


def test_its_table_is_that_of_the_robot(library):
    found = table(library)
    assert (found.abi, found.bytes) == (1, ctypes.sizeof(found))
    assert (found.name, found.size) == (b'three', MODEL.size)
    assert found.description.decode() == hashlib.sha256(URDF.encode()).hexdigest()
    assert [found.joint_names[i].decode() for i in range(3)] == list(MODEL.joint_names)
    assert found.effort_limits[:3] == MODEL.effort_bounds.tolist()
    assert found.turns[:3] == [2 * np.pi, 0.0, 0.0]
    symbols = run('nm', '-D', '--defined-only', library).stdout.split()
    assert 'robot_dynamics_library' in symbols
    assert not [name for name in symbols if name.startswith('arm_')]


def test_its_functions_agree_with_the_robot_and_with_pinocchio(library):
    oracle = pytest.importorskip('robot_dynamics_ros.oracle.pinocchio_reference')
    found, gravity = table(library), (0.0, 0.0, -9.81)
    dynamics = RobotDynamics(MODEL, backend='python')
    pinocchio = oracle.PinocchioReference(URDF, MODEL)
    for state in random_states(MODEL, 20):
        q, v, a = state.q, state.v, state.a
        tau = called(found.inverse_dynamics, q, v, a, gravity, size=3)
        np.testing.assert_allclose(tau, dynamics.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(tau, pinocchio.inverse_dynamics(q, v, a), rtol=1e-9, atol=1e-9)
        rows = called(found.torque_terms, q, v, a, gravity, size=9)
        np.testing.assert_allclose(
            rows.reshape(3, 3), dynamics.torque_terms(q, v, a), rtol=1e-11, atol=1e-11
        )
        mass = called(found.mass_matrix, q, size=9).reshape(3, 3)
        np.testing.assert_allclose(mass @ a, rows[6:], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(
            called(found.gravity_torque, q, gravity, size=3), rows[:3], rtol=1e-11, atol=1e-11
        )


@pytest.mark.parametrize(
    ('joints', 'words'),
    [
        (JOINTS, []),
        (JOINTS[1:], []),
        (JOINTS[::-1], ['order']),
        (('turn', 'gripper'), ['gripper']),
    ],
)
def test_the_joints_are_named_in_its_order(library, folder, joints, words):
    said = refusal(folder, library, joints)
    assert bool(said) == bool(words)
    assert all(word in said for word in [*words, *(JOINTS if words else ())])


def changed(text):
    """A library whose source is changed."""
    return lambda source: source.replace(*text)


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (changed(('    ROBOT_DYNAMICS_ABI, ', '    7, ')), ['version 7', 'takes version 1']),
        (changed(('robot_dynamics_library = {', 'another = {')), ['robot_dynamics_library']),
        (changed((HASH, '0' * 64)), ['0' * 64, HASH]),
        (changed((HASH, '')), ['unknown', HASH]),
        (changed(('recorded_q[3] = {', 'recorded_q[3] = {1.0 + ')), ['recorded']),
    ],
    ids=['version', 'symbol', 'hash', 'no hash', 'recorded state'],
)
def test_a_library_that_does_not_fit_is_named(library, folder, tmp_path, change, words):
    source = (library.parent / 'src/arm_library.c').read_text()
    assert change(source) != source
    (tmp_path / 'library.c').write_text(change(source))
    run('cc', '-shared', '-fPIC', '-I', library.parent / 'include', '-I', library.parent / 'src',
        tmp_path / 'library.c', library.parent / 'src/arm_dynamics.c',
        '-o', tmp_path / 'changed.so')  # fmt: skip
    said = refusal(folder, tmp_path / 'changed.so')
    assert all(word in said for word in ['changed.so', *words])


@pytest.mark.parametrize('content', [None, '', 'no library'])
def test_a_file_that_is_none_is_named(folder, tmp_path, content):
    file = tmp_path / 'arm.so'
    if content is not None:
        file.write_text(content)
    said = refusal(folder, file)
    assert str(file) in said


def test_the_command_writes_package_and_library(folder, tmp_path, monkeypatch):
    """Without a compiler the package alone, as `--output` does."""
    from click.testing import CliRunner

    from robot_dynamics_ros.cli.command_line import commands

    (tmp_path / 'arm.urdf').write_text(URDF)
    for compiler, built in (('cc', 'three.so'), ('no_such_compiler', None)):
        monkeypatch.setenv('CC', compiler)
        target = tmp_path / compiler
        words = ['export-c', str(tmp_path / 'arm.urdf'), '--library', str(target), '--json', '-']
        ended = CliRunner().invoke(commands, words)
        assert ended.exit_code == 0, ended.output
        found = json.loads(ended.stdout)
        assert found['library'] == built
        assert 'src/three_library.c' in found['files']
        assert (target / 'three.so').exists() == (built is not None)
    assert not refusal(folder, tmp_path / 'cc/three.so')
