"""Names of joints, robots and files may hold anything: they are shown, and do nothing."""

import re

import pytest
from report.browser import Visit
from report.synthetic import comparison_of, provenance, samples_of

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.report import write_report
from robot_dynamics_ros.report.words.readable import REPLACEMENT

NAMES = (
    '</script><script>window.hacked = 1</script>',
    '<img src="http://127.0.0.1/x" onerror="window.hacked = 1">',
    '"><b onmouseover="window.hacked = 1">\'&amp;',
    '<!-- <script> {figures} {plotly} %s $title',
    '$\\frac{1}{0}$ \\u003c',
    'zero\x00 bell\x07 surrogate\ud800 turned\u202e',
    'long_' * 200,
    'κόσμος 関節 🤖',
)


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('names') / 'report.html'
    write_report(comparison_with(NAMES), provenance(), path)
    return path


def comparison_with(names):
    samples = samples_of(names, 300, 100.0)
    findings = [Finding('</td>', (name,), 1.0, f'{name} is said') for name in names]
    return comparison_of(samples, findings=findings, robot=names[0])


def test_the_page_has_three_scripts_and_allows_no_other(file):
    text = file.read_text(encoding='utf-8')
    assert len(re.findall(r'</script', text, re.IGNORECASE)) == 3
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    assert "default-src 'none'" in policy
    scripts = re.search(r'script-src ([^;]*)', policy).group(1).split()
    assert len(scripts) == 2
    assert all(one.startswith("'sha256-") for one in scripts)


def test_the_browser_shows_the_names_and_runs_none(chromium, file):
    opened = Visit(chromium, file)
    try:
        opened.figure('0-time')
        assert opened.page.evaluate('window.hacked') is None
        titles = opened.page.locator('section.joint h2').all_inner_texts()
        expected = [re.sub('[\x00\x07\ud800\u202e]', REPLACEMENT, name) for name in NAMES]
        assert titles == expected
        assert opened.complaints == []
        assert opened.requests == [file.as_uri()]
        width = opened.page.evaluate('document.documentElement.scrollWidth')
        assert width <= 1280
    finally:
        opened.close()


def test_a_script_that_is_put_into_the_page_does_not_run(chromium, file):
    opened = Visit(chromium, file)
    try:
        opened.page.evaluate(
            'const script = document.createElement("script"); script.text = "window.hacked = 1";'
            'document.body.append(script)'
        )
        assert opened.page.evaluate('window.hacked') is None
        assert any('Content Security Policy' in one for one in opened.complaints)
    finally:
        opened.close()


@pytest.mark.filterwarnings('ignore:Glyph')
@pytest.mark.parametrize('ending', ['.pdf', '.png'])
def test_matplotlib_draws_the_names(tmp_path, ending):
    path = tmp_path / f'report{ending}'
    write_report(comparison_with(NAMES[4:6]), provenance(), path)
    assert path.stat().st_size > 10_000
