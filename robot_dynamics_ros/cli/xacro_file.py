"""A xacro file, expanded as the command `xacro` does it: it may include files, and is trusted."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

from robot_dynamics_ros.core.errors import UrdfError

ARGUMENT = re.compile(r'<xacro:arg\b[^>]*?\bname\s*=\s*["\']([^"\']+)|\$\(arg\s+([^)\s]+)')
INCLUDE = re.compile(r'<xacro:include\b[^>]*?\bfilename\s*=\s*["\']([^"\']+)')


def expand_xacro_file(
    file: Path, arguments: Mapping[str, str], *, arguments_of_others: bool = False
) -> tuple[str, list[Path]]:
    """The URDF that a xacro file stands for, and the files that it includes.

    Args:
        file: to expand.
        arguments: of xacro, by name.
        arguments_of_others: whether it may be given arguments that it does not have.

    Raises:
        UrdfError: the package `xacro` is not installed, cannot expand the file, or the file has no
            such argument.
    """
    try:
        import xacro
    except ImportError:
        raise UrdfError(
            'it is xacro, and the package xacro is not installed: pip install xacro'
        ) from None
    known_before = len(xacro.all_includes)
    try:
        # Warnings, such as that of a deprecated form.
        with contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(file), mappings=dict(arguments), verbosity=0)
    # Xacro evaluates Python: what it raises depends on the file.
    except Exception as error:
        said = ' '.join(str(error).split()) or repr(error)
        raise UrdfError(f'xacro cannot expand it: {said}') from None
    included = [Path(name).resolve() for name in xacro.all_includes[known_before:]]
    if not arguments_of_others:
        _check_arguments(arguments, [file.resolve(), *included])
    return document.toprettyxml(indent='  '), included


def _check_arguments(arguments: Mapping[str, str], files: list[Path]) -> None:
    """Check that the files, or those that they would include in other branches, have arguments.

    Raises:
        UrdfError: none of them has one of the arguments.
    """
    known: set[str] = set()
    lost: set[str] = set()
    # The list grows while it is read.
    for file in files:
        text = file.read_text(encoding='utf-8', errors='replace')
        known.update(declared or asked for declared, asked in ARGUMENT.findall(text))
        for name in INCLUDE.findall(text):
            found = (file.parent / name).resolve()
            if not found.is_file():
                lost.add(name)
            elif found not in files:
                files.append(found)
    if ignored := sorted(arguments.keys() - known):
        hint = f'; not looked into: it includes {", ".join(sorted(lost))}' if lost else ''
        named = ', '.join(sorted(known)) or 'none'
        raise UrdfError(f'it has no argument {", ".join(ignored)}; its arguments: {named}{hint}')
