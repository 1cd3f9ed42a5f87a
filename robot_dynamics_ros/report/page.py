"""A report as one HTML file with everything it needs inside: style, figures and scripts."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.written_file import written_file

from .comparison_report import comparison_report
from .report import MARKS, Report, Table
from .text import readable

# Nothing is loaded, and no script runs but the two of the page, whatever a name holds.
POLICY = (
    "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
PACKAGES = ('robot_dynamics_ros', 'numpy', 'scipy', 'rosbags', 'llvmlite', 'plotly')


def write_report(
    result: Sequence[Compared] | Report, path: Path, command: Sequence[str] = ()
) -> None:
    """Write the page of a comparison, or of the report of something else.

    Raises:
        ParameterError: the file cannot be written there; it is complete, or as it was before.
        RecordingError: plotly or jinja2 is not installed.
    """
    report = result if isinstance(result, Report) else comparison_report(result)
    with written_file(path) as new:
        new.write_text(report_page(report, command), encoding='utf-8')


def report_page(report: Report, command: Sequence[str] = ()) -> str:
    """The text of the file, with the words of the command that gave it; see `write_report`."""
    jinja2, plotly = required('jinja2'), required('plotly.offline').get_plotlyjs()
    page, style, script = (
        files(__package__).joinpath(name).read_text(encoding='utf-8')
        for name in ('page.html', 'page.css', 'page.js')
    )
    # Names may hold anything: each value is made readable, then escaped.
    environment = jinja2.Environment(
        autoescape=True,
        finalize=lambda value: value if hasattr(value, '__html__') else readable(str(value)),
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    joints = [(joint, [(one, one.plot) for one in joint.figures]) for joint in report.joints]
    plots = (plot.to_json() for _, drawn in joints for _, plot in drawn)
    return environment.from_string(page).render(
        report=report,
        joints=joints,
        tables=[*report.tables, Table('How this report was made', (), [*_origin(command)])],
        marks=MARKS,
        policy=POLICY.format(' '.join(map(_source, (plotly, script)))),
        style=style,
        # As it may stand in a script element.
        figures=f'[{",".join(plots)}]'.replace('<', '\\u003c'),
        plotly=plotly,
        script=script,
    )


def _source(script: str) -> str:
    """How the policy names a script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _origin(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    if command:
        yield 'command', shlex.join(command)
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            yield package, version(package)
    yield 'time', f'{datetime.now(timezone.utc):%F %T %Z}'
