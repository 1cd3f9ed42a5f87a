"""Joints of a recording under other names, and names that nearly fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product, takewhile

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
            f'nothing to rename from {sorted(unused)[0]!r}: the recording has '
            f'{", ".join(recorded)}'
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RecordingError(f'two joints would be named {twice[0]!r}: rename them differently')
    return tuple(names)


def offered_renaming(recorded: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """A renaming after which all wanted joints are recorded, or all recorded ones wanted.

    Tried are one prefix for another, a prefix that is missing, and names that end in the same
    number.

    Args:
        recorded: names in the recording.
        wanted: names of which some are missing there.

    Returns:
        Empty if no renaming is obvious.
    """
    missing = [name for name in wanted if name not in recorded]
    free = [name for name in recorded if name not in wanted]
    return (
        _prefix(recorded, wanted, missing, free)
        or _pairs(missing, free, str.endswith)
        or _pairs(missing, free, lambda name, other: _number(name) == _number(other))
    )


def recorded_names(name: str, new: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Recorded names of wanted joints.

    Args:
        name: of the recording, for messages.
        new: names after renaming by recorded ones.
        wanted: names after renaming.

    Raises:
        RecordingError: a joint is not in the recording; the message offers a renaming.
    """
    recorded = {new_name: old for old, new_name in new.items()}
    missing = [joint for joint in wanted if joint not in recorded]
    if not missing:
        return tuple(recorded[joint] for joint in wanted)
    # Instead of the renaming that was given.
    offer = rename_options(offered_renaming(tuple(new), wanted))
    has = 'has' if all(old == name for old, name in new.items()) else 'after renaming has'
    raise RecordingError(
        f'{name}: joint {missing[0]!r} is not in the recording, which {has} '
        f'{", ".join(sorted(recorded))}' + (f': perhaps {offer}' if offer else '')
    )


def rename_options(renaming: Mapping[str, str]) -> str:
    """A renaming as options of the command."""
    return ' '.join(f'--rename {old}={new}' for old, new in renaming.items())


def _prefix(
    recorded: Sequence[str], wanted: Sequence[str], missing: Sequence[str], free: Sequence[str]
) -> dict[str, str]:
    """One prefix for another, which a missing name has instead of a recorded one."""
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, other in product(missing, free):
        common = len(
            list(
                takewhile(
                    lambda pair: pair[0] == pair[1], zip(name[::-1], other[::-1], strict=False)
                )
            )
        )
        for size in range(common, 0, -1):
            prefix = other[:-size], name[:-size]
            names = _fitting_names(*prefix, recorded, wanted)
            if names:
                # What other names become makes no difference.
                used = tuple(each if each in wanted else '' for each in names)
                found.setdefault(used, []).append(prefix)
    if len(found) != 1:
        return {}
    # Best a prefix that ends as words do.
    (prefixes,) = found.values()
    return dict(sorted(prefixes, key=lambda each: not each[0].endswith(('_', '/', '-')))[:1])


def _fitting_names(
    old: str, new: str, recorded: Sequence[str], wanted: Sequence[str]
) -> tuple[str, ...]:
    """Names after a prefix is replaced, if they fit those that are wanted; else none."""
    if not old or old in recorded:
        return ()
    try:
        names = renamed(recorded, {old: new})
    except RecordingError:
        return ()
    return names if set(wanted) <= set(names) or set(names) <= set(wanted) else ()


def _pairs(
    missing: Sequence[str], free: Sequence[str], alike: Callable[[str, str], bool]
) -> dict[str, str]:
    """Recorded names by what each is alike to; empty if that is ambiguous or leaves both over."""
    pairs = [(other, name) for name, other in product(missing, free) if alike(name, other)]
    renaming = dict(pairs)
    unique = len(renaming) == len(pairs) == len(set(renaming.values()))
    return renaming if unique and len(pairs) == min(len(missing), len(free)) else {}


def _number(name: str) -> str:
    """The number at the end of a name; the name itself if it has none."""
    found = re.search(r'\d+$', name)
    return found.group() if found else name
