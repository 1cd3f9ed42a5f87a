"""Values as YAML that ROS reads as they are meant: numbers, names, lists; and comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any

# Characters of a line of a comment.
WIDTH = 95
# Words that YAML 1.1, which ROS reads, takes for a bool or for nothing, or splits, are not plain.
PLAIN = re.compile(r'(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_]*')


def yaml_value(value: Any) -> str:
    """A value of a parameter as ROS reads it from YAML, in one line."""
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, dict):
        return f'{{{", ".join(f"{name}: {yaml_value(each)}" for name, each in value.items())}}}'
    if isinstance(value, list):
        return f'[{", ".join(map(yaml_value, value))}]'
    if isinstance(value, float):
        # 1e-10 would be read as a string.
        return re.sub(r'^(-?\d+)e', r'\1.0e', repr(value))
    if isinstance(value, str) and not PLAIN.fullmatch(value):
        return _quoted(value)
    return str(value)


def yaml_comment(title: str, sentences: Iterable[str]) -> str:
    """A comment above other lines: a title and sentences; empty where there is no sentence."""
    lines = []
    for sentence in sentences:
        # Names of files may hold what no YAML may.
        plain = ''.join(each if each.isprintable() else ' ' for each in sentence)
        lines += textwrap.wrap(' '.join(plain.split()), WIDTH, initial_indent='  ')
    return ''.join(f'# {line}\n' for line in [title, *lines]) + '#\n' if lines else ''


def _quoted(text: str) -> str:
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    escaped = (
        character
        if character.isprintable() and character not in '"\\'
        else f'\\U{ord(character):08x}'
        for character in text
    )
    return f'"{"".join(escaped)}"'
