"""The torques of a model along a recording, as files: MCAP, CSV or Parquet.

Modules::

    torque_samples     a motion with the torques of a model, in parts
    torque_file        the file of a path, by its ending
    mcap_file          MCAP for ROS tools: the recorded states and the torques beside them
    pending_states     recorded states, up to one time after the other
    joint_state_rows   serialized joint states, many at a time
    torque_table       the columns of a table of torques
    csv_file           CSV
    parquet_file       Parquet; only this module imports pyarrow
"""

from .torque_file import ENDINGS, TorqueFile, check_ending, open_torque_file
from .torque_samples import TorqueOrigin, TorqueSamples

__all__ = [
    'ENDINGS',
    'TorqueFile',
    'TorqueOrigin',
    'TorqueSamples',
    'check_ending',
    'open_torque_file',
]
