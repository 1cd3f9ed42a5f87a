"""A ROS domain of its own, for the processes of the demo."""

from __future__ import annotations

import contextlib
import os
import random
import socket
from pathlib import Path

# Tests take the domains above these.
DOMAINS = range(1, 61)


def isolate() -> int:
    """Restrict this process and its children to this machine and one ROS domain.

    Sets environment variables: call it before rclpy starts.

    Returns:
        The domain: that of the environment if it gives one, else a free one.
    """
    if not os.environ.get('ROS_DOMAIN_ID'):
        os.environ['ROS_DOMAIN_ID'] = str(_free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    for variable in ('ROS_STATIC_PEERS', 'ROS_NAMESPACE'):
        os.environ.pop(variable, None)
    profile = _discovery_profile()
    if profile is not None:
        os.environ.setdefault(profile_variable(), str(profile))
    return int(os.environ['ROS_DOMAIN_ID'])


def profile_variable() -> str:
    """The variable that names the profile: the Fast DDS of Jazzy has another one than later ones.

    Later ones warn of a variable of the old name.
    """
    distributions = os.environ.get('ROS_DISTRO'), os.environ.get('ROS_WHEELS')
    return f'FAST{"RTPS" if "jazzy" in distributions else "DDS"}_DEFAULT_PROFILES_FILE'


def _free_domain() -> int:
    for domain in random.sample(DOMAINS, 20):
        # The first participant of a DDS domain listens here (RTPS 2.5, 9.6.2.3).
        port = 7400 + 250 * domain + 10
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('127.0.0.1', port))
            except OSError:
                continue
            return domain
    return random.choice(DOMAINS)


def _discovery_profile() -> Path | None:
    """The FastDDS profile that makes discovery fast; None if it is not installed."""
    places = [Path(__file__).resolve().parents[2] / 'config']
    # ImportError: no ament index; OSError: no workspace is sourced; LookupError: not in it.
    with contextlib.suppress(ImportError, OSError, LookupError):
        from ament_index_python.packages import get_package_share_directory

        places.append(Path(get_package_share_directory('robot_dynamics_ros')) / 'config')
    for place in places:
        if (place / 'fastdds.xml').is_file():
            return place / 'fastdds.xml'
    return None
