"""Every parameter of dynamics_node, in one table."""

from __future__ import annotations

from .computation_rows import COMPUTATION_ROWS
from .external_rows import EXTERNAL_ROWS
from .guard_rows import GUARD_ROWS
from .robot_rows import ROBOT_ROWS
from .table import Group, ParameterTable
from .torque_rows import TORQUE_ROWS

TABLE = ParameterTable(
    (
        Group('', ROBOT_ROWS),
        Group('The torque', TORQUE_ROWS),
        Group('The guards (docs/safety.md)', GUARD_ROWS),
        Group('External forces and contacts (docs/external_forces.md)', EXTERNAL_ROWS),
        Group('How the dynamics is computed and checked', COMPUTATION_ROWS),
    ),
    read='on configure',
)
