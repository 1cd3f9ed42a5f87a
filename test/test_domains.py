"""Two test runs at a time never use one ROS domain."""

import itertools
import socket
import subprocess
import sys
from pathlib import Path

import domains

OTHER = """
import pathlib, sys
import domains
domains.FOLDER = pathlib.Path(sys.argv[1])
domains.DOMAINS = range(61, 65)
domains._unused = lambda domain: True
print(domains.free_domain(), flush=True)
input()
"""


def test_a_domain_of_another_process_or_of_the_environment_is_not_taken(tmp_path, monkeypatch):
    changes = {'_unused': lambda domain: True, 'FOLDER': tmp_path, '_locked': {}}
    for name, value in {**changes, 'DOMAINS': range(61, 65)}.items():
        monkeypatch.setattr(domains, name, value)
    monkeypatch.setenv('ROS_DOMAIN_ID', '62')
    other = subprocess.Popen(
        [sys.executable, '-c', OTHER, str(tmp_path)],
        cwd=Path(domains.__file__).parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        taken = int(other.stdout.readline())
        own = [domains.free_domain() for _ in range(6)]
    finally:
        other.communicate('\n')
    assert set(own) == {61, 63, 64} - {taken}
    # In turn: what was killed in one domain is counted there for some seconds.
    assert all(before != after for before, after in itertools.pairwise(own))


def test_a_domain_is_used_by_a_participant_of_any_number():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as participant:
        participant.bind(('127.0.0.1', 7400 + 250 * domains.DOMAINS.stop + 10 + 2 * 3))
        assert not domains._unused(domains.DOMAINS.stop)
