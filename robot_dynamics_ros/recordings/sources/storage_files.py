"""The storage files of a bag: their order, and readers of rosbags that expand within limits."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePath
from shutil import copyfileobj
from typing import Any

from rosbags.rosbag1 import Reader as Rosbag1Reader
from rosbags.rosbag1.reader import decompressors
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader
from ruamel.yaml import YAML

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import ExpandedFile, expanded, zstd

METADATA = 'metadata.yaml'
STORAGES = ('.mcap', '.db3')
COMPRESSED = '.zstd'
# [bytes]
LARGEST_METADATA, BLOCK = 1 << 24, 1 << 20
MAGIC = b'\x89MCAP0\r\n'
ROSBAG1 = b'#ROSBAG V'
# A footer: opcode, size, start of the summary, two more numbers; then the magic.
FOOTER, SUMMARY = 37, slice(9, 17)
RECOVER = 'recover it with `mcap recover FILE -o OUT`'
# [bytes] of a chunk of a ROS 1 bag: a hundred times what recorders write.
LARGEST_CHUNK = 1 << 28


def storage_files(path: Path) -> list[Path]:
    """The files of a bag: those that the metadata of a folder name, or the file itself.

    Of a folder without metadata.yaml, which the recorder writes last, all storage files.

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
            f'{path} is not a recording: the folder has neither {METADATA} nor files that end in '
            f'{", ".join(STORAGES)} or .csv'
        )
    return files


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
    """Storage files; readers are put in the order of their first messages."""
    files = sorted(folder.iterdir())
    return [file for file in files if file.name.removesuffix(COMPRESSED).endswith(STORAGES)]


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


class IndexedMcapReader(McapReader):
    """Reads the summary of an MCAP file, and refuses a file without one."""

    def meta_scan(self) -> None:
        """Called where the summary does not say what the file holds."""
        if self.statistics is None or self.statistics.message_count:
            raise RecordingError(f'its summary is incomplete: {RECOVER}')


def opened_storage(storage: Path) -> Any:
    """An open reader of a file that ends in .mcap, .db3 or .bag.

    Raises:
        RecordingError: its recorder has not finished it, or it has no index.
        Exception: of rosbags, which documents no class, where it is damaged.
    """
    if storage.suffix == '.mcap':
        _check_mcap(storage)
        reader: Any = IndexedMcapReader(storage)
    elif storage.suffix == '.db3':
        _check_sqlite3(storage)
        reader = Sqlite3Reader(storage)
    else:
        _check_rosbag1(storage)
        reader = Rosbag1Reader(storage)
    reader.open()
    if storage.suffix == '.mcap' and reader.statistics.chunk_count and not reader.chunks:
        reader.close()
        raise RecordingError(f'it has no index of its chunks: {RECOVER}')
    if storage.suffix == '.bag':
        _bound_chunks(reader)
    return reader


def start_of(reader: Any) -> int:
    """Time of the first message [ns]."""
    metadata = getattr(reader, 'metadata', None)
    return int(reader.start_time if metadata is None else metadata.start_time)


def _check_mcap(storage: Path) -> None:
    with storage.open('rb') as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RecordingError('it does not begin as MCAP files do')
        size = storage.stat().st_size
        file.seek(max(0, size - FOOTER))
        footer = file.read()
    if size < FOOTER or footer[-len(MAGIC) :] != MAGIC:
        raise RecordingError(f'its end is missing, the recorder has not finished it: {RECOVER}')
    if not any(footer[SUMMARY]):
        raise RecordingError(f'it has no index: {RECOVER}')


def _check_rosbag1(storage: Path) -> None:
    with storage.open('rb') as file:
        if file.read(len(ROSBAG1)) != ROSBAG1:
            raise RecordingError(
                'it does not begin as bags of ROS 1 do: those of ROS 2 end in .mcap or .db3'
            )


def _check_sqlite3(storage: Path) -> None:
    log = storage.with_name(storage.name + '-wal')
    if log.exists() and log.stat().st_size:
        raise RecordingError(
            f'{log.name} holds what was recorded last, the recorder has not finished: merge it '
            f"with `sqlite3 {storage.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`"
        )


def _bound_chunks(reader: Any) -> None:
    """Let a reader of a ROS 1 bag decompress chunks within limits."""
    names = {function: name for name, function in decompressors.items()}
    for position, chunk in reader.chunks.items():
        compression = names[chunk.decompressor]
        if compression != 'none':
            bounded = partial(expanded, compression=compression, most=LARGEST_CHUNK)
            reader.chunks[position] = chunk._replace(decompressor=bounded)
