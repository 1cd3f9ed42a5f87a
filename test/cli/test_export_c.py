"""`robot_dynamics export-c`: the package that is written, and the files that stay."""

import pytest
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

pytestmark = pytest.mark.contract


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    return tmp_path


def test_it_writes_what_export_c_gives(answer, files):
    quantities = ['gravity_torque', 'jacobian']
    expected = export_c(
        parse_urdf(URDF), name='my', quantities=quantities, frame=['hand', 'slider'], urdf=URDF
    )
    options = '--name', 'my', '--quantities', ', '.join(quantities), '--frame', 'hand'
    options += '--frame', 'slider'
    code, found, stderr = answer('export-c', 'arm.urdf', '--output', 'out', *options)
    assert (code, stderr, found['folder']) == (0, '', 'out')
    assert (found['package'], set(found['files'])) == ('my_dynamics', set(expected))
    for path, text in expected.items():
        assert (files / 'out' / path).read_text() == text


def test_all_quantities(run, files):
    """An earlier export in the folder is replaced, with --force only."""
    for frame, expected in ([], False), (['--frame', 'hand'], True):
        ended = run('export-c', 'arm.urdf', '--quantities', 'all', '--output', 'out', *frame)
        if frame:
            assert (ended.returncode, '--force' in ended.stderr) == (2, True)
            ended = run(*ended.args, '--force')
        assert ended.returncode == 0
        header = (files / 'out/include/three_dynamics/three_dynamics.h').read_text()
        assert 'int three_regressor(' in header
        assert ('int three_jacobian(' in header) == expected
