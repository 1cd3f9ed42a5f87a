"""What of an identification is written, and what speaks against writing it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.comparison import FATAL
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.core.urdf_xml import is_xacro, read_xml
from robot_dynamics_ros.identification.judgement.judgement import FEWEST
from robot_dynamics_ros.identification.results.result_files import URDF, result_files, written_urdf
from robot_dynamics_ros.inspection.validation import validate_robot
from robot_dynamics_ros.report import Provenance, provenance, report_content, size_of

from ..output import Output
from ..written_folder import write_folder
from .identify_run import Identified

Recordings = Sequence[tuple[Path, ...]]
REPORTS = ('report.html', 'report.png')


def results_in(target: Path) -> list[Path]:
    """Files of a folder of results that another identification may have read."""
    return [target / name for name in (URDF, *REPORTS)]


def objections(found: Identified) -> list[str]:
    """Why the model is not to be written, one line each; empty for a model that can be loaded.

    It is worse than the URDF on the held-out part, findings make it doubtful, or the
    audit or the comparison with Pinocchio find an error in the file that would be written.

    Args:
        found: the identification.
    """
    judgement = found.identification.judgement
    reasons = []
    if judgement.worse:
        reasons.append(
            'the identified model is worse than the URDF on the held-out part at '
            f'{", ".join(judgement.worse)}'
        )
    doubtful = [one.code for one in judgement.findings if one.code in FATAL]
    if found.failure and not doubtful:
        reasons.append(found.failure)
    if judgement.unjudged:
        reasons.append(
            f'not judged at {", ".join(judgement.unjudged)}: at least {FEWEST} samples of the '
            'held-out part must have motion and a measured effort there: record more, or name a '
            'recording that has them, --held-out BAG'
        )
    if doubtful:
        # What else is wrong with the file follows from that.
        listed = ', '.join(dict.fromkeys(doubtful))
        return [*reasons, f'no parameter can be trusted: finding {listed}']
    try:
        urdf = written_urdf(found.setup.urdf, found.setup.model, found.model)
    except RobotDynamicsError as error:
        return [*reasons, str(error)]
    before = _errors(found.setup.urdf)
    reasons += [f'audit: {text}' for text in _errors(urdf) if text not in before]
    return reasons


def _errors(urdf: str) -> list[str]:
    """Errors that audit and cross-check find in a URDF, in a line each."""
    validation = validate_robot(parse_urdf(urdf), urdf)
    return [
        f'{finding.link}: {finding.problem} ({finding.value})'
        for finding in validation.failures(strict=False)
    ]


def write_results(found: Identified, target: Path, urdf: Path | None, output: Output) -> None:
    """Write the folder of results: all files, or none.

    Args:
        found: the identification.
        target: the folder.
        urdf: file that was given; None for a recorded description.
        output: of the subcommand.

    Raises:
        ParameterError: a URDF cannot hold the model, or a file is in the way.
        OSError: the folder cannot be written.
    """
    xacro = urdf is not None and is_xacro(read_xml(urdf.read_text(encoding='utf-8')))
    result = found.identification
    texts = result_files(
        found.setup.urdf,
        found.setup.model,
        found.model,
        result.as_json(),
        rows=result.joint_rows,
        objections=result.objections,
        xacro=xacro,
        unknown=result.unknown_joints,
    )
    files: dict[str, str | bytes] = dict(texts)
    origin = _origin(found, urdf, output)
    for name in REPORTS:
        files[name] = report_content(found.identification, origin, target / name)
    write_folder(target, files)
    for name in sorted(files):
        output.line(f'written: {target / name}')


def _origin(found: Identified, urdf: Path | None, output: Output) -> Provenance:
    paths = [path for files in found.files for path in files if path.exists()]
    described = [] if urdf is None else [urdf]
    command = ['robot_dynamics', *sys.argv[1:]]
    with output.progress('hashes', size_of([*paths, *described]), 'bytes') as advance:
        return provenance([*paths, *described], command, advance)
