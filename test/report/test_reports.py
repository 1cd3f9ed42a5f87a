"""Reports are complete pages, or none; their marks follow one rule."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from report.synthetic import NAMES, comparison, identification

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.core import RobotDynamicsError
from robot_dynamics_ros.report import report_page, write_report
from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.report import worst


@pytest.fixture(params=['comparison', 'identification'])
def report(request):
    return (
        identification()
        if request.param == 'identification'
        else comparison_report([comparison()])
    )


def body_of(report):
    """The elements of a page, without its scripts."""
    text = report_page(report, ['compare', 'a bag']).replace('\N{NO-BREAK SPACE}', ' ')
    return text[text.index('<body') : text.index('<script type')]


def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'jinja2', None)
    with pytest.raises(RobotDynamicsError, match=r'jinja2 .*pip install .*\[recordings\]'):
        write_report([comparison()], tmp_path / 'report.html')
    assert list(tmp_path.iterdir()) == []


def test_a_page_has_findings_and_joints_first_and_how_it_was_made(report):
    body = body_of(report)
    places = [body.index(one) for one in ('>Findings<', '>Joints<', 'class="plot"', 'made<')]
    assert places == sorted(places)
    assert 'compare &#39;a bag&#39;' in body
    assert f'>{np.__version__}<' in body


def test_the_page_of_several_recordings_has_a_row_for_each():
    """And which findings are of which: sorted by code they would be of none."""
    lift = comparison(['a', 'lift'], file='b.csv', findings=[])
    broken = Compared('', 'c.csv', error='c.csv: no efforts')
    report = comparison_report([comparison(), lift, broken])
    results, recordings = report.tables
    assert results.header == ('recording', 'a', 'b', 'c', 'lift')
    assert results.rows == [
        ('one.mcap', *3 * ('● friction',), ''),
        ('b.csv', '✓ friction', '', '', '✓ friction'),
    ]
    assert [one[2].startswith('one.mcap: ') for one in report.findings] == [True]
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
    compared = comparison(findings=[Finding(code, ('a',), None, '') for code in codes])
    joint = replace(compared.joints['a'], rms_measured=1.0, rms_residual=left)
    report = comparison_report([replace(compared, joints={'a': joint})])
    assert report.joints[0].level == level


@pytest.mark.parametrize(
    ('gain', 'level'), [(0.2, 'good'), (1.0, 'warning'), (1.5, 'error'), (np.nan, 'warning')]
)
def test_an_identified_joint_is_good_if_it_was_judged_and_is_better(gain, level):
    assert identification(gain=gain).joints[1].level == level


def test_the_headline_has_the_worst_mark_below_it(report):
    marks = [*(one.level for one in report.joints), *(level for level, _, _ in report.findings)]
    assert report.level == worst(marks) == 'warning'
    assert identification(doubts=('audit',)).level == 'error'


@pytest.mark.parametrize('kind', ['comparison', 'identification'])
def test_the_page_allows_no_script_but_its_own_whatever_names_are(kind):
    findings = [Finding('sign', (name,), 1.0, f'{name} is said</td>') for name in NAMES]
    compared = comparison(NAMES, robot=NAMES[0], findings=findings)
    report = comparison_report([compared]) if kind == 'comparison' else identification(NAMES)
    text = report_page(report, NAMES)
    assert len(re.findall(r'</script', text, re.IGNORECASE)) == 3
    assert '<img src=' not in text[: text.index('<script type')]
    assert re.search(r"default-src 'none'; script-src ('sha256-[^']+' ?){2};", text)
    text.encode()
