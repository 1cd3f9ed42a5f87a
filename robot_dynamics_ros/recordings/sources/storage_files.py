"""The files of a bag, in their order, and decompressed."""

from __future__ import annotations

from pathlib import Path, PurePath
from shutil import copyfileobj

from ruamel.yaml import YAML

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import ExpandedFile, zstd

METADATA = 'metadata.yaml'
STORAGES = ('.mcap', '.db3')
COMPRESSED = '.zstd'
# [bytes]
LARGEST_METADATA, BLOCK = 1 << 24, 1 << 20


def storage_files(path: Path) -> list[Path]:
    """The files of a bag: those of a folder in the order of its metadata, or the file itself.

    A folder without metadata.yaml, which the recorder writes last, has its storage files in the
    order of their names.

    Raises:
        RecordingError: it is not a bag, or its metadata names files that are not there.
    """
    if not path.is_dir():
        return [path]
    listed = _listed_files(path) if (path / METADATA).exists() else None
    files = _found_files(path) if listed is None else [path / name for name in listed]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        raise RecordingError(f'{path}: {METADATA} names {missing[0]}, which is not in the folder')
    if not files:
        raise RecordingError(
            f'{path} is not a bag: the folder has neither {METADATA} nor files that end in '
            f'{" or ".join(STORAGES)}'
        )
    return files


def is_storage(path: Path) -> bool:
    """Whether a file is a storage file of rosbag2 by its name, compressed or not."""
    name = path.name.removesuffix(COMPRESSED)
    return name.endswith(STORAGES)


def decompressed(file: Path, folder: Path) -> Path:
    """The file, or where it is compressed, a decompressed copy in a folder.

    Raises:
        RecordingError: it is damaged, or a bomb.
    """
    if file.suffix != COMPRESSED:
        return file
    target = folder / file.name.removesuffix(COMPRESSED)
    try:
        with ExpandedFile(file) as source, target.open('wb') as out:
            copyfileobj(source, out, BLOCK)
    except (zstd().ZstdError, EOFError) as error:
        raise RecordingError(f'{file} cannot be decompressed: {error}') from None
    return target


def _found_files(folder: Path) -> list[Path]:
    """Storage files in the order in which a recorder has numbered them."""

    def number(file: Path) -> tuple[int, str]:
        digits = file.name.partition('.')[0].rpartition('_')[2]
        return (int(digits) if digits.isdecimal() and digits.isascii() else -1, file.name)

    return sorted((file for file in folder.iterdir() if is_storage(file)), key=number)


def _listed_files(folder: Path) -> list[str]:
    """Names of the files that the metadata of a bag lists."""
    file = folder / METADATA
    if file.stat().st_size > LARGEST_METADATA:
        raise RecordingError(f'{file} is larger than {LARGEST_METADATA} bytes')
    try:
        content = YAML(typ='safe').load(file.read_text(encoding='utf-8'))
        listed = content['rosbag2_bagfile_information']['relative_file_paths']
        names = [PurePath(str(name)).name for name in listed]
    except Exception as error:
        # ruamel.yaml documents no common class of exception.
        why = ' '.join(str(error).split())[:200]
        raise RecordingError(f'{file} cannot be read as metadata of a bag: {why}') from None
    return names
