"""The executables: what they set before anything is imported."""

import os

import pytest

from robot_dynamics_ros import executables


@pytest.mark.parametrize(('given', 'used'), [(None, '1'), ('3', '3')])
def test_the_command_has_one_thread_of_blas_unless_told_otherwise(monkeypatch, given, used):
    """NumPy reads the number when the command is imported, which `_run` does."""
    name = 'OPENBLAS_NUM_THREADS'
    monkeypatch.setenv(name, given or '')
    if given is None:
        monkeypatch.delenv(name)
    monkeypatch.setattr(executables, '_run', lambda *_, **__: os.environ[name])
    assert executables.robot_dynamics() == used
