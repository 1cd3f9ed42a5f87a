"""The command `xacro`, which also refuses arguments that a file does not ask for.

It is run as a script, in a process of its own, and imports nothing of this package.
"""

from __future__ import annotations

import sys
from typing import Any

import xacro

# Exit status where an argument is not asked for.
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


def main() -> None:
    """Expand the file of the command line; exit with `NOT_ASKED_FOR` where that is due."""
    refuse = sys.argv.pop(1) == REFUSE
    process_file = xacro.process_file

    def process(name: str, **options: Any) -> Any:
        given = dict(options.get('mappings') or {})
        arguments = AskedArguments(given)
        document = process_file(name, **{**options, 'mappings': arguments})
        ignored = sorted(set(given) - arguments.asked)
        if ignored and refuse:
            named = ', '.join(sorted(arguments.asked)) or 'none'
            sys.stderr.write(f'\nit has no argument {", ".join(ignored)}; its arguments: {named}')
            sys.exit(NOT_ASKED_FOR)
        return document

    xacro.process_file = process
    xacro.main()


if __name__ == '__main__':
    main()
