"""`robot_dynamics validate`: findings and the agreement with Pinocchio, one line a file."""

from __future__ import annotations

import click

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.inspection import validate_robot
from robot_dynamics_ros.inspection.agreement import INSTALL_PINOCCHIO, pinocchio_is_installed
from robot_dynamics_ros.inspection.codes import CODES, checked_codes

from .description_file import files_and_arguments, robot_of_topic
from .exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from .output import Output, Subcommand, output_options
from .validated_file import ValidatedFile, validate_files

CODE_LINES = '\n'.join(f'  {code:26}{meaning}' for code, meaning in CODES.items())
HELP = f"""Check descriptions, such as those of a package in continuous integration.

Each FILE is a URDF or a xacro file; the arguments, name:=value, are for each xacro file. Each is
examined, and compared with Pinocchio. One line is printed for a file; `inspect` shows the details.

Exit codes: 0: no file has an error, nor, with --strict, a warning. 1: some have. 2: some cannot
be used.

\b
Examples:
  robot_dynamics validate urdf/*.urdf --strict --ignore fixed_mass --ignore massless_body
  robot_dynamics validate robot.urdf.xacro with_gripper:=true --json result.json

\b
Codes of findings:
{CODE_LINES}
"""


@click.command(
    'validate', cls=Subcommand, help=HELP, short_help='Check many descriptions, one line a file.'
)
@click.argument('words', nargs=-1, metavar='FILE... [NAME:=VALUE]...')
@click.option(
    '--topic', metavar='TOPIC', help='Topic of a description, such as /robot_description.'
)
@click.option('--strict', is_flag=True, help='Warnings count as errors do.')
@click.option(
    '--ignore', 'ignored', multiple=True, metavar='CODE', help='Leave out findings of this code.'
)
@click.option(
    '--jobs', type=click.IntRange(min=1), metavar='N',
    help='Processes. [default: one for each core]',
)  # fmt: skip
@output_options
def validate_command(
    words: tuple[str, ...],
    topic: str | None,
    strict: bool,
    ignored: tuple[str, ...],
    jobs: int | None,
    output: Output,
) -> int:
    """Examine each file, and print one line for it."""
    files, arguments = files_and_arguments(words)
    if not files and topic is None:
        raise ParameterError('name at least one FILE, or --topic')
    output.check_files(files)
    codes = checked_codes(ignored)
    _check_pinocchio(strict and 'not_compared' not in codes)
    results = [] if topic is None else [_of_topic(topic, codes, strict)]
    with output.progress('validate', len(files), 'files') as advance:
        results += validate_files(
            files, arguments, codes, strict=strict, jobs=jobs, advance=advance
        )
    return _report(results, output)


def _check_pinocchio(needed: bool) -> None:
    if pinocchio_is_installed():
        return
    missing = f'Pinocchio is not installed, so that nothing is compared: {INSTALL_PINOCCHIO}'
    if needed:
        raise ParameterError(f'--strict: {missing}, or --ignore not_compared')
    click.echo(missing, err=True)


def _of_topic(topic: str, ignored: frozenset[str], strict: bool) -> ValidatedFile:
    model, urdf = robot_of_topic(topic)
    return ValidatedFile(topic, validate_robot(model, urdf, ignored), '', strict)


def _report(results: list[ValidatedFile], output: Output) -> int:
    for result in results:
        output.line(str(result))
        if result.error:
            output.error(result.error)
    counts = {
        status: sum(result.status == status for result in results)
        for status in ('good', 'findings', 'unusable')
    }
    if len(results) > 1:
        output.line(
            f'{len(results)} files: {counts["good"]} good, {counts["findings"]} with findings, '
            f'{counts["unusable"]} unusable'
        )
    output.write_json({'files': [result.as_json() for result in results], 'counts': counts})
    if counts['unusable']:
        return CANNOT_BE_USED
    return FINDINGS if counts['findings'] else GOOD
