"""A folder is written as a whole, and nothing of others is lost."""

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.written_file import MANIFEST, check_folder, write_folder

FILES = {'a.txt': 'one', 'src/b.txt': 'two'}
NEW = {'a.txt': 'three', 'd/d.txt': 'four'}


def content(folder):
    """Text of every file, without the list of what was written."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob('*')
        if path.is_file() and path.name != MANIFEST
    }


@pytest.fixture
def folder(tmp_path):
    return tmp_path / 'parent' / 'package'


def test_it_is_made_with_its_parents_or_filled(folder):
    write_folder(folder, FILES)
    assert content(folder) == FILES
    assert list(folder.parent.iterdir()) == [folder]
    empty = folder.with_name('empty')
    empty.mkdir()
    picture = b'\x89PNG\r\n\x1a\n\xff'
    for _ in range(2):
        write_folder(str(empty), {'picture.png': picture, 'a.txt': 'one\r\n'})
    assert (empty / 'picture.png').read_bytes() == picture
    assert (empty / 'a.txt').read_bytes() == b'one\r\n'


def test_again_it_is_replaced_and_files_of_others_stay(folder):
    write_folder(folder, FILES)
    inode = folder.stat().st_ino
    (folder / 'src' / 'own.txt').write_text('mine')
    (folder / 'link').symlink_to('nowhere')
    os.mkfifo(folder / 'pipe')
    (folder / '.git' / 'refs').mkdir(parents=True)
    (folder / 'secret').mkdir(mode=0o500)
    write_folder(folder, NEW)
    assert content(folder) == {**NEW, 'src/own.txt': 'mine'}
    assert (folder / '.git' / 'refs').is_dir()
    assert (folder / 'secret').stat().st_mode & 0o777 == 0o500
    assert os.readlink(folder / 'link') == 'nowhere'
    assert (folder / 'pipe').is_fifo()
    # A shell may stand in it.
    assert folder.stat().st_ino == inode
    assert list(folder.parent.iterdir()) == [folder]


def foreign(listed=None):
    """A folder with a file of others, and a list of what was written that was not."""

    def prepare(folder):
        folder.mkdir(parents=True)
        (folder / 'own.txt').write_text('mine')
        (folder.parent / 'precious').write_text('mine')
        if listed is not None:
            (folder / MANIFEST).write_text(listed)

    return prepare


def changed(folder):
    write_folder(folder, FILES)
    (folder / 'a.txt').write_text('mine')


def listed_through_a_link(folder):
    """With the digest that they have, so that nothing was changed."""
    foreign()(folder)
    outside = folder.parent / 'outside'
    write_folder(outside, {'b.txt': 'two'})
    (folder / 'src').symlink_to(outside)
    digest = json.loads((outside / MANIFEST).read_text())['b.txt']
    (folder / MANIFEST).write_text(json.dumps({'src/b.txt': digest}))


@pytest.mark.parametrize(
    'prepare',
    [
        foreign(), foreign('[' * 10**5), foreign('{"../precious": "", "own.txt": ""}'),
        foreign(r'{"a\u0000/b": "", "own.txt": ""}'), changed, listed_through_a_link,
    ],
)  # fmt: skip
def test_what_is_of_others_is_not_replaced(prepare, folder):
    prepare(folder)
    before = content(folder.parent), sorted(folder.parent.rglob('*'))
    for write in (lambda: check_folder(folder), lambda: write_folder(folder, FILES)):
        with pytest.raises(ParameterError, match=r'own\.txt|a\.txt|src|robot_dynamics\.json'):
            write()
    assert (content(folder.parent), sorted(folder.parent.rglob('*'))) == before


def test_nothing_is_written_or_removed_through_a_link(folder):
    outside = folder.parent / 'outside'
    write_folder(folder, FILES)
    (folder / 'src').rename(outside)
    (folder / 'src').symlink_to(outside)
    before = content(folder.parent)
    for files in (FILES, NEW, {**NEW, 'src/c.txt': 'new'}, {'../c.txt': 'new'}):
        with pytest.raises(ParameterError):
            write_folder(folder, files)
    assert content(folder.parent) == before
    assert (folder / 'src').is_symlink()


def test_a_file_in_place_of_the_folder_or_above_is_named(folder):
    folder.parent.mkdir(parents=True)
    folder.write_text('mine')
    check_folder(folder.parent / 'new/deep')
    assert list(folder.parent.iterdir()) == [folder]
    for place in (folder, folder / 'sub'):
        for write in (check_folder, lambda place: write_folder(place, FILES)):
            with pytest.raises(ParameterError, match=r'package is a file'):
                write(place)
    assert folder.read_text() == 'mine'


@pytest.mark.parametrize('before', [{}, FILES])
@pytest.mark.parametrize('calls', range(5))
def test_interrupted_it_is_as_before_or_new(calls, before, folder, monkeypatch):
    """Before the next of the files, with the list of them, or before a new folder is renamed."""
    folder.parent.mkdir(parents=True)
    if before:
        write_folder(folder, before)
        (folder / 'own.txt').write_text('mine')
    entries, turns = content(folder), iter([False] * calls + [True])

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
    own = {path: text for path, text in entries.items() if path == 'own.txt'}
    assert content(folder) in (entries, {**NEW, **own})
    assert len(list(folder.parent.iterdir())) == bool(content(folder))
