"""YAML of parameters: files of ROS, with blocks for nodes by name, and values by joint."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from robot_dynamics_ros.core.errors import ParameterError

PARAMETERS = 'ros__parameters'
# Last parts of the names of blocks that are for dynamics_node, whatever is in them.
NODES = ('*', '**', 'robot_dynamics')
# What stands for one part of a name, and for any number of them.
WILDCARDS = {'*': '/[^/]+', '**': '(?:/[^/]+)*'}
LARGEST = 1 << 20  # of a file [B]: those of parameters have some kB
# Words that YAML 1.1, which ROS reads, takes for a bool or for nothing, or splits, are not plain.
PLAIN = re.compile(r'(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_]*')
# ROS reads 1e-3 as a number.
EXPONENT = re.compile(r'[-+]?\d+[eE][-+]?\d+\Z')


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    pass


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    pass


def _text(dumper: _Dumper, text: str) -> yaml.Node:
    style = None if PLAIN.fullmatch(text) else "'" if text.isprintable() else '"'
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style=style)


_Loader.add_implicit_resolver('tag:yaml.org,2002:float', EXPONENT, [*'-+0123456789'])
_Dumper.add_representer(str, _text)


def read_yaml(file: Path) -> Any:
    """The content of a YAML file of parameters.

    Raises:
        ParameterError: the file cannot be read, is larger than 1 MiB, or is not YAML.
    """
    try:
        with file.open('rb') as opened:
            content = opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError('it is larger than 1 MiB')
        return yaml.load(content.decode(), _Loader)
    except OSError as error:
        raise ParameterError(f'{file}: cannot be read: {error.strerror}') from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = textwrap.shorten(str(error), 200)
        raise ParameterError(f'{file}: cannot be read as YAML: {reason}') from None


@contextmanager
def errors_in(file: Path | str) -> Iterator[None]:
    """Errors of parameters begin with the name of their file."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None


def values_by_joint(content: Any, kind: str) -> dict[str, Mapping[str, Any]]:
    """What the content of a file says of joints, below its key `joints`: values by name.

    Raises:
        ParameterError: it has no joints, or one has no values by name; a kind of file is needed.
    """
    joints = content.get('joints') if isinstance(content, dict) else None
    if not isinstance(joints, dict) or not joints:
        raise ParameterError(f'no values by joint name below `joints`: {kind} is needed')
    for joint, values in joints.items():
        if not isinstance(values, dict):
            raise ParameterError(f'joint {joint} has {values!r}: its values are needed by name')
    return {str(joint): values for joint, values in joints.items()}


def finite_number(name: str, value: Any) -> float:
    """A number of a file.

    Raises:
        ParameterError: it is none, or not finite; the message begins with the name.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError(f'{name} is {value!r}, a finite number is needed')
    return float(value)


def parameter_blocks(content: Any, name: str = '') -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Names and values of the blocks of a file, in its order; namespaces may be keys."""
    for key, entry in content.items() if isinstance(content, dict) else ():
        if key == PARAMETERS and isinstance(entry, dict):
            yield name, entry
        else:
            yield from parameter_blocks(entry, f'{name}/{str(key).strip("/")}')


def node_parameters(content: Any, names: Collection[str]) -> dict[str, Any]:
    """All values for one dynamics_node in a file; as in ROS, later blocks have precedence.

    Blocks that have one of the names of parameters are for it, whatever their own name.

    Raises:
        ParameterError: no block is for dynamics_node, or two are for different nodes.
    """
    blocks = [*parameter_blocks(content)]
    ours = [
        (name, values)
        for name, values in blocks
        if name.rsplit('/', 1)[-1] in NODES or not values.keys().isdisjoint(names)
    ]
    if not ours:
        others = ', '.join(name for name, _ in blocks) or 'none'
        raise ParameterError(
            f'no block /** or robot_dynamics with {PARAMETERS} (blocks: {others}): name a '
            'parameter file of dynamics_node'
        )
    found = dict.fromkeys(name for name, _ in ours)
    # Is there a node that all are for, with the namespace of one and the last part of another?
    spaces, last = ([name.rpartition('/')[part] for name in found] for part in (0, 2))
    nodes = [f'{space}/{own}' for space in spaces for own in last]
    if not any(all(stands_for(name, node) for name in found) for node in nodes):
        raise ParameterError(
            f'parameters of several nodes ({", ".join(found)}): name a file with those of one '
            'node; blocks /** are for every node'
        )
    return {name: value for _, values in ours for name, value in values.items()}


def stands_for(name: str, node: str) -> bool:
    """Whether the name of a block, which may have wildcards, is that of a node, as in rcl."""
    parts = [WILDCARDS.get(part, f'/{re.escape(part)}') for part in name.split('/')[1:]]
    return re.fullmatch(''.join(parts), node) is not None


def yaml_value(value: Any) -> str:
    """A value of a parameter as ROS reads it from YAML, in one line."""
    style = {'default_flow_style': True, 'allow_unicode': True, 'sort_keys': False}
    text: str = yaml.dump([value], Dumper=_Dumper, width=math.inf, **style)
    return text.strip()[1:-1]


def yaml_comment(title: str, sentences: Iterable[str]) -> str:
    """A comment above other lines: a title and sentences; empty where there is no sentence."""
    # Names of files may hold what no YAML may.
    plain = (''.join(x if x.isprintable() else ' ' for x in one).split() for one in sentences)
    wrapped = (textwrap.wrap(' '.join(one), 95, initial_indent='  ') for one in plain)
    lines = [line for one in wrapped for line in one]
    return ''.join(f'# {line}\n' for line in [title, *lines]) + '#\n' if lines else ''
