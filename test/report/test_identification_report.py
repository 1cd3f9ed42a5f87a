"""The report of an identification: complete, in words too, and harmless whatever a name is."""

import re

import numpy as np
import pytest
from report.synthetic import provenance

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.identification.identification import Identification, ParameterRow
from robot_dynamics_ros.identification.judgement import (
    HeldOutSamples,
    JointJudgement,
    JudgedRecording,
    Judgement,
)
from robot_dynamics_ros.report.identification import (
    check_identification_file,
    identification_report,
)
from robot_dynamics_ros.report.identification.held_out_figures import JointDrawing

NAMES = ('</script><script>window.hacked = 1</script>', '<img src=x onerror=alert(1)>')


def identification(names=('one', 'two')):
    times = np.arange(200) / 20.0
    measured = np.sin(np.outer(times, [1.0, 2.0]))
    begins = np.arange(200) == 0
    samples = HeldOutSamples(
        tuple(names), np.zeros(200), begins, times, measured, measured, 0.5 * measured,
        0.9 * measured,
    )  # fmt: skip
    joints = {
        name: JointJudgement('N m', True, 0.7, 0.35, 0.07, False, 0.4, f'{name} is better.')
        for name in names
    }
    findings = [Finding('still', (names[0],), None, f'{names[0]} stands still.')]
    judgement = Judgement(
        names[0], (JudgedRecording(names[1], split=10.0),), joints, findings, samples,
        ('It is better.', 'It can be loaded.'),
    )  # fmt: skip
    row = ParameterRow(f'{names[0]} coulomb', 'N m', 0.0, 0.5, 0.4, 0.6)
    alone = ParameterRow(f'{names[0]} m', 'kg', 1.0, 1.0, np.nan, np.nan)
    return Identification(
        judgement,
        'consistent',
        24,
        25,
        12.0,
        (row,),
        (alone,),
        (row,),
        (f'{names[0]}: m stays.',),
        prior_weight=30.0,
    )


@pytest.fixture(scope='module')
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp('report') / 'report.html'
    return identification_report(identification(), provenance(), path).decode()


@pytest.mark.parametrize(
    ('left', 'good'),
    [(0.07, True), (0.5, False), (np.nan, False)],
    ids=['less', 'more', 'unknown'],
)
def test_a_joint_is_good_if_it_was_judged_and_is_not_worse(left, good):
    joint = JointJudgement('N m', True, 0.7, 0.35, left, False, 0.4)
    assert JointDrawing('one', joint, ()).is_good == good


def test_names_do_nothing(tmp_path):
    report = identification_report(identification(NAMES), provenance(), tmp_path / 'r.html')
    text = report.decode()
    assert len(re.findall(r'</script', text, re.IGNORECASE)) == 3
    assert '<img src=x' not in text


def test_the_picture_is_a_png_of_any_names(tmp_path):
    picture = identification_report(identification(NAMES), provenance(), tmp_path / 'r.png')
    assert picture.startswith(b'\x89PNG')


@pytest.mark.parametrize('names', [('one', 'two'), NAMES], ids=['plain', 'any'])
def test_the_document_has_a_page_for_each_joint(tmp_path, names):
    content = identification_report(identification(names), provenance(), tmp_path / 'r.pdf')
    assert content.startswith(b'%PDF')
    assert len(re.findall(rb'/Type /Page\b', content)) == 1 + 2 + 1


def test_the_document_says_what_the_page_says(tmp_path, monkeypatch):
    pages = pytest.importorskip('robot_dynamics_ros.report.printed.pages')
    texts, put = [], pages.put

    def noted(canvas, x, y, text, **look):
        texts.append(text)
        put(canvas, x, y, text, **look)

    monkeypatch.setattr(pages, 'put', noted)
    identification_report(identification(), provenance(), tmp_path / 'r.pdf')
    said = '\n'.join(texts).replace('\u00a0', ' ')
    for words in (
        'It is better.', 'It can be loaded.', 'one is better.', 'one stands still.',
        'one: m stays.', '24 of the 25 base parameters', 'as described', 'not determined alone',
        '0.4 to 0.6', 'one coulomb', 'from 10 s on',
    ):  # fmt: skip
        assert words in said, words


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r'report\.docx.*\.html, \.pdf, \.png'):
        check_identification_file(tmp_path / 'report.docx')
