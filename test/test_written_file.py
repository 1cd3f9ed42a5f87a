"""A file is complete, or as it was before."""

import os

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.written_file import check_can_be_written, written_file


def test_it_appears_at_the_end_alone(tmp_path):
    file = tmp_path / 'out.json'
    with written_file(file) as new:
        assert new.name == file.name
        new.write_text('one')
        assert not file.exists()
    assert file.read_text() == 'one'
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize('before', [None, 'one'])
@pytest.mark.parametrize('error', [KeyboardInterrupt, OSError])
def test_interrupted_it_is_as_before(tmp_path, before, error):
    file = tmp_path / 'out.json'
    if before:
        file.write_text(before)

    def interrupted():
        with written_file(file) as new:
            new.write_text('ha')
            raise error

    with pytest.raises(error):
        interrupted()
    assert list(tmp_path.iterdir()) == ([file] if before else [])
    assert not before or file.read_text() == before


def test_it_keeps_permissions_and_links(tmp_path):
    file, link = tmp_path / 'out.json', tmp_path / 'link.json'
    file.write_text('one')
    file.chmod(0o640)
    link.symlink_to(file)
    with written_file(link) as new:
        new.write_text('two')
    assert link.is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ('two', 0o640)


def test_devices_stay_devices(tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    with written_file(pipe) as new:
        assert new == pipe
    assert pipe.is_fifo()


@pytest.mark.parametrize('name', ['.', 'nowhere/out.json'])
def test_a_folder_and_a_folder_that_takes_no_file_are_refused_before_the_work(tmp_path, name):
    for check in (check_can_be_written, lambda file: written_file(file).__enter__()):
        with pytest.raises(ParameterError, match=str(tmp_path / name)):
            check(tmp_path / name)
