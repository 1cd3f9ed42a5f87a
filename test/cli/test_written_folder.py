"""A folder is written as a whole, and takes nothing that is not its own."""

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

from robot_dynamics_ros.cli import written_folder
from robot_dynamics_ros.cli.written_folder import MANIFEST, check_folder, write_folder
from robot_dynamics_ros.core import ParameterError

FILES = {'a.txt': 'one', 'src/b.txt': 'two'}


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


def test_it_is_made_with_its_parents(folder):
    write_folder(folder, FILES)
    assert content(folder) == FILES
    assert list(folder.parent.iterdir()) == [folder]


def test_bytes_are_written_as_they_are(folder):
    picture = b'\x89PNG\r\n\x1a\n\xff'
    for _ in range(2):
        write_folder(folder, {'picture.png': picture, 'a.txt': 'one\r\n'})
    assert (folder / 'picture.png').read_bytes() == picture
    assert (folder / 'a.txt').read_bytes() == b'one\r\n'


def test_an_empty_folder_is_filled(folder):
    folder.mkdir(parents=True)
    write_folder(str(folder), FILES)
    assert content(folder) == FILES


def test_again_it_is_replaced_and_what_is_gone_is_removed(folder):
    write_folder(folder, FILES)
    write_folder(folder, {'a.txt': 'three', 'include/c.txt': 'four'})
    assert content(folder) == {'a.txt': 'three', 'include/c.txt': 'four'}
    assert not (folder / 'src').exists()


def test_files_of_others_stay(folder):
    write_folder(folder, FILES)
    (folder / 'src' / 'own.txt').write_text('mine')
    (folder / 'COLCON_IGNORE').touch()
    (folder / 'link').symlink_to('nowhere')
    write_folder(folder, {'a.txt': 'three'})
    assert content(folder) == {'a.txt': 'three', 'src/own.txt': 'mine', 'COLCON_IGNORE': ''}
    assert os.readlink(folder / 'link') == 'nowhere'


def foreign_file(folder):
    folder.mkdir(parents=True)
    (folder / 'a.txt').write_text('mine')


def changed_file(folder):
    write_folder(folder, FILES)
    (folder / 'a.txt').write_text('mine')


def foreign_link(folder):
    folder.mkdir(parents=True)
    (folder.parent / 'elsewhere.txt').write_text('mine')
    (folder / 'a.txt').symlink_to('../elsewhere.txt')


@pytest.mark.parametrize('prepare', [foreign_file, changed_file, foreign_link])
def test_what_is_not_from_here_is_replaced_with_force_only(prepare, folder):
    prepare(folder)
    before = content(folder.parent)
    with pytest.raises(ParameterError, match=r'a\.txt was .* --force'):
        write_folder(folder, FILES)
    assert content(folder.parent) == before
    write_folder(folder, FILES, force=True)
    assert content(folder) == FILES
    assert content(folder.parent).get('elsewhere.txt', 'mine') == 'mine'


def listed(folder, text):
    """A folder with that list of files, and a file of somebody beside it."""
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(text)
    (folder.parent / 'precious').write_text('mine')


DIGEST = hashlib.sha256(b'mine').hexdigest()


@pytest.mark.parametrize('path', ['../precious', 'src/../../precious', '{folder}/../precious'])
@pytest.mark.parametrize('force', [False, True])
def test_nothing_outside_the_folder_is_removed(path, force, folder):
    path = path.format(folder=folder)
    listed(folder, json.dumps({path: DIGEST}))
    if force:
        write_folder(folder, FILES, force=True)
    else:
        with pytest.raises(ParameterError, match=r'precious..*folder\).*--force'):
            write_folder(folder, FILES)
    assert (folder.parent / 'precious').read_text() == 'mine'
    assert content(folder) == (FILES if force else {})


def test_a_link_out_of_the_folder_is_not_followed_to_remove(folder):
    listed(folder, json.dumps({'link/precious': DIGEST}))
    (folder / 'link').symlink_to('..')
    with pytest.raises(ParameterError, match=r'link/precious.'):
        write_folder(folder, FILES)
    write_folder(folder, FILES, force=True)
    assert (folder.parent / 'precious').read_text() == 'mine'


def test_a_link_out_of_the_folder_is_not_followed_to_write(folder):
    folder.mkdir(parents=True)
    (folder / 'src').symlink_to('..')
    for force in (False, True):
        with pytest.raises(ParameterError, match=r'src/b\.txt.*link'):
            write_folder(folder, FILES, force=force)
    assert content(folder.parent) == {}


@pytest.mark.parametrize(
    'text', ['[1]', '{"a.txt": 1}', '"a"', 'null', '{', '[' * 10**5, '{"a\\u0000/b": "c"}']
)
def test_a_list_that_is_not_from_here_is_replaced_with_force_only(text, folder):
    listed(folder, text)
    with pytest.raises(ParameterError, match=r'\.robot_dynamics\.json'):
        write_folder(folder, FILES)
    assert (folder / MANIFEST).read_text() == text
    write_folder(folder, FILES, force=True)
    assert content(folder) == FILES
    write_folder(folder, {'a.txt': 'three'})
    assert content(folder) == {'a.txt': 'three'}


def test_a_folder_in_place_of_the_list_is_kept(folder):
    (folder / MANIFEST).mkdir(parents=True)
    for force in (False, True):
        with pytest.raises(ParameterError, match=r'\.robot_dynamics\.json'):
            write_folder(folder, FILES, force=force)
    assert (folder / MANIFEST).is_dir()


def test_a_folder_that_another_program_makes_meanwhile_is_kept(folder, monkeypatch):
    write = written_folder._write

    def slowly(new, files):
        monkeypatch.setattr(written_folder, '_write', write)
        write(new, files)
        write_folder(folder, {'theirs.txt': 'one'})

    monkeypatch.setattr(written_folder, '_write', slowly)
    with pytest.raises(ParameterError, match='another program'):
        write_folder(folder, FILES)
    assert content(folder.parent) == {'package/theirs.txt': 'one'}
    assert list(folder.parent.iterdir()) == [folder]


def test_a_file_above_the_folder_is_named(folder):
    folder.parent.mkdir(parents=True)
    folder.write_text('mine')
    with pytest.raises(ParameterError, match=r'sub.*/package.*file'):
        write_folder(folder / 'sub', FILES)


def test_a_file_in_place_of_the_folder_is_refused(folder):
    folder.parent.mkdir(parents=True)
    folder.write_text('mine')
    with pytest.raises(ParameterError, match='is a file'):
        write_folder(folder, FILES, force=True)
    assert folder.read_text() == 'mine'


def test_a_folder_that_exists_stays_the_same_folder(folder):
    """A shell may stand in it, or in a folder below."""
    write_folder(folder, FILES)
    (folder / 'own').mkdir()
    before = folder.stat().st_ino, (folder / 'own').stat().st_ino
    write_folder(folder, {'a.txt': 'three'})
    assert (folder.stat().st_ino, (folder / 'own').stat().st_ino) == before


def test_the_files_of_others_are_not_even_read(folder):
    """A home folder may be large, and have files that cannot be read."""
    folder.mkdir(parents=True)
    os.mkfifo(folder / 'pipe')
    (folder / 'own.txt').write_text('mine')
    inode = (folder / 'own.txt').stat().st_ino
    write_folder(folder, FILES)
    assert (folder / 'own.txt').stat().st_ino == inode
    assert (folder / 'pipe').is_fifo()


def test_a_folder_in_place_of_a_file_is_kept(folder):
    (folder / 'a.txt').mkdir(parents=True)
    (folder / 'a.txt' / 'own.txt').write_text('mine')
    with pytest.raises(ParameterError, match=r'a\.txt'):
        write_folder(folder, FILES, force=True)
    assert content(folder) == {'a.txt/own.txt': 'mine'}


def test_an_error_names_the_folder_that_was_named():
    with pytest.raises(OSError, match='none') as refused:
        write_folder('/proc/none', FILES)
    assert refused.value.filename == '/proc/none'


def test_a_full_disk_names_the_folder_that_was_named(folder, monkeypatch):
    def fill(file, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, 'write_bytes', fill)
    with pytest.raises(OSError, match='No space left') as refused:
        write_folder(folder, FILES)
    assert refused.value.filename == str(folder)


NEW = {'a.txt': 'three', 'd/d.txt': 'four'}


@pytest.mark.parametrize('before', [{}, FILES])
def test_interrupted_while_files_are_written_it_is_as_before(before, folder, monkeypatch):
    folder.parent.mkdir(parents=True)
    if before:
        write_folder(folder, before)

    def write_half(new, files):
        (new / 'a.txt').parent.mkdir(parents=True, exist_ok=True)
        (new / 'a.txt').write_text('ha')
        raise KeyboardInterrupt

    monkeypatch.setattr(written_folder, '_write', write_half)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, NEW)
    assert content(folder) == before
    assert list(folder.parent.iterdir()) == ([folder] if before else [])


@pytest.mark.parametrize('after', [False, True])
@pytest.mark.parametrize('moves', range(6))
def test_interrupted_between_two_renames_it_is_as_before(moves, after, folder, monkeypatch):
    write_folder(folder, FILES)
    (folder / 'own.txt').write_text('mine')
    entries = sorted(folder.rglob('*'))
    count = 0
    rename = Path.rename

    def interrupted(source, target):
        nonlocal count
        count += 1
        if count - 1 != moves:
            return rename(source, target)
        if after:
            rename(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, 'rename', interrupted)
    # Three files of before are put aside, and three are put in place.
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, NEW)
    assert content(folder) == {**FILES, 'own.txt': 'mine'}
    assert sorted(folder.rglob('*')) == entries


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(tmp_path):
    """Permissions do not tell: root may write everywhere, and /proc takes nothing."""
    check_folder(tmp_path / 'new' / 'deep')
    assert not list(tmp_path.iterdir())
    with pytest.raises(ParameterError, match='/proc/results'):
        check_folder(Path('/proc/results'))
    (tmp_path / 'file').touch()
    with pytest.raises(ParameterError, match=r'file.*file'):
        check_folder(tmp_path / 'file' / 'results')
