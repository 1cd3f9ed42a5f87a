"""Robots of other kinds: with one joint, with mimic joints, with sliding joints alone."""

import pytest
from exported_library import NAME, compile_as_cpp, compile_c, needs_compilers, run
from mechanics.robots import hand_written

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core.c_export import export_c
from robot_dynamics_ros.core.quantity import QUANTITIES

pytestmark = pytest.mark.contract


@needs_compilers
@pytest.mark.parametrize('own', [True, False])
@pytest.mark.parametrize('name', ['pendulum', 'mimic', 'gantry'])
def test_every_quantity_compiles_without_a_warning_and_checks_itself(name, own, tmp_path):
    """Arguments that a robot does not need, too: one joint has no Coriolis torque."""
    model = hand_written(name).model
    files = export_c(
        model, name=NAME, quantities=list(QUANTITIES), frame=model.frames[-1].name,
        own_sincos=own,
    )  # fmt: skip
    write_folder(tmp_path, files)
    compile_c(
        tmp_path, 'check/check.c', tmp_path / 'src' / f'{NAME}_dynamics.c',
        '-o', tmp_path / 'check.out', '-lm',
    )  # fmt: skip
    assert 'as recorded' in run(tmp_path / 'check.out').stdout
    if own:
        compile_as_cpp(tmp_path)
