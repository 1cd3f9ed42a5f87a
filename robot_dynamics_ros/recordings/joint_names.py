"""Joints of a recording under other names, and names that nearly fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product

from robot_dynamics_ros.core.errors import RecordingError


def renamed(recorded: Sequence[str], renaming: Mapping[str, str]) -> tuple[str, ...]:
    """Names of joints after renaming.

    Keys are recorded names; one that is not is a prefix: it is replaced where a name begins with
    it; the longest one counts. The empty one gives all other names a prefix.

    Raises:
        RecordingError: a key fits no joint, or two joints get the same name.
    """
    prefixes = sorted(set(renaming).difference(recorded), key=len, reverse=True)
    unused, names = set(renaming), []
    for name in recorded:
        key = name if name in renaming else next(filter(name.startswith, prefixes), None)
        names.append(name if key is None else renaming[key] + name[len(key) :])
        unused.discard(name if key is None else key)
    if unused:
        raise RecordingError(
            f'nothing to rename from {min(unused)!r}: the recording has {", ".join(recorded)}'
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RecordingError(f'two joints would be named {twice[0]!r}: rename them differently')
    return tuple(names)


def offered_renaming(recorded: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """One prefix for another, so that all wanted joints are recorded, or all recorded ones wanted.

    It is empty if there is no such prefix, or several that do not rename the same joints.
    """
    missing = [name for name in wanted if name not in recorded]
    free = [name for name in recorded if name not in wanted]
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for name, other in product(missing, free):
        # A prefix ends as words do.
        ends = (other[start:] for start in range(len(other) + 1))
        common = next(filter(name.endswith, ends)).lstrip('_/-')
        old, new = other.removesuffix(common), name.removesuffix(common)
        if not common or old in recorded:
            continue
        with suppress(RecordingError):
            names = renamed(recorded, {old: new})
            if set(wanted) <= set(names) or set(names) <= set(wanted):
                # What other names become makes no difference.
                used = tuple(each if each in wanted else '' for each in names)
                found.setdefault(used, {old: new})
    return found.popitem()[1] if len(found) == 1 else {}


def recorded_names(new: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Recorded names of wanted joints, by the names after renaming by recorded ones.

    Raises:
        RecordingError: a joint is not in the recording; the message offers a renaming.
    """
    recorded = {new_name: old for old, new_name in new.items()}
    if not (missing := [joint for joint in wanted if joint not in recorded]):
        return tuple(recorded[joint] for joint in wanted)
    # Instead of the renaming that was given.
    offer = rename_options(offered_renaming(tuple(new), wanted))
    raise RecordingError(
        f'joint {missing[0]!r} is not in the recording, which has {", ".join(sorted(recorded))}'
        + (f': perhaps {offer}' if offer else '')
    )


def rename_options(renaming: Mapping[str, str]) -> str:
    """A renaming as options of the command."""
    return ' '.join(f'--rename {old}={new}' for old, new in renaming.items())
