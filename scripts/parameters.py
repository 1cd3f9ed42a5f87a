"""Writes the documents of the parameters, from the tables that the nodes declare.

python -m scripts.parameters [folder], from the root of the repository

These are config/robot_dynamics.yaml, docs/parameters.md, and the table between markers in
docs/simulated_arm.md. A test compares them.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from robot_dynamics_ros.parameter_yaml import yaml_value
from robot_dynamics_ros.ros import parameter_table
from robot_dynamics_ros.ros.parameters import Parameter, Table
from robot_dynamics_ros.simulation import arm_parameters

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 99
INDENT = '    '
MARKER = 'parameters, written by scripts/parameters.py'
FILE_HEAD = """\
# config/robot_dynamics.yaml: every parameter of dynamics_node with its default. Copy this file,
# change what you need, and pass it with params_file:=... to dynamics.launch.py, or with
# --ros-args --params-file to dynamics_node.
#
# `/**:` stands for nodes of any name. For one of several nodes, write its full name instead, as in
# /left/robot_dynamics: so that the file of one arm is not used for the other, and no node is given
# a parameter that it does not have, which it refuses.
#
# Parameters marked "Live" can be set while the node runs. The others are read on configure.
#
# Written by `python -m scripts.parameters` from robot_dynamics_ros/ros/parameter_table.py; in
# the repository, change it there.
/**:
  ros__parameters:
"""
PAGE_HEAD = """\
# Parameters of dynamics_node

Written by `python -m scripts.parameters`; `config/robot_dynamics.yaml` explains each in full. Live
parameters can be set while the node runs (`ros2 param set`), the others are read on configure.
Lists have one value for each commanded joint, in the order of `joints`, or one for all. A node
that is given a name that it does not have, also below `/**`, does not configure: in a file for
several nodes, write each block below the name of its node. A file without a block for the node
is refused too. The quality of service of a topic is a parameter too, such as
`qos_overrides./joint_states.subscription.reliability`. The environment variable
`ROBOT_DYNAMICS_BACKEND` (`native` or `python`) selects what compiles the dynamics; by default
native code with llvmlite, else plain Python, 25 to 200 times slower.
"""


def documents() -> dict[str, str]:
    """The text of each document, by its path in the repository."""
    node = parameter_table.TABLE
    simulated = 'docs/simulated_arm.md'
    page = [f'\n## {heading}\n\n{_table(rows)}' for heading, rows in node.groups.items()]
    (arm_rows,) = arm_parameters.TABLE.groups.values()
    return {
        'config/robot_dynamics.yaml': FILE_HEAD + _parameter_file(node),
        'docs/parameters.md': ''.join([PAGE_HEAD, *page]),
        simulated: _between_markers((ROOT / simulated).read_text(), _table(arm_rows)),
    }


def _parameter_file(table: Table) -> str:
    """The lines of a parameter file with every default."""
    lines = []
    for heading, rows in table.groups.items():
        lines += [f'{INDENT}# --- {heading}', '']
        for row in rows:
            # ROS reads no empty map from a file.
            sign = '# ' if row.many == 'map' else ''
            line = f'{INDENT}{sign}{row.name}: {yaml_value(row.default)}'
            lines += [*_comment(row), line, '']
    return '\n'.join(lines).rstrip() + '\n'


def _comment(row: Parameter) -> list[str]:
    facts = ['live'] if row.live else []
    facts += [f'unit: {row.unit}'] if row.unit else []
    facts += [f'empty: {row.empty}'] if row.empty else []
    facts += [row.allowed()] if row.allowed() and not row.choices else []
    sentences = ' '.join(f'{fact[0].upper()}{fact[1:]}.' for fact in facts)
    lines = _wrapped(f'{row.description} {row.details}') + _wrapped(sentences)
    widest = max(map(len, row.choices), default=0)
    for choice, meaning in row.choices.items():
        lines += _wrapped(f'  {choice:{widest}}  {meaning}', hanging=widest + 4)
    return lines


def _wrapped(text: str, hanging: int = 0) -> list[str]:
    sign = f'{INDENT}# '
    return textwrap.wrap(
        text.rstrip(), WIDTH, initial_indent=sign, subsequent_indent=sign + ' ' * hanging
    )


def _table(rows: tuple[Parameter, ...]) -> str:
    """A Markdown table with one row for each parameter."""
    lines = [['name', 'default', 'unit', 'live', 'meaning'], ['---'] * 5]
    for row in rows:
        choices = ', '.join(f'`{choice}`' for choice in row.choices)
        meaning = row.description.rstrip('.')
        meaning += f': {choices}' if choices else f'; empty: {row.empty}' if row.empty else ''
        default = f'`{yaml_value(row.default)}`'
        lines.append([f'`{row.name}`', default, row.unit, 'yes' if row.live else '', meaning])
    return ''.join(f'| {" | ".join(cells)} |\n' for cells in lines)


def _between_markers(document: str, text: str) -> str:
    """A document whose lines between `<!-- MARKER -->` and the end of it are replaced."""
    begin, end = f'<!-- {MARKER} -->\n', f'<!-- end of {MARKER} -->\n'
    before, after = document.split(begin)
    return f'{before}{begin}{text}{end}{after.split(end)[1]}'


def main(root: Path = ROOT) -> None:
    """Write the documents below a folder."""
    for name, text in documents().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == '__main__':
    main(*map(Path, sys.argv[1:]))
