"""ROS domains in which no other test, nor anything else on this machine, is heard."""

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

# What takes a domain without a lock, such as the demo, takes a lower one.
DOMAINS = range(61, 101)
# How many domains a process takes in turn: what was killed in one is counted there for some
# seconds.
IN_TURN = 5
PARTICIPANTS = range(10)
FOLDER = Path(tempfile.gettempdir()) / f'ros_domains_{os.getuid()}'
# Locked files of this process, by domain, the one that was used last at the end.
_locked = {}


def free_domain():
    """One that no other process takes until this one ends, and that nothing uses now."""
    if len(_locked) < IN_TURN:
        _lock_another()
    for domain in list(_locked):
        _locked[domain] = _locked.pop(domain)
        if _unused(domain):
            return domain
    raise AssertionError('no ROS domain is free')


def _lock_another():
    FOLDER.mkdir(exist_ok=True)
    taken = {*_locked, int(os.environ.get('ROS_DOMAIN_ID') or 0)}
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        if domain in taken:
            continue
        file = (FOLDER / str(domain)).open('w')
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        if _unused(domain):
            # In front: it is the next one.
            others = dict(_locked)
            _locked.clear()
            _locked.update({domain: file, **others})
            return
        file.close()


def _unused(domain):
    """Whether its participants would find their ports free (RTPS 2.5, 9.6.2.3).

    A process numbers its participants over all domains: the first of a domain need not be 0.
    """
    for participant in PARTICIPANTS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('127.0.0.1', 7400 + 250 * domain + 10 + 2 * participant))
            except OSError:
                return False
    return True
