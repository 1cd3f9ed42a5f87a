"""The command as a whole: exit codes, errors in one line, files that stay, its document."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from glob import glob

import click
import pytest
import three_joints
from recorded_states import csv_file, joint_state_bag, sine_states
from running_command import DOCUMENT, ended
from three_joints import LIMITED as URDF
from waiting import LIMIT, wait_until

from robot_dynamics_ros.cli.command_line import commands
from robot_dynamics_ros.inspection import CODES

pytest.importorskip('rosbags')

pytestmark = pytest.mark.contract

pause = partial(time.sleep, 0.002)
STATES = replace(sine_states(), names=three_joints.JOINTS)
SUBCOMMANDS = commands.list_commands(None)


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Descriptions and recordings, good and bad ones."""
    folder = tmp_path_factory.mktemp('command')
    for name, text in (
        ('arm.urdf', URDF), ('empty.urdf', ''), ('other.xml', '<world/>'),
        ('still.urdf', '<robot name="r"><link name="base"/></robot>'),
        ('deep.urdf', '<robot>' + '<a>' * 200_000),
        ('bomb.urdf', '<!DOCTYPE r [<!ENTITY a "aa">]><robot name="&a;"/>'),
        ('others.yaml', 'joints: {elbow: {coulomb: 1}}'),
    ):  # fmt: skip
        (folder / name).write_text(text)
    (folder / 'binary.urdf').write_bytes(bytes(range(256)))
    (folder / 'folder.urdf').mkdir()
    joint_state_bag(folder / 'bag', STATES)
    csv_file(folder / 'left.csv', replace(STATES, names=tuple(f'left_{n}' for n in STATES.names)))
    return folder


# Words, and what the error says.
REFUSED = """
inspect nowhere.urdf | nowhere.urdf
inspect folder.urdf | folder.urdf
inspect binary.urdf | binary.urdf
inspect empty.urdf | empty.urdf
inspect bomb.urdf | bomb.urdf
inspect deep.urdf | deep.urdf
inspect /dev/zero | 64 MiB
inspect other.xml | <world>
inspect arm.urdf mass:=2 | 'mass:=2'
inspect arm.urdf other.xml | 'other.xml'
inspect | one FILE
inspect bag | bag:
inspect arm.urdf --frame foot | 'foot'
inspect arm.urdf --colour red | --colour
inspect arm.urdf --json folder.urdf | folder.urdf is a folder
inspect arm.urdf --json nowhere/a.json | no folder nowhere
view nowhere.urdf | nowhere.urdf
view still.urdf | no moving joint
view arm.urdf --host 192.0.2.1 | 192.0.2.1
view arm.urdf --json - | --json
view bag --urdf arm.urdf --ros | --ros
validate | FILE
validate arm.urdf --ignore densety | 'densety'
export-c still.urdf --output out | no moving joint
export-c arm.urdf --output out --quantities power | 'power'
export-c arm.urdf --output out --quantities jacobian | frame
export-c arm.urdf --output out --frame hand | jacobian
export-c arm.urdf --output out --name UR5 | 'UR5'
export-c arm.urdf --output arm.urdf | arm.urdf is a file
compare | BAG
compare nowhere --urdf arm.urdf | nowhere
compare bag bag --urdf arm.urdf | bag is named twice
compare bag+ --urdf arm.urdf | bag+
compare bag | --urdf
compare bag --urdf arm.urdf mass:=2 | 'mass:=2'
compare bag --urdf arm.urdf --topic /camera | /joint_states
compare bag --urdf arm.urdf --rename turn | RECORDED=NAME
compare bag --urdf arm.urdf --rename knee=hip | 'knee'
compare left.csv --urdf arm.urdf | --rename left_=
compare bag --urdf arm.urdf --report arm.pdf | .html
compare bag --urdf arm.urdf --parameters others.yaml | joint 'elbow'
compare bag --urdf arm.urdf --parameters arm.urdf | arm.urdf
identify bag --output out | --urdf
torques bag --urdf arm.urdf --output out.txt | .mcap
torques bag bag/bag.mcap --urdf arm.urdf --output out.csv | out.csv is a file
torques bag bag/../bag --urdf arm.urdf --output bag | 2 recordings
torques bag --urdf arm.urdf --output bag/bag.csv | the folder of
torques bag --urdf arm.urdf --output nowhere/out.csv | folder nowhere
payload bag --urdf arm.urdf --frame tool0 | 'tool0'
contacts bag left.csv --urdf arm.urdf --plot p.html | 2 are named
thresholds bag --urdf arm.urdf --margin 0.5 | --margin
excite --output traj.yaml | one FILE
excite --urdf arm.urdf --output traj.yaml --joints turn,knee | 'knee'
excite --urdf arm.urdf --output traj.yaml --floor deep | 'deep'
excite --urdf arm.urdf --output traj.yaml --duration 0.5 | 0.5
excite --urdf arm.urdf --output traj.yaml --start wrist=2.9 | wrist
excite --urdf arm.urdf --output traj.yaml --start wrist | JOINT=POSITION
"""


@pytest.mark.parametrize('line', REFUSED.strip().splitlines())
def test_errors_are_one_line_and_nothing_is_written(run, line, files):
    words, _, said = line.partition(' | ')
    before = sorted(files.rglob('*'))
    ended = run(*words.split())
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr.startswith('robot_dynamics: ')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert sorted(files.rglob('*')) == before


@pytest.mark.parametrize('words', [[], *([name] for name in SUBCOMMANDS)])
def test_help_has_an_example(run, words):
    ended = run(*words, '--help')
    assert (ended.returncode, ended.stderr) == (0, '')
    for text in [f'  robot_dynamics {words[0]} ', '--json'] if words else SUBCOMMANDS:
        assert text in ended.stdout


def test_without_a_subcommand_there_is_help_and_a_version_and_debug_adds_a_traceback(run):
    ended = run()
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, '', run('--help').stdout)
    assert re.fullmatch(r'robot_dynamics \d+\.\d+\.\d+\n', run('--version').stdout)
    ended = run('inspect', 'empty.urdf', '--debug')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert 'Traceback' in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith('robot_dynamics: ')


@pytest.mark.parametrize(
    'words',
    [
        'inspect arm.urdf --json link.urdf --force',
        'inspect bag --json bag/m.yaml',
        'validate nowhere.urdf arm.urdf --json arm.urdf --force',
        'compare other.csv+bag.csv --json bag.csv --force',
        'torques bag.csv --output bag.csv --force',
        # Two outputs.
        'torques bag.csv --output . --format csv --json bag_torques.csv --force',
        'export-c arm.urdf --output bag.d --json bag.d/package.xml --force',
    ],
)
def test_no_input_is_replaced_and_two_outputs_have_two_names(tmp_path, words):
    """What is broken would be found if anything were read."""
    for name in ('bag', 'bag.d'):
        (tmp_path / name).mkdir()
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'link.urdf').symlink_to('arm.urdf')
    for name in ('bag.csv', 'other.csv', 'bag/bag.mcap', 'bag/m.yaml'):
        (tmp_path / name).write_text('broken')
    before = {file: file.is_file() and file.read_text() for file in tmp_path.rglob('*')}
    found = ended(tmp_path, *words.split())
    assert (found.returncode, found.stdout) == (2, '')
    assert re.search('--(json|picture|report|output) ', found.stderr)
    assert {file: file.is_file() and file.read_text() for file in tmp_path.rglob('*')} == before


@pytest.mark.parametrize(
    ('words', 'code', 'said'),
    [
        ('inspect arm.urdf --json - >&-', 0, ''),
        ('inspect arm.urdf >/dev/full', 2, 'stdout: '),
        # As `head` leaves it: the exit code of SIGPIPE.
        ('inspect arm.urdf --json - | true; exit ${PIPESTATUS[0]}', 128 + signal.SIGPIPE, ''),
    ],
)
def test_streams_that_are_closed_or_full(files, words, code, said):
    """As a shell redirects them: no traceback."""
    shell = f'"{sys.executable}" -m robot_dynamics_ros.cli.command_line {words}'
    process = begun('-c', shell, folder=files, program='bash')
    _, stderr = process.communicate(timeout=LIMIT)
    assert process.returncode == code, stderr
    assert said in stderr
    assert stderr.count('\n') == bool(said)


def begun(*words, folder, program):
    """A program in a process of its own, of a group of its own."""
    path = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    return subprocess.Popen(
        [program, *words], cwd=folder, env={**os.environ, 'PYTHONPATH': path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ('number', 'names'), [(signal.SIGTERM, ['long']), (signal.SIGINT, ['long', 'again'])]
)
def test_an_interruption_leaves_nothing(tmp_path, number, names):
    """A signal while files are being written: exit code 128 + its number, the files as before."""
    states = replace(sine_states(rate=1000.0, seconds=40.0), names=three_joints.JOINTS)
    for name in names:
        csv_file(tmp_path / f'{name}.csv', states)
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'out').mkdir()
    (tmp_path / 'out/long_torques.mcap').write_text('as before')
    before = sorted(tmp_path.rglob('*'))
    bags = ' '.join(f'{name}.csv' for name in names)
    words = f'-m robot_dynamics_ros.cli.command_line torques {bags} --urdf arm.urdf --output out'
    process = begun(*words.split(), '--force', folder=tmp_path, program=sys.executable)
    # pathlib fails where a folder vanishes meanwhile, as that of the first try of the output does.
    pattern = 'out/.long_torques.mcap.*/*.mcap'
    wait_until(lambda: glob(pattern, root_dir=tmp_path), 'a begun file', pause)
    os.killpg(process.pid, number)
    _, stderr = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + number, stderr
    assert 'Traceback' not in stderr
    assert sorted(tmp_path.rglob('*')) == before
    assert (tmp_path / 'out/long_torques.mcap').read_text() == 'as before'


def test_every_subcommand_and_every_code_is_documented():
    listed = re.findall(r'^\| `([a-z-]+)` \|', DOCUMENT.split('| subcommand |')[1], re.MULTILINE)
    assert set(SUBCOMMANDS) <= set(listed)
    codes = re.findall(r'^\| `([a-z_]+)` \| (.*) \|$', DOCUMENT.split('## Codes')[1], re.MULTILINE)
    assert dict(codes) == CODES


def test_options_are_few():
    """A new option takes the place of another; what is the same everywhere counts once."""
    options = [
        [one.opts[-1] for one in command.params if isinstance(one, click.Option)]
        for name in SUBCOMMANDS
        if (command := commands.get_command(None, name))
    ]
    shared = set.intersection(*map(set, options))
    assert shared == {'--json', '--debug', '--force', '--verbose'}
    # One setting of every subcommand that computes torques.
    everywhere = {*shared, '--version', '--gravity'}
    assert sum(len(set(names) - everywhere) for names in options) + len(everywhere) <= 81
