"""`robot_dynamics validate`: findings and the agreement with Pinocchio, one line a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.inspection import CODES, Validation, validate_robot
from robot_dynamics_ros.inspection.inspection import pinocchio_is_installed
from robot_dynamics_ros.scheduling import Outcome, outcomes

from .description_file import files_and_arguments, read_robot
from .options import subcommand
from .output import Output, exit_code, reads


@subcommand('validate')
@click.argument('words', nargs=-1, metavar='FILE... [NAME:=VALUE]...')
@click.option('--strict', is_flag=True, help='Warnings count as errors do.')
@click.option('--ignore', 'ignored', multiple=True, metavar='CODE', type=click.Choice([*CODES]),
              help='Leave out findings of this code.')  # fmt: skip
@click.option('--massless-joints', 'massless', multiple=True, metavar='JOINT',
              help='Joint that moves no mass on purpose; may be repeated.')  # fmt: skip
def validate_command(
    words: tuple[str, ...],
    strict: bool,
    ignored: tuple[str, ...],
    massless: tuple[str, ...],
    output: Output,
) -> int:
    """Check descriptions, such as those of a package in continuous integration.

    Each FILE, a URDF, a xacro file or a recording, is examined, and compared with Pinocchio.
    `inspect` shows the details of one.

    Examples:
      robot_dynamics validate urdf/*.urdf --strict --ignore fixed_mass --ignore massless_body
      robot_dynamics validate robot.urdf.xacro with_gripper:=true --json result.json
    """
    files, arguments = files_and_arguments(words)
    if not files:
        raise ParameterError('name at least one FILE')
    reads(*files)
    if not pinocchio_is_installed():
        missing = "nothing is compared without Pinocchio: pip install 'robot_dynamics_ros[oracle]'"
        if strict and 'not_compared' not in ignored:
            raise ParameterError(f'--strict: {missing}, or --ignore not_compared')
        output.warning(missing)
    check = partial(validate_file, arguments, ignored, massless)
    results = [
        result_of(str(file), one, strict)
        for file, one in zip(files, outcomes(check, files), strict=True)
    ]
    for result in results:
        output.line(f'{result["status"]:8} {result["error"] or line_of(result)}')
        if result['error']:
            output.error(result['error'])
    statuses = [result['status'] for result in results]
    counts = {name: statuses.count(name) for name in ('good', 'findings', 'unusable')}
    if len(results) > 1:
        listed = ', '.join(f'{count} {name}' for name, count in counts.items())
        output.line(f'{len(results)} files: {listed}')
    output.write_json({'files': results, 'counts': counts})
    return exit_code(counts['findings'], counts['unusable'])


def validate_file(
    arguments: Sequence[str], ignored: Sequence[str], massless: Sequence[str], file: Path
) -> Validation:
    """Examine one file; any process may do it."""
    robot = read_robot(file, arguments, arguments_of_others=True)
    return validate_robot(*robot, ignored, massless)


def result_of(name: str, outcome: Outcome, strict: bool) -> dict[str, Any]:
    """The object of a file in --json."""
    if outcome.error:
        return {'file': name, 'status': 'unusable', 'error': outcome.error}
    found: Validation = outcome.result
    agreement = found.report and {
        'agrees': found.report.agrees,
        'states': found.report.samples,
        'tolerance': found.report.tolerance,
        'worst_relative': found.report.worst.worst_relative,
        'worst_quantity': found.report.worst.quantity,
    }
    return {
        'file': name,
        'status': 'findings' if found.failures(strict=strict) else 'good',
        'error': None,
        **{key: getattr(found, key) for key in ('robot', 'joints', 'mass')},
        'agreement': agreement,
        'findings': [asdict(finding) for finding in found.findings],
    }


def line_of(result: dict[str, Any]) -> str:
    """What was found about a file, in a line."""
    compared = 'not compared with Pinocchio'
    if agreement := result['agreement']:
        verb = 'agrees' if agreement['agrees'] else 'disagrees'
        compared = f'Pinocchio {verb} ({agreement["worst_relative"]:.0e})'
    counts = Counter(f'{one["severity"]}: {one["code"]}' for one in result['findings'])
    findings = (f'{name} {count}' if count > 1 else name for name, count in counts.items())
    return '; '.join([f'{result["file"]}: {result["joints"]} joints, {compared}', *findings])
