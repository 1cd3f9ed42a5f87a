"""The torques of a model along a recording, as files: MCAP, CSV or Parquet.

Modules::

    torque_samples     a motion with the torques of a model, in parts
    torque_file        the file of a path, by its ending
    mcap_file          MCAP for ROS tools: the recorded states and the torques beside them
    pending_states     recorded states, up to one time after the other
    joint_state_rows   serialized joint states, many at a time
    joined_files       files of the parts of a recording to one file
    mcap_joiner        MCAP, without reading the messages
    bag_metadata       what rosbag2 says of a bag, for a joined MCAP
    torque_table       the columns of a table of torques
    csv_file           CSV
    parquet_file       Parquet; only this module imports pyarrow
"""

from .joined_files import join_torque_files
from .torque_file import ENDINGS, TorqueFile, check_ending, open_torque_file
from .torque_samples import TorqueOrigin, TorqueSamples

__all__ = [
    'ENDINGS',
    'TorqueFile',
    'TorqueOrigin',
    'TorqueSamples',
    'check_ending',
    'join_torque_files',
    'open_torque_file',
]
