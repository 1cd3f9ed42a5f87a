"""A mark that all files of one export have: files of two exports do not compile together.

A folder that exists is filled file by file. A process that is killed between two of them leaves
files of two exports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from .identifiers import Names

# Stands in the texts until the mark is known, which comes from all of them.
MARK = '0xMARK_OF_THE_EXPORT'
CHECK = """\
#if {macro}_EXPORT != {mark}
#error "this file and {package}.h are of two exports: run robot_dynamics export-c again"
#endif
"""


def marked(files: Mapping[str, str]) -> dict[str, str]:
    """The files with their mark, 32 bits of the SHA-256 of all texts: other texts, another mark.

    Args:
        files: text of each file by its path.
    """
    content = ''.join(f'{path}\0{text}\0' for path, text in sorted(files.items()))
    mark = f'0x{hashlib.sha256(content.encode()).hexdigest()[:8]}'
    return {path: text.replace(MARK, mark) for path, text in files.items()}


def mark_check(names: Names) -> str:
    """The lines of a C file, below the header, that refuse the header of another export."""
    return CHECK.format(macro=names.macro, package=names.package, mark=MARK)
