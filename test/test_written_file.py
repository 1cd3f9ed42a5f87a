"""A file or a folder is complete, or as it was before."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.written_file import check_can_be_written, write_folder, written_file

FILES = {'a.txt': 'one', 'src/b.txt': 'two'}
NEW = {'a.txt': 'three', 'd/d.txt': 'four'}


def content(folder):
    """Text of every file."""
    files = [path for path in folder.rglob('*') if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_it_appears_at_the_end_alone_and_keeps_permissions_and_links(tmp_path):
    file, link = tmp_path / 'out.json', tmp_path / 'link.json'
    with written_file(file) as new:
        assert new.name == file.name
        new.write_text('one')
        assert not file.exists()
    assert content(tmp_path) == {'out.json': 'one'}
    file.chmod(0o640)
    link.symlink_to(file)
    with written_file(link) as new:
        new.write_text('two')
    assert link.is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ('two', 0o640)


@pytest.mark.parametrize('before', [{}, {'out.json': 'one'}])
@pytest.mark.parametrize('error', [KeyboardInterrupt, OSError])
def test_an_interrupted_file_is_as_before(tmp_path, before, error):
    write_folder(tmp_path, before)

    def interrupted():
        with written_file(tmp_path / 'out.json') as new:
            new.write_text('ha')
            raise error

    with pytest.raises(error):
        interrupted()
    assert content(tmp_path) == before
    assert len(list(tmp_path.iterdir())) == len(before)


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


@pytest.fixture
def folder(tmp_path):
    return tmp_path / 'parent' / 'package'


def test_a_folder_is_made_with_its_parents_or_filled_and_others_stay(folder):
    write_folder(folder, {**FILES, 'picture.png': b'\x89PNG\r\n\xff'})
    assert (folder / 'picture.png').read_bytes() == b'\x89PNG\r\n\xff'
    (folder / 'picture.png').unlink()
    inode = folder.stat().st_ino
    (folder / 'src' / 'own.txt').write_text('mine')
    (folder / 'link').symlink_to('nowhere')
    write_folder(folder, NEW)
    assert content(folder) == {**FILES, **NEW, 'src/own.txt': 'mine'}
    assert os.readlink(folder / 'link') == 'nowhere'
    assert folder.stat().st_ino == inode  # a shell may stand in it
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize('before', [{}, FILES])
@pytest.mark.parametrize('calls', range(4))
def test_an_interrupted_folder_is_as_before_or_new(calls, before, folder, monkeypatch):
    """Before the next of the files, or before a new folder is renamed."""
    folder.parent.mkdir(parents=True)
    if before:
        write_folder(folder, before)
    turns = iter([False] * calls + [True])

    def interrupting(function):
        def interrupted(path, given):
            if next(turns, False):
                raise KeyboardInterrupt
            return function(path, given)

        return interrupted

    for name in ('write_bytes', 'rename'):
        monkeypatch.setattr(Path, name, interrupting(getattr(Path, name)))
    with suppress(KeyboardInterrupt):
        write_folder(folder, NEW)
    monkeypatch.undo()
    assert content(folder) in (before, {**before, **NEW})
    assert len(list(folder.parent.iterdir())) == bool(content(folder))
