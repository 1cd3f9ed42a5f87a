"""The table of findings, and the rule that concludes from it."""

from pathlib import Path

import pytest

from robot_dynamics_ros.comparison.findings import TABLE, Finding, conclude


def finding(code, *joints):
    return Finding(code, joints, None, '')


def test_rows_explain_known_codes_but_not_each_other():
    explained = {code: set(row.explains.split()) for code, row in TABLE.items()}
    for code, codes in explained.items():
        assert codes <= TABLE.keys()
        assert all(code not in explained[other] for other in codes)


@pytest.mark.parametrize(
    ('cause', 'effect', 'is_kept'),
    [
        (('units', 'a'), ('still', 'b'), False),
        (('sign', 'a'), ('implausible',), False),
        (('sign', 'a'), ('friction', 'a'), True),
        (('swapped', 'a', 'b'), ('unexplained', 'c'), False),
        (('no_effort', 'a'), ('saturated', 'a'), True),
    ],
)
def test_a_finding_that_an_error_explains_is_dropped(cause, effect, is_kept):
    cause, effect = finding(*cause), finding(*effect)
    assert (effect in conclude([effect, cause])) == is_kept


@pytest.mark.parametrize(('judged', 'severity'), [(0, 'error'), (4, 'error'), (5, 'warning')])
def test_a_factor_of_few_joints_is_a_warning_about_them(judged, severity):
    found = [finding('scale', 'a'), finding('scale', 'b'), finding('implausible', 'c')]
    factors = conclude(found, judged)[:2]
    assert [one.severity for one in factors] == 2 * [severity]
    assert (len(conclude(found, judged)) == 3) == (severity == 'warning')
    assert [one.severity for one in conclude([finding('sign', 'a')], judged)] == ['error']


def test_each_code_is_in_the_documents():
    docs = Path(__file__).parents[2] / 'docs'
    text = ''.join((docs / f'{name}.md').read_text() for name in ('recordings', 'identification'))
    assert [code for code in TABLE if f'`{code}`' not in text] == []
