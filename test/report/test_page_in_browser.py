"""The page as a browser shows it: complete, quiet, usable, harmless, on a screen and on paper."""

import itertools
import re
import shutil
from dataclasses import replace

import pytest
from property_settings import ALL
from report.synthetic import NAMES, arm, comparison_of, identification, provenance, samples_of
from waiting import wait_until

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.report import write_report
from robot_dynamics_ros.report.text import REPLACEMENT

pytestmark = pytest.mark.skipif(not ALL, reason='with --all')

JOINTS = 2
KINDS = ('time', 'velocity', 'position', 'spectrum')
# scripts/test installs the first one where it may.
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')


# Not for the session: while Playwright runs, no other test could run asyncio in this thread.
@pytest.fixture(scope='module')
def chromium():
    """A browser without a window; skips, with what to install, where there is none."""
    sync_api = pytest.importorskip('playwright.sync_api', reason='needs: pip install playwright')
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f'needs a browser, one of {", ".join(BROWSERS)}: apt-get install chromium')
    with sync_api.sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root or in a container.
        opened = playwright.chromium.launch(executable_path=executable, args=['--no-sandbox'])
        yield opened
        opened.close()


class Visit:
    """A page that was opened, what it wrote to the console, and what it asked for."""

    def __init__(self, chromium, file, *, width=1280, height=900, **settings):
        """Open a file in a context of its own, without a network."""
        self.file = file
        self.context = chromium.new_context(
            viewport={'width': width, 'height': height}, offline=True, **settings
        )
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on('console', lambda message: self.complaints.append(message.text))
        self.page.on('pageerror', lambda error: self.complaints.append(str(error)))
        self.page.on('request', lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def figure(self, key):
        """The place of a figure, drawn."""
        place = self.page.locator(f'[data-figure="{key}"]')
        place.scroll_into_view_if_needed()
        place.locator('.main-svg').first.wait_for()
        return place

    def draw_all(self):
        """Scroll past every figure, as a reader does."""
        keys = self.page.locator('.plot').evaluate_all('all => all.map(p => p.dataset.figure)')
        return {key: self.figure(key) for key in keys}

    def wait_for(self, condition, what):
        """Wait for what the page does by itself; its policy forbids Playwright's own way."""
        wait_until(condition, what, 30.0, lambda: self.page.wait_for_timeout(20))


@pytest.fixture(scope='module')
def opened(chromium, tmp_path_factory):
    """Open the page of a result; closed at the end of the module."""
    visits = []

    def opened(result, **settings):
        path = tmp_path_factory.mktemp('report') / 'report.html'
        write_report([result] if isinstance(result, Compared) else result, provenance(), path)
        visits.append(Visit(chromium, path, **settings))
        return visits[-1]

    yield opened
    for visit in visits:
        visit.context.close()


@pytest.fixture(scope='module')
def visit(opened):
    return opened(arm(JOINTS))


def test_every_plot_is_drawn_without_a_complaint_or_a_request(visit, opened):
    expected = {f'{i}-{kind}' for i, kind in itertools.product(range(JOINTS), KINDS)}
    identified = opened(identification())
    both = ((visit, expected), (identified, {'0-time', '0-velocity', '1-time', '1-velocity'}))
    for one, keys in both:
        figures = one.draw_all()
        assert set(figures) == keys
        for key, place in figures.items():
            drawn = place.locator('.trace').count()
            assert drawn == place.evaluate('place => place.data.length'), key
        assert one.complaints == []
        assert one.requests == [one.file.as_uri()]


def test_the_plots_hold_the_samples_and_say_so_in_words(visit, opened):
    place = visit.figure('1-time')
    names = place.evaluate('place => place.data.map(trace => trace.name)')
    assert names == ['measured', 'model', 'residual', 'gravity', 'Coriolis', 'inertia']
    measured = place.evaluate('place => Array.from(place.calcdata[0].map(point => point.y))')
    assert measured == pytest.approx(arm(JOINTS).drawn.measured[:, 1], rel=1e-5)
    axes = place.evaluate('place => place._fullLayout._subplots')
    assert (len(axes['xaxis']), len(axes['yaxis'])) == (1, 3)  # they zoom together
    alternatives = visit.page.evaluate(
        'places.map((place) => [place.getAttribute("role"), place.getAttribute("aria-label"),'
        ' document.getElementById(place.getAttribute("aria-describedby")).innerText])'
    )
    assert len(alternatives) == JOINTS * len(KINDS)
    for role, label, words in alternatives:
        assert role == 'img'
        assert label
        assert any(letter.isdigit() for letter in words), words
    # Without scripts too.
    assert words in opened(arm(JOINTS), java_script_enabled=False).page.inner_text('body')


@pytest.mark.parametrize('width', [1280, 360])
def test_nothing_overlaps_and_the_page_is_not_wider_than_the_window(opened, width):
    text = 9 * 'The residual is friction that the model does not have (80 %): set friction. '
    found = Finding('friction', ('joint_0',), 1.5, text)
    visit = opened(arm(1, description_has_friction=True, findings=[found]), width=width)
    figures = visit.draw_all()
    (cell,) = visit.page.locator('#findings tbody td:last-child').all()
    assert cell.bounding_box()['width'] > 0.5 * width
    assert visit.page.evaluate('document.documentElement.scrollWidth') <= width
    for place in figures.values():
        boxes = [
            one.bounding_box()
            for kind in ('.annotation-text', '.legend')
            for one in place.locator(kind).all()
        ]
        assert_apart(boxes)


def assert_apart(boxes):
    """No two boxes have more than a pixel of their edges in common."""
    for one, other in itertools.combinations(boxes, 2):
        x, y = (max(one[key], other[key]) for key in 'xy')
        right = min(box['x'] + box['width'] for box in (one, other))
        bottom = min(box['y'] + box['height'] for box in (one, other))
        assert right - x <= 1.0 or bottom - y <= 1.0, (one, other)


PRINTED = """
addEventListener('beforeprint', () => {
  window.printed = places.map((place) => ({
    width: place._fullLayout.width,
    traces: place.querySelectorAll('.trace').length,
    boxes: Array.from(place.querySelectorAll('.annotation-text, .legend'),
      (one) => one.getBoundingClientRect().toJSON()),
  }));
});
"""


def test_print_draws_every_plot_within_the_paper_and_then_restores_the_page(opened):
    """The labels of an axis take room from the legend: those of small densities are long."""
    comparison = arm(1, description_has_friction=True)
    spectrum = comparison.spectrum
    small = {name: 1e-6 * getattr(spectrum, name) for name in ('measured', 'residual')}
    visit = opened(replace(comparison, spectrum=replace(spectrum, **small)))
    before = visit.figure('0-time').bounding_box()
    visit.page.evaluate(PRINTED)
    assert visit.page.pdf(prefer_css_page_size=True).startswith(b'%PDF')
    printed = visit.page.evaluate('printed')
    assert len(printed) == len(KINDS)
    paper = (210.0 - 2 * 13.0) / 25.4 * 96.0
    for one in printed:
        assert one['width'] <= paper
        assert one['traces'] > 0
        assert_apart(one['boxes'])
    visit.wait_for(
        lambda: visit.page.evaluate('places.every((place) => place._fullLayout.autosize)'),
        'plots as wide as the page',
    )
    after = visit.figure('0-time').bounding_box()
    assert (after['width'], after['height']) == (before['width'], before['height'])
    assert visit.complaints == []


def test_the_browser_shows_names_and_runs_none_nor_a_script_that_is_put_into_the_page(opened):
    samples = samples_of(NAMES, 300, 100.0)
    findings = [Finding('sign', (name,), 1.0, f'{name} is said</td>') for name in NAMES]
    visit = opened(comparison_of(samples, findings=findings, robot=NAMES[0]))
    visit.figure('0-time')
    assert visit.page.evaluate('window.hacked') is None
    titles = visit.page.locator('section.joint h2').all_inner_texts()
    assert titles == [re.sub('[\x00\x07\ud800\u202e]', REPLACEMENT, name) for name in NAMES]
    assert visit.complaints == []
    assert visit.requests == [visit.file.as_uri()]
    assert visit.page.evaluate('document.documentElement.scrollWidth') <= 1280
    visit.page.evaluate(
        'const script = document.createElement("script"); script.text = "window.hacked = 1";'
        'document.body.append(script)'
    )
    assert visit.page.evaluate('window.hacked') is None
    assert any('Content Security Policy' in one for one in visit.complaints)
