"""Reports are complete files of a known form, or none; their marks follow one rule."""

import hashlib
import re
import sys
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from report.synthetic import (
    NAMES,
    arm,
    comparison_of,
    identification,
    provenance,
    samples_of,
)

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.core import RobotDynamicsError
from robot_dynamics_ros.report import provenance as provenance_of
from robot_dynamics_ros.report import report_content, write_report
from robot_dynamics_ros.report.comparison_report import comparison_report, joint_level
from robot_dynamics_ros.report.report import worst

OPTIONAL = 'robot_dynamics_ros.report.page', 'robot_dynamics_ros.report.picture'
RESULTS = {'comparison': lambda: [arm()], 'identification': identification}


def of_names(kind, names, **options):
    """A result of joints with these names."""
    if kind == 'identification':
        return identification(names)
    return [comparison_of(samples_of(names, 300, 100.0), robot=names[0], **options)]


def body_of(result, tmp_path):
    """The elements of a page, without its scripts."""
    text = report_content(result, provenance(), tmp_path / 'r.html').decode()
    return text[text.index('<body') : text.index('<script type')]


@pytest.mark.parametrize(('package', 'ending'), [('jinja2', '.html'), ('matplotlib', '.png')])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path, monkeypatch, package, ending
):
    for name in [*sys.modules]:
        if name.startswith((f'{package}.', *OPTIONAL)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RobotDynamicsError, match=rf'{package}: pip install .*\[recordings\]'):
        write_report([arm(1)], provenance(), tmp_path / f'report{ending}')
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_as_many_samples_as_there_can_be_is_below_15_megabytes(tmp_path):
    samples = samples_of([f'joint_{i}' for i in range(32)], 16_384, 4.6)
    samples.measured[:] += np.random.default_rng(0).standard_normal(samples.measured.shape)
    assert len(report_content([comparison_of(samples)], provenance(), tmp_path / 'r.html')) < 15e6


@pytest.mark.parametrize('kind', RESULTS)
def test_a_page_has_the_joints_first_and_how_it_was_made(tmp_path, kind):
    body = body_of(RESULTS[kind](), tmp_path)
    assert body.index('id="summary"') < body.index('id="findings"') < body.index('class="plot"')
    for file in provenance().files:
        assert file.sha256 in body
    assert 'robot_dynamics compare recording.mcap' in body
    assert 'numpy 2.4.6' in body


def test_the_page_of_a_comparison_has_what_is_left_after_the_fit(tmp_path):
    body = body_of([arm(3)], tmp_path)
    assert body.count('0.15\N{NO-BREAK SPACE}N\N{NO-BREAK SPACE}m</td>') == 3  # after the fit


def test_the_page_of_several_recordings_has_a_row_for_each(tmp_path):
    """And which findings are of which: sorted by code they would be of none."""
    two = [
        arm(3),
        comparison_of(samples_of(['joint_0', 'lift'], 300, 100.0), file='b.csv', findings=[]),
        Compared('', 'c.csv', error='c.csv: no efforts'),
    ]
    report = comparison_report(two)
    summary, findings = report.sections
    assert tuple(summary.header) == ('recording', 'joint_0', 'joint_1', 'joint_2', 'lift')
    rows = [(row[0].names[0], *(str(cell) for cell in row[1:])) for row in summary.rows]
    assert rows == [
        ('recording.mcap', 'friction', 'friction', 'friction', ''),
        ('b.csv', 'friction', '', '', 'friction'),
    ]
    assert [row[0].text for row in findings.rows] == ['friction']
    assert [str(row[-1]) for row in report.later[0].rows] == [
        'compared', 'compared', 'c.csv: no efforts',
    ]  # fmt: skip
    assert body_of(two, tmp_path).count('class="plot"') == 0


def test_the_page_of_an_identification_has_parameters_and_residuals(tmp_path):
    body = body_of(identification(), tmp_path).replace('\N{NO-BREAK SPACE}', ' ')
    for words in ('24 of 25', '0.4 to 0.6', '10 s', '0.06 to 0.08', '16 % to 24 %'):
        assert words in body, words


def test_the_residual_of_a_plot_is_the_measured_torque_less_that_of_a_model():
    torque, residual = identification().joints[0].figures[0].panels
    measured, *models = torque.curves
    for model, left in zip(models, residual.curves, strict=True):
        np.testing.assert_allclose(left.y, measured.y - model.y)


@pytest.mark.parametrize(
    ('left', 'codes', 'level'),
    [(0.09, [], 'good'), (0.09, ['friction'], 'warning'), (0.99, ['friction'], 'error'),
     (0.99, [], 'error'), (0.09, ['sign'], 'error'), (0.09, ['samples'], 'note'),
     (np.nan, [], 'warning')],
)  # fmt: skip
def test_a_joint_is_bad_if_more_than_half_of_its_effort_is_residual(left, codes, level):
    joint = replace(arm(1).joints['joint_0'], rms_measured=1.0, rms_residual=left)
    assert joint_level(joint, [Finding(code, (), None, '') for code in codes]) == level


@pytest.mark.parametrize(
    ('gain', 'level'), [(0.2, 'good'), (1.0, 'warning'), (1.5, 'error'), (np.nan, 'warning')]
)
def test_an_identified_joint_is_good_if_it_was_judged_and_is_better(gain, level):
    assert identification(gain=gain).joints[1].level == level


@pytest.mark.parametrize('kind', RESULTS)
def test_the_headline_has_the_worst_mark_below_it(kind):
    report = comparison_report([arm()]) if kind == 'comparison' else identification()
    cells = [cell for section in report.sections for row in section.rows for cell in row]
    marks = {cell.level for cell in cells if cell.level}
    assert {one.level for one in report.joints} <= marks
    assert report.level == worst(marks) != 'good'
    assert identification(doubts=('audit',)).level == 'error'


@pytest.mark.filterwarnings('ignore:Glyph')
@pytest.mark.parametrize('kind', RESULTS)
def test_a_picture_has_a_row_for_each_joint_whatever_its_name(tmp_path, kind):
    sizes = []
    for names in (NAMES[4:5], NAMES[4:7]):
        content = report_content(of_names(kind, names), provenance(), tmp_path / 'r.png')
        assert content.startswith(b'\x89PNG\r\n\x1a\n')
        sizes.append([int.from_bytes(content[first : first + 4], 'big') for first in (16, 20)])
    (width, one), (same, three) = sizes
    assert width == same
    assert three == one + 2 * 215


@pytest.mark.parametrize('kind', RESULTS)
def test_the_page_allows_no_script_but_its_own_whatever_names_are(tmp_path, kind):
    findings = [Finding('sign', (name,), 1.0, f'{name} is said</td>') for name in NAMES]
    result = of_names(kind, NAMES, findings=findings)
    text = report_content(result, provenance(), tmp_path / 'r.html').decode()
    assert len(re.findall(r'</script', text, re.IGNORECASE)) == 3
    assert '<img src=' not in text[: text.index('<script type')]
    assert re.search(r"default-src 'none'; script-src ('sha256-[^']+' ?){2};", text)


def test_provenance_hashes_each_file_of_a_folder(tmp_path):
    bag = tmp_path / 'bag'
    bag.mkdir()
    contents = {'a.mcap': b'1' * 3_000_000, 'metadata.yaml': b''}
    for name, content in contents.items():
        (bag / name).write_bytes(content)
    read = []
    made = provenance_of(
        [bag, tmp_path / 'none'],
        ['robot_dynamics', 'compare', 'a bag'],
        lambda what, total, unit: nullcontext(read.append),
    )
    assert {file.path: (file.size, file.sha256) for file in made.files} == {
        str(bag / name): (len(content), hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    }
    assert sum(read) == 3_000_000
    assert made.command == "robot_dynamics compare 'a bag'"
    assert made.versions['numpy'] == np.__version__
    assert made.created.utcoffset().total_seconds() == 0
