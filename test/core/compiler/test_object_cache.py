"""Machine code is kept for the next process, and nothing but what was kept is ever run."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('llvmlite')

from three_joints import LIMITED

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler import object_cache

Q = [0.3, -0.4, 0.5]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    return tmp_path / 'robot_dynamics_ros'


@pytest.fixture
def emitted(monkeypatch):
    """How many modules were compiled since."""
    from robot_dynamics_ros.core.compiler import llvm

    count, parse = [], llvm.llvm.parse_assembly
    monkeypatch.setattr(
        llvm.llvm, 'parse_assembly', lambda s: [s and count.append(s), parse(s)][1]
    )
    return count


def mass_matrix():
    return RobotDynamics(parse_urdf(LIMITED), backend='native').mass_matrix(Q)


def test_the_second_time_nothing_is_compiled_and_results_are_the_same(folder, emitted):
    first, count = mass_matrix(), len(emitted)
    assert count == len(list(folder.iterdir())) > 0
    np.testing.assert_array_equal(mass_matrix(), first)
    assert len(emitted) == count
    assert not folder.stat().st_mode & 0o077


def cut_off(file):
    file.write_bytes(file.read_bytes()[:-1])


def changed(file):
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(bytes(whole))


@pytest.mark.parametrize(
    'damage', [cut_off, changed, lambda file: file.write_bytes(b''), Path.unlink]
)
def test_a_file_that_is_not_whole_is_compiled_anew(folder, emitted, damage):
    first, count = mass_matrix(), len(emitted)
    for file in list(folder.iterdir()):
        damage(file)
    np.testing.assert_array_equal(mass_matrix(), first)
    assert len(emitted) == 2 * count


def test_a_folder_that_others_may_write_is_not_read(folder, emitted):
    mass_matrix()
    count = len(emitted)
    folder.chmod(0o777)
    mass_matrix()
    assert len(emitted) == 2 * count


def test_without_a_folder_all_works(tmp_path, monkeypatch):
    file = tmp_path / 'file'
    file.touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(file))
    assert mass_matrix().shape == (3, 3)


def test_another_key_has_other_code_and_the_oldest_go(folder, monkeypatch):
    monkeypatch.setattr(object_cache, 'MAX_BYTES', 250)
    for number, key in enumerate('abc'):
        object_cache.write(key, 80 * key.encode())
        os.utime(folder / object_cache._name(key), (number, number))
    object_cache.write('d', 80 * b'd')
    assert [object_cache.read(key) for key in 'abcd'] == [None, None, 80 * b'c', 80 * b'd']
