"""Names in C, CMake and ROS of an exported robot, whatever its description calls it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ParameterError

# Of names of functions and packages: none is a reserved word with what is added to it.
LEGAL = re.compile(r'[a-z][a-z0-9]*(_[a-z0-9]+)*')
LONGEST = 40

# Files of two exports do not compile together: a process that is killed while it writes into a
# folder leaves such files. This stands in the texts until their mark is known.
MARK = '0xMARK_OF_THE_EXPORT'
CHECK = """\
#if {macro}_EXPORT != {mark}
#error "this file and {package}.h are of two exports: run robot_dynamics export-c again"
#endif
"""


@dataclass(frozen=True)
class Names:
    """The names that an export defines.

    Attributes:
        prefix: of functions and tables: `ur5` gives `ur5_gravity_torque`.
    """

    prefix: str

    @property
    def macro(self) -> str:
        """Prefix of macros."""
        return self.prefix.upper()

    @property
    def package(self) -> str:
        """Of the package, its library, its headers and its namespace in C++."""
        return f'{self.prefix}_dynamics'


def export_names(name: str | None, robot: str) -> Names:
    """The names of an export.

    Args:
        name: prefix that is asked for; None: made from the name of the robot.
        robot: its name in the description, which may be any text.

    Raises:
        ParameterError: the prefix is no legal one.
    """
    if name is None:
        return Names(_made_from(robot))
    if not isinstance(name, str) or not LEGAL.fullmatch(name) or len(name) > LONGEST:
        raise ParameterError(
            f'name is {name!r}: a lower-case letter, then lower-case letters and digits, with '
            f'single underscores between them, are allowed, at most {LONGEST} characters'
        )
    return Names(name)


def _made_from(text: str) -> str:
    words = re.findall('[a-z0-9]+', text.lower())
    if not words or not words[0][0].isalpha():
        words.insert(0, 'robot')
    return '_'.join(words)[:LONGEST].rstrip('_')


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
