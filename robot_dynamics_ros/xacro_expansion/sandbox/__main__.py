"""Expands the xacro text on stdin within limits; stdout is `expanded` or `refused`, then the text.

The arguments are the folders where xacro and what it imports are found. A refusal is one line.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from expressions import COMMAND, NESTED_TOO_DEEPLY, Refused, check_element
from limits import LONGEST_RESULT, MEBIBYTE, MEMORY, limit_this_process


def main() -> None:
    """Answer the one text that stdin holds."""
    limit_this_process()
    sys.path += sys.argv[1:]
    answer = sys.stdout.buffer
    # xacro prints warnings.
    sys.stdout = sys.stderr = io.StringIO()
    try:
        status, text = 'expanded', expand(sys.stdin.buffer.read().decode())
    # What xacro raises depends on what the text makes it do; all of it is the text's fault.
    except Exception as error:
        status, text = 'refused', ' '.join(reason(error).split())[:1000]
    answer.write(f'{status}\n{text}'.encode(errors='replace'))
    answer.flush()
    # Freeing a large document takes longer than leaving it to the system.
    os._exit(0)


def expand(text: str) -> str:
    """The URDF that a xacro text stands for.

    Raises:
        Refused: the text needs more than itself, or its URDF is too long.
        Exception: whatever xacro raises.
    """
    import xacro

    document = xacro.parse(text)
    check_element(document.documentElement)
    xacro.process_doc(document, verbosity=0)
    expanded: str = document.toxml()
    if len(expanded) > LONGEST_RESULT:
        raise Refused(
            f'xacro: the expanded description has {len(expanded)} characters, '
            f'at most {LONGEST_RESULT} are allowed: {COMMAND}'
        )
    return expanded


def reason(error: BaseException) -> str:
    """Why a text is not expanded, for the user."""
    causes = list(chain(error))
    if isinstance(error, Refused):
        return str(error)
    if any(isinstance(cause, MemoryError) for cause in causes):
        return (
            'xacro: expanding the description takes more than the allowed '
            f'{MEMORY // MEBIBYTE} MiB of memory: {COMMAND}'
        )
    if any(isinstance(cause, RecursionError) for cause in causes):
        return NESTED_TOO_DEEPLY
    return f'xacro cannot expand the description: {error}'


def chain(error: Any) -> Any:
    """An error and those that it was raised for; xacro keeps them in `exc`."""
    while error is not None:
        yield error
        error = getattr(error, 'exc', None) or error.__context__


if __name__ == '__main__':
    main()
