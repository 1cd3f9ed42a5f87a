"""The page as a browser shows it: complete, quiet, harmless, on a screen and on paper."""

import re
import shutil
from itertools import pairwise

import pytest
from property_settings import ALL
from report.synthetic import NAMES, comparison, identification

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.report import report_page
from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.text import REPLACEMENT

pytestmark = pytest.mark.skipif(not ALL, reason='with --all')
# scripts/test installs the first one where it may.
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
DRAWN = 'places.map((place) => place.querySelectorAll(".trace").length)'


# Not for the session: while Playwright runs, no other test could run asyncio in this thread.
@pytest.fixture(scope='module')
def visit(tmp_path_factory):
    """Open the page of a report without a network; gives it, and what it said or asked for."""
    sync_api = pytest.importorskip('playwright.sync_api', reason='needs: pip install playwright')
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f'needs a browser, one of {", ".join(BROWSERS)}: apt-get install chromium')

    def visit(report, width=1280):
        size, said = {'width': width, 'height': 900}, []
        page = browser.new_context(viewport=size, offline=True).new_page()
        page.on('console', lambda message: said.append(message.text))
        page.on('pageerror', lambda error: said.append(str(error)))
        file = tmp_path_factory.mktemp('report') / 'report.html'
        file.write_text(report_page(report), encoding='utf-8')
        page.on('request', lambda request: said.append(request.url))
        page.goto(file.as_uri())
        said.remove(file.as_uri())
        return page, said

    with sync_api.sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root or in a container.
        browser = playwright.chromium.launch(executable_path=executable, args=['--no-sandbox'])
        yield visit
        browser.close()


@pytest.mark.parametrize('kind', ['comparison', 'identification'])
def test_a_plot_is_drawn_when_it_is_seen_and_says_in_words_what_it_shows(visit, kind):
    report = comparison_report([comparison()]) if kind == 'comparison' else identification()
    page, said = visit(report)
    plots = [one for joint in report.joints for one in joint.figures]
    for place in page.locator('.plot').all():
        place.scroll_into_view_if_needed()
        place.locator('.main-svg').first.wait_for()
    assert page.evaluate(DRAWN) == [len(one.plot.data) for one in plots]
    assert said == []
    for place in page.locator('.plot[role=img]').all():
        words = page.locator(f'#{place.get_attribute("aria-describedby")}').inner_text()
        assert re.search(r'\d', words)


@pytest.mark.parametrize('width', [1280, 360])
def test_nothing_overlaps_and_the_page_is_not_wider_than_the_window(visit, width):
    page, _ = visit(comparison_report([comparison()]), width)
    page.evaluate('places.forEach(draw)')
    assert page.evaluate('document.documentElement.scrollWidth') <= width
    for place in page.locator('.plot').all():
        boxes = [one.bounding_box() for one in place.locator('.legend').all()]
        for one, other in pairwise(boxes):
            assert one['y'] + one['height'] <= other['y'] + 1.0


def test_print_draws_every_plot_within_the_paper_and_then_restores_the_page(visit):
    page, said = visit(comparison_report([comparison()]))
    page.evaluate(f'addEventListener("beforeprint", () => {{ window.drawn = {DRAWN}; }})')
    assert page.pdf(prefer_css_page_size=True).startswith(b'%PDF')
    assert min(page.evaluate('drawn')) > 0
    assert page.evaluate('places.every((place) => place.layout.autosize)')
    assert said == []


def test_the_browser_shows_names_and_runs_none_nor_a_script_that_is_put_into_the_page(visit):
    findings = [Finding('sign', (name,), 1.0, f'{name} is said</td>') for name in NAMES]
    compared = comparison(NAMES, findings=findings, robot=NAMES[0])
    page, said = visit(comparison_report([compared]))
    page.evaluate('draw(places[0])')
    titles = page.locator('section.joint h2').all_inner_texts()
    assert titles == [re.sub('[\x00\x07\ud800\u202e]', REPLACEMENT, name) for name in NAMES]
    assert said == []
    assert page.evaluate('document.documentElement.scrollWidth') <= 1280
    page.evaluate(
        'const script = document.createElement("script"); script.text = "window.hacked = 1";'
        'document.body.append(script)'
    )
    assert page.evaluate('window.hacked') is None
    assert any('Content Security Policy' in one for one in said)
