"""ROS domains in which no other test, nor anything else on this machine, is heard."""

import random
import socket


def free_domain():
    """One whose first participant would find its port free (RTPS 2.5, 9.6.2.3)."""
    for domain in random.sample(range(1, 101), 50):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('127.0.0.1', 7400 + 250 * domain + 10))
            except OSError:
                continue
            return domain
    raise AssertionError('no ROS domain is free')
