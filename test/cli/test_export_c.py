"""`robot_dynamics export-c`: the package that is written, and the files that stay."""

import json

import pytest
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

pytestmark = pytest.mark.contract


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    return tmp_path


def test_it_writes_what_export_c_gives_also_of_a_topic(run, files):
    expected = export_c(
        parse_urdf(URDF), name='my', quantities=['gravity_torque', 'jacobian'],
        frame=['hand', 'slider'], urdf=URDF,
    )  # fmt: skip
    options = ['--name', 'my', '--quantities', 'gravity_torque, jacobian']
    options += ['--frame', 'hand', '--frame', 'slider']
    for folder, source in (('file', ['arm.urdf']), ('topic', ['--topic', '/robot_description'])):
        ended = run(
            'export-c', *source, '--output', folder, *options, '--json', '-',
            read_topic=lambda topic: URDF,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        found = json.loads(ended.stdout)
        assert (found['folder'], found['package']) == (folder, 'my_dynamics')
        assert set(found['files']) == set(expected)
        for path, text in expected.items():
            assert (files / folder / path).read_text() == text


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
