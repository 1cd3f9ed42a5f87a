"""Reports are complete pages, or none; their marks follow one rule."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from report.synthetic import COMMAND, NAMES, arm, comparison_of, identification, samples_of

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.core import ParameterError, RobotDynamicsError
from robot_dynamics_ros.report import report_page, write_report
from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.report import worst

RESULTS = {'comparison': lambda: comparison_report([arm()]), 'identification': identification}


def body_of(report):
    """The elements of a page, without its scripts."""
    text = report_page(report, COMMAND)
    return text[text.index('<body') : text.index('<script type')].replace(
        '\N{NO-BREAK SPACE}', ' '
    )


@pytest.mark.parametrize('package', ['jinja2', 'plotly'])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path, monkeypatch, package
):
    for name in [*sys.modules]:
        if name.startswith(f'{package}.'):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RobotDynamicsError, match=rf'{package} .*pip install .*\[recordings\]'):
        write_report([arm(1)], tmp_path / 'report.html')
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_a_page(tmp_path):
    with pytest.raises(ParameterError, match=r'a\.png.*\.html'):
        write_report([arm(1)], tmp_path / 'a.png')


def test_a_page_of_as_many_samples_as_there_can_be_is_below_15_megabytes():
    samples = samples_of([f'joint_{i}' for i in range(32)], 16_384, 4.6)
    samples.measured[:] += np.random.default_rng(0).standard_normal(samples.measured.shape)
    assert len(report_page(comparison_report([comparison_of(samples)])).encode()) < 15e6


@pytest.mark.parametrize('kind', RESULTS)
def test_a_page_has_findings_and_joints_first_and_how_it_was_made(kind):
    body = body_of(RESULTS[kind]())
    places = [body.index(one) for one in ('>Findings<', '>Joints<', 'class="plot"', 'made<')]
    assert places == sorted(places)
    assert 'compare &#39;a bag&#39;' in body
    assert f'>{np.__version__}<' in body


def test_the_page_of_a_comparison_has_the_residual_after_the_fit():
    assert body_of(comparison_report([arm(3)])).count('<td>0.15 N m</td>') == 3


def test_the_page_of_several_recordings_has_a_row_for_each():
    """And which findings are of which: sorted by code they would be of none."""
    lift = comparison_of(samples_of(['joint_0', 'lift'], 300, 100.0), file='b.csv', findings=[])
    two = [arm(3), lift, Compared('', 'c.csv', error='c.csv: no efforts')]
    report = comparison_report(two)
    results, recordings = report.tables
    assert results.header == ('recording', 'joint_0', 'joint_1', 'joint_2', 'lift')
    assert results.rows == [
        ('recording.mcap', *3 * ('● friction',), ''),
        ('b.csv', '✓ friction', '', '', '✓ friction'),
    ]
    assert [one[2].startswith('recording.mcap: ') for one in report.findings] == [True]
    assert [row[-1] for row in recordings.rows] == ['yes', 'yes', 'c.csv: no efforts']
    assert (report.level, body_of(report).count('class="plot"')) == ('error', 0)


def test_the_page_of_an_identification_has_parameters_and_residuals():
    body = body_of(identification())
    for words in ('24 of 25', '0.4 to 0.6', '10 s', '0.07 N m [0.06, 0.08]', '20 % [16, 24]'):
        assert words in body, words


@pytest.mark.parametrize(
    ('left', 'codes', 'level'),
    [(0.09, [], 'good'), (0.09, ['friction'], 'warning'), (0.99, ['friction'], 'error'),
     (0.99, [], 'error'), (0.09, ['sign'], 'error'), (0.09, ['samples'], 'note'),
     (np.nan, [], 'warning')],
)  # fmt: skip
def test_a_joint_is_bad_if_more_than_half_of_its_effort_is_residual(left, codes, level):
    joint = replace(arm(1).joints['joint_0'], rms_measured=1.0, rms_residual=left)
    findings = [Finding(code, ('joint_0',), None, '') for code in codes]
    compared = replace(arm(1), joints={'joint_0': joint}, findings=findings)
    assert comparison_report([compared]).joints[0].level == level


@pytest.mark.parametrize(
    ('gain', 'level'), [(0.2, 'good'), (1.0, 'warning'), (1.5, 'error'), (np.nan, 'warning')]
)
def test_an_identified_joint_is_good_if_it_was_judged_and_is_better(gain, level):
    assert identification(gain=gain).joints[1].level == level


@pytest.mark.parametrize('kind', RESULTS)
def test_the_headline_has_the_worst_mark_below_it(kind):
    report = RESULTS[kind]()
    marks = [*(one.level for one in report.joints), *(level for level, _, _ in report.findings)]
    assert report.level == worst(marks) == 'warning'
    assert identification(doubts=('audit',)).level == 'error'


@pytest.mark.parametrize('kind', RESULTS)
def test_the_page_allows_no_script_but_its_own_whatever_names_are(kind):
    findings = [Finding('sign', (name,), 1.0, f'{name} is said</td>') for name in NAMES]
    compared = comparison_of(samples_of(NAMES, 300, 100.0), robot=NAMES[0], findings=findings)
    report = comparison_report([compared]) if kind == 'comparison' else identification(NAMES)
    text = report_page(report, NAMES)
    assert len(re.findall(r'</script', text, re.IGNORECASE)) == 3
    assert '<img src=' not in text[: text.index('<script type')]
    assert re.search(r"default-src 'none'; script-src ('sha256-[^']+' ?){2};", text)
    text.encode()
