"""Numbers and sentences as a reader wants them."""

from dataclasses import replace

import pytest
from report.synthetic import arm

from robot_dynamics_ros.comparison import Finding, RecordingSummary
from robot_dynamics_ros.report.summary import headline, is_good, recordings_line
from robot_dynamics_ros.report.words.numbers_as_text import (
    NO_BREAK,
    duration,
    number,
    percent,
    quantity,
)
from robot_dynamics_ros.report.words.readable import in_one_line, readable_sentence


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (0.0, '0'), (1.0, '1'), (12.345, '12.3'), (0.012345, '0.0123'), (1234.5, '1234'),
        (-0.5, '\N{MINUS SIGN}0.5'), (2.5e-7, '2.50e-07'), (1e7, '1.00e+07'), (9.999, '10'),
        (float('nan'), 'not known'), (float('inf'), 'not known'),
    ],
)  # fmt: skip
def test_numbers_have_three_digits(value, text):
    assert number(value) == text


def test_numbers_have_their_unit():
    assert quantity(3.0, 'N m') == '3 N m'.replace(' ', NO_BREAK)
    assert quantity(float('nan'), 'N m') == 'not known'
    assert percent(1e-17) == f'0{NO_BREAK}%'
    assert percent(0.0891) == f'8.9{NO_BREAK}%'
    assert [percent(share) for share in (1.0523, -143.12, float('inf'))] == [
        f'105{NO_BREAK}%', f'\N{MINUS SIGN}14312{NO_BREAK}%', 'not known',
    ]  # fmt: skip
    assert [duration(t) for t in (24.0, 600.0, 36_000.0)] == [
        f'{amount}{NO_BREAK}{unit}' for amount, unit in ((24, 's'), (10, 'min'), (10, 'h'))
    ]


def test_lines_do_not_break_before_or_within_a_unit():
    text = (
        'Residual 1.64 of 18.5 N m (9 %), 0.2 kg at joint 2 moves 3 rad/s; link 7 makes 4 sounds.'
    )
    assert readable_sentence(text).split(' ') == [
        'Residual', '1.64', 'of', f'18.5{NO_BREAK}N{NO_BREAK}m', f'(9{NO_BREAK}%),',
        f'0.2{NO_BREAK}kg', 'at', 'joint', '2', 'moves', f'3{NO_BREAK}rad/s;', 'link', '7',
        'makes', '4', 'sounds.',
    ]  # fmt: skip


def test_a_long_name_is_cut():
    assert in_one_line('a\nb' * 100, 20) == 'a ba ba ba ba ba ba…'


def test_the_headline_says_what_was_found():
    found = arm(3)
    assert headline(found).startswith('1 finding in 3 of 3 joints')
    assert not is_good(found)
    good = replace(found, findings=[])
    assert headline(good).endswith('no finding.')
    assert is_good(good)
    missing = Finding('missing', ('not_recorded',), None, 'it was not recorded')
    both = replace(found, findings=[*found.findings, missing])
    assert headline(both).startswith('2 findings in 3 of 3 joints')
    of_data = replace(found, findings=[Finding('gaps', (), 3.0, 'three gaps')])
    assert '1 finding about the recording' in headline(of_data)


def test_the_headline_has_figures_of_a_finding_and_fits_a_line_of_a_picture():
    found = arm(1)
    carried = Finding('payload', (), 1.3, 'The arm carries 1.3 kg at link 7. It is known to 2 %.')
    assert headline(replace(found, findings=[carried])).endswith('carries 1.3 kg at link 7.')
    long = Finding('missing', (), None, 'Not recorded ' + 'joint, ' * 100)
    assert len(headline(replace(found, findings=[long, carried]))) < 150


def test_samples_that_are_not_drawn_are_counted():
    comparison = arm(1, count=500)
    assert 'drawn' not in recordings_line(comparison)
    longer = replace(comparison.recordings[0], samples=3_600_000)
    line = recordings_line(replace(comparison, recordings=(longer,)))
    assert '3,600,000 samples, 500 drawn' in line


def test_recordings_that_cannot_be_used_are_counted():
    comparison = arm(1)
    broken = RecordingSummary('broken.mcap', error='no index')
    both = replace(comparison, recordings=(*comparison.recordings, broken))
    assert '1 recording' in recordings_line(both)
    none = replace(comparison, recordings=(broken,), findings=[])
    assert 'No recording' in headline(none)
    assert not is_good(none)
