"""A folder is written as a whole: complete, or as it was before."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from robot_dynamics_ros.written_file import write_folder

FILES = {'a.txt': 'one', 'src/b.txt': 'two'}
NEW = {'a.txt': 'three', 'd/d.txt': 'four'}


def content(folder):
    """Text of every file."""
    files = [path for path in folder.rglob('*') if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / 'parent' / 'package'


def test_it_is_made_with_its_parents_or_filled(folder):
    write_folder(folder, FILES)
    assert content(folder) == FILES
    assert list(folder.parent.iterdir()) == [folder]
    empty = folder.with_name('empty')
    empty.mkdir()
    write_folder(str(empty), {'picture.png': b'\x89PNG\r\n\xff', 'a.txt': 'one\r\n'})
    assert (empty / 'picture.png').read_bytes() == b'\x89PNG\r\n\xff'
    assert (empty / 'a.txt').read_bytes() == b'one\r\n'


def test_again_its_files_are_replaced_and_others_stay(folder):
    write_folder(folder, FILES)
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
def test_interrupted_it_is_as_before_or_new(calls, before, folder, monkeypatch):
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
