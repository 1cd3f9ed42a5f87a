"""Joints of a recording under other names, and names that nearly fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from robot_dynamics_ros.core.errors import RecordingError


def renamed(recorded: Sequence[str], renaming: Mapping[str, str]) -> tuple[str, ...]:
    """Names of joints after renaming.

    Args:
        recorded: names in the recording.
        renaming: new names by recorded ones. A key that is not the name of a joint is a prefix:
            it is replaced where a name begins with it; the longest one counts.

    Raises:
        RecordingError: a key fits no joint, or two joints get the same name.
    """
    prefixes = sorted((key for key in renaming if key not in recorded), key=len, reverse=True)
    unused = set(renaming)
    names = []
    for name in recorded:
        key = name if name in renaming else next((p for p in prefixes if name.startswith(p)), None)
        names.append(name if key is None else renaming[key] + name[len(key) :])
        unused.discard(name if key is None else key)
    if unused:
        raise RecordingError(
            f'nothing to rename from {sorted(unused)[0]!r}: the recording has {_list(recorded)}'
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RecordingError(f'two joints would be named {twice[0]!r}: rename them differently')
    return tuple(names)


def offered_renaming(recorded: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """A renaming after which all wanted joints are there; empty if none is obvious.

    Tried are one prefix for another, and names whose letters and digits end alike.

    Args:
        recorded: names in the recording.
        wanted: names that are missing there, and others.
    """
    missing = [name for name in wanted if name not in recorded]
    free = [name for name in recorded if name not in wanted]
    pairs: dict[str, str] = {}
    for name in missing:
        alike = [other for other in free if _ending(other) == _ending(name)]
        if len(alike) != 1 or alike[0] in pairs:
            return {}
        pairs[alike[0]] = name
    return _as_prefix(pairs, recorded) or pairs


def rename_options(renaming: Mapping[str, str]) -> str:
    """A renaming as options of the command."""
    return ' '.join(f'--rename {old}={new}' for old, new in renaming.items())


def _ending(name: str) -> str:
    """What remains of a name without its prefix: the last word, or `joint` and what follows."""
    words = re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')
    found = re.search(r'(?:joint|axis|a)_?\d+$', words)
    if found:
        return re.sub(r'\D', '', found.group())
    return words


def _as_prefix(pairs: Mapping[str, str], recorded: Sequence[str]) -> dict[str, str]:
    """The same renaming with one prefix; empty if there is none."""
    if len(pairs) < 2:
        return {}
    old, new = next(iter(pairs.items()))
    common = 0
    while common < min(len(old), len(new)) and old[-1 - common] == new[-1 - common]:
        common += 1
    for size in range(common, 0, -1):
        prefix = {old[: len(old) - size]: new[: len(new) - size]}
        if '' in prefix or next(iter(prefix)) in recorded:
            continue
        try:
            names = dict(zip(recorded, renamed(recorded, prefix), strict=True))
        except RecordingError:
            continue
        if all(names[name] == wanted for name, wanted in pairs.items()):
            return prefix
    return {}


def _list(names: Sequence[str]) -> str:
    return ', '.join(names) or 'no joints'
