"""The command `xacro`, which also refuses arguments that a file does not have.

Its first line lists the files that it has included, as JSON.

It is run as a script, in a process of its own, and imports nothing of this package.
"""

from __future__ import annotations

import glob
import json
import os
import sys
from typing import Any
from xml.dom import minidom
from xml.parsers.expat import ExpatError

import xacro

PARSE, INCLUDE = xacro.parse, xacro.get_include_files

# Exit status where there is no such argument.
NOT_ASKED_FOR = 3
# First word of the command line where such an argument is refused.
REFUSE = 'refuse'


class AskedArguments(dict[str, str]):
    """The arguments of a command line, and the names that a file asks for.

    Declarations (`xacro:arg`) ask whether there is a value, `$(arg name)` asks for it.
    """

    def __init__(self, given: dict[str, str]) -> None:
        """Have been asked for nothing."""
        super().__init__(given)
        self.asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


class ReadFiles:
    """What files declare and include, also in branches of conditions that are not taken.

    Attributes:
        declared: names of arguments.
    """

    def __init__(self) -> None:
        """Have read nothing."""
        self.declared: set[str] = set()
        self._seen: set[str] = set()
        self._taken: set[str] = set()
        self._included: list[tuple[str, str]] = []

    def parse(self, text: Any, file: str | None = None) -> Any:
        """The document that `xacro.parse` gives."""
        document = PARSE(text, file)
        if file is not None:
            self._note(document, file)
        return document

    def include(self, name: str, symbols: Any) -> Any:
        """The files that `xacro.get_include_files` gives, in a branch that is taken."""
        self._taken.add(name)
        return INCLUDE(name, symbols)

    def follow(self) -> list[str]:
        """Read what is included in other branches; the names of files that are not found."""
        lost = []
        while self._included:
            folder, name = self._included.pop()
            for file in () if name in self._taken else _files(folder, name):
                if os.path.realpath(file) in self._seen:
                    continue
                try:
                    self._note(minidom.parse(file), file)
                except (OSError, ExpatError):
                    lost.append(name)
        return lost

    def _note(self, document: Any, file: str) -> None:
        self._seen.add(os.path.realpath(file))
        for declaration in document.getElementsByTagName('xacro:arg'):
            self.declared.add(declaration.getAttribute('name'))
        for include in document.getElementsByTagName('xacro:include'):
            self._included.append((os.path.dirname(file), include.getAttribute('filename')))


def _files(folder: str, name: str) -> list[str]:
    """The files that an include names; as it stands where it needs properties or arguments."""
    try:
        name = str(xacro.eval_text(name, {}))
    except Exception:
        return [name]
    path = os.path.join(folder, name)
    return sorted(glob.glob(path)) or [path]


def main() -> None:
    """Expand the file of the command line; exit with `NOT_ASKED_FOR` where that is due."""
    refuse = sys.argv.pop(1) == REFUSE
    process_file, files = xacro.process_file, ReadFiles()

    def process(name: str, **options: Any) -> Any:
        given = dict(options.get('mappings') or {})
        arguments = AskedArguments(given)
        document = process_file(name, **{**options, 'mappings': arguments})
        if refuse:
            _check(set(given), arguments.asked, files)
        included = [os.path.realpath(file) for file in xacro.all_includes]
        sys.stdout.write(f'{json.dumps(included)}\n')
        return document

    xacro.parse, xacro.get_include_files = files.parse, files.include
    xacro.process_file = process
    xacro.main()


def _check(given: set[str], asked: set[str], files: ReadFiles) -> None:
    """Exit with `NOT_ASKED_FOR` if there is an argument that no file has."""
    if given <= asked:
        return
    lost = files.follow()
    ignored = sorted(given - asked - files.declared)
    if ignored:
        named = ', '.join(sorted(asked | files.declared)) or 'none'
        hint = (
            ''
            if not lost
            else (
                f'. It includes {", ".join(lost)} with other arguments only, which was not found: '
                'leave out what is for that file'
            )
        )
        sys.stderr.write(
            f'\nit has no argument {", ".join(ignored)}; its arguments: {named}{hint}'
        )
        sys.exit(NOT_ASKED_FOR)


if __name__ == '__main__':
    main()
