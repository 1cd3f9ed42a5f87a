"""Writes the documents of the parameters, from the tables that the nodes declare.

python -m scripts.parameters [folder], from the root of the repository

These are config/robot_dynamics.yaml, and the tables between markers in docs/parameters.md
and docs/simulated_arm.md. A test compares them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from robot_dynamics_ros.ros.parameters import node_table
from robot_dynamics_ros.ros.parameters.documents import (
    between_markers,
    markdown_table,
    parameter_file,
)
from robot_dynamics_ros.simulation import arm_parameters

ROOT = Path(__file__).resolve().parents[1]
MARKER = 'parameters, written by scripts/parameters.py'
HEAD = """\
config/robot_dynamics.yaml: every parameter of dynamics_node with its default. Copy this file,
change what you need, and pass it with params_file:=... to dynamics.launch.py, or with
--ros-args --params-file to dynamics_node.

`/**:` stands for nodes of any name. For one of several nodes, write its full name instead, as in
/left/robot_dynamics: so that the file of one arm is not used for the other.

Parameters marked "Live" can be set while the node runs. The others are read on configure.

Written by `python -m scripts.parameters` from robot_dynamics_ros/ros/parameters/*_rows.py; in
the repository, change it there.
"""


def documents() -> dict[str, str]:
    """The text of each document, by its path in the repository."""
    tables = {
        'docs/parameters.md': node_table.TABLE,
        'docs/simulated_arm.md': arm_parameters.TABLE,
    }
    marked = {
        path: between_markers((ROOT / path).read_text(), MARKER, markdown_table(table))
        for path, table in tables.items()
    }
    return {'config/robot_dynamics.yaml': parameter_file(node_table.TABLE, HEAD), **marked}


def main(root: Path = ROOT) -> None:
    """Write the documents below a folder."""
    for name, text in documents().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == '__main__':
    main(*map(Path, sys.argv[1:]))
