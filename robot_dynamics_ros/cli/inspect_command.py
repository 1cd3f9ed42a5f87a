"""`robot_dynamics inspect`: a robot, its loads, and what is implausible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from robot_dynamics_ros.inspection import Inspection, inspect_robot
from robot_dynamics_ros.inspection.picture import draw, mesh_findings
from robot_dynamics_ros.inspection.robot_json import inspection_as_json
from robot_dynamics_ros.written_file import written_file

from .description_file import files_and_arguments, robot_of_words
from .exit_codes import FINDINGS, GOOD
from .output import Output, Subcommand, file_to_write, output_options
from .tables.robot_tables import finding_lines, joint_table, load_table, margin_line, summary

HELP = """Show a robot: joints, masses, gravity torque against effort limits, and findings.

FILE is a URDF or a xacro file with its arguments, name:=value. Instead of a file, --topic takes
the description from a running robot; with a recording as FILE, from that recording.

The gravity torque is that of all joints at zero, and the worst of 1000 random poses within the
position limits. Exit code 1: at least one finding is a warning or an error.

\b
Examples:
  robot_dynamics inspect panda.urdf --frame panda_hand_tcp --picture panda.png
  robot_dynamics inspect ur.urdf.xacro name:=ur5e ur_type:=ur5e --json ur5e.json
  robot_dynamics inspect recorded_bag --topic /robot_description
  ros2 run robot_dynamics_ros robot_dynamics inspect --topic /robot_description
"""


@click.command(
    'inspect', cls=Subcommand, help=HELP, short_help='Show a robot, its loads and findings.'
)
@click.argument('words', nargs=-1, metavar='[FILE] [NAME:=VALUE]...')
@click.option(
    '--topic', metavar='TOPIC', help='Topic of the description, such as /robot_description.'
)
@click.option('--frame', metavar='LINK', help='Link whose payload margin to show.')
@click.option(
    '--picture', type=file_to_write(), metavar='FILE',
    help='Draw the robot at zero, with centres of mass and inertia ellipsoids (.png, .svg, .pdf).',
)  # fmt: skip
@output_options
def inspect_command(
    words: tuple[str, ...],
    topic: str | None,
    frame: str | None,
    picture: Path | None,
    output: Output,
) -> int:
    """Read the description, and show what is known of the robot."""
    files, _ = files_and_arguments(words)
    output.check_files(files, {'--picture': filter(None, [picture])})
    model, urdf, source = robot_of_words(words, topic)
    inspection = inspect_robot(model, frame)
    if picture is not None:
        folder = None if topic else Path(source).parent
        links = len(model.frames)
        with (
            output.progress(str(picture), links, 'links') as advance,
            written_file(picture) as new,
        ):
            shapes = draw(inspection, urdf, folder, new, advance)
        findings = (*inspection.findings, *mesh_findings(shapes))
        inspection = replace(inspection, findings=findings)
    output.write_json(inspection_as_json(inspection))
    _show(inspection, output)
    return GOOD if all(f.severity == 'info' for f in inspection.findings) else FINDINGS


def _show(inspection: Inspection, output: Output) -> None:
    output.line(summary(inspection))
    if inspection.model.joints:
        output.show('', joint_table(inspection.model), '', load_table(inspection))
    if inspection.margin is not None:
        output.show('', margin_line(inspection.margin, inspection.poses))
    findings = list(finding_lines(inspection.findings))
    output.show('', *findings) if findings else output.show('', 'no findings')
