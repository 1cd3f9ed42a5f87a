"""The page as a browser shows it: complete, quiet, usable, on a screen and on paper."""

import itertools
import shutil
import subprocess
from dataclasses import replace

import pytest
from report.browser import Visit
from report.synthetic import arm, provenance

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.report import write_report

JOINTS = 2
KINDS = ('time', 'velocity', 'position', 'spectrum', 'histogram')


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('report') / 'report.html'
    write_report(arm(JOINTS), provenance(), path)
    return path


@pytest.fixture(scope='module')
def visit(chromium, file):
    opened = Visit(chromium, file)
    yield opened
    opened.close()


def axis_range(place, axis='xaxis'):
    return place.evaluate(f'place => Array.from(place._fullLayout.{axis}.range)')


def test_every_plot_is_drawn_without_a_complaint_or_a_request(visit, file):
    figures = visit.draw_all()
    assert set(figures) == {f'{i}-{kind}' for i, kind in itertools.product(range(JOINTS), KINDS)}
    for key, place in figures.items():
        drawn = place.locator('.trace').count()
        assert drawn == place.evaluate('place => place.data.length'), key
    assert visit.complaints == []
    assert visit.requests == [file.as_uri()]


def test_the_plots_hold_the_samples(visit):
    place = visit.figure('1-time')
    names = place.evaluate('place => place.data.map(trace => trace.name)')
    assert names == ['measured', 'model', 'residual', 'gravity', 'Coriolis', 'inertia']
    measured = place.evaluate('place => Array.from(place.calcdata[0].map(point => point.y))')
    assert measured == pytest.approx(arm(JOINTS).samples.measured[:, 1], rel=1e-5)


def test_a_zoom_shows_a_part_in_every_panel_and_a_double_click_all(visit):
    place = visit.figure('0-time')
    whole = axis_range(place)
    box = place.locator('.nsewdrag').first.bounding_box()
    y = box['y'] + 0.5 * box['height']
    visit.page.mouse.move(box['x'] + 0.25 * box['width'], y)
    visit.page.mouse.down()
    visit.page.mouse.move(box['x'] + 0.5 * box['width'], y, steps=5)
    visit.page.mouse.up()
    low, high = whole[0] + 0.25 * (whole[1] - whole[0]), whole[0] + 0.5 * (whole[1] - whole[0])
    assert axis_range(place) == pytest.approx([low, high], abs=0.01 * (whole[1] - whole[0]))
    panels = place.evaluate('place => Object.keys(place._fullLayout._plots).length')
    assert panels == 3  # all on the one axis of time
    # A click of the mouse is double for plotly if the second one comes within 300 ms.
    visit.page.mouse.dblclick(box['x'] + 0.4 * box['width'], y)
    visit.wait_for(lambda: axis_range(place) == pytest.approx(whole), 'the whole range')


@pytest.fixture(scope='module')
def lone_joint(tmp_path_factory):
    path = tmp_path_factory.mktemp('lone') / 'report.html'
    write_report(arm(1, description_has_friction=True), provenance(), path)
    return path


@pytest.mark.parametrize('width', [1280, 700, 360])
def test_nothing_overlaps_and_the_page_is_not_wider_than_the_window(chromium, lone_joint, width):
    opened = Visit(chromium, lone_joint, width=width)
    try:
        figures = opened.draw_all()
        assert opened.page.evaluate('document.documentElement.scrollWidth') <= width
        for key, place in figures.items():
            boxes = [
                one.bounding_box()
                for kind in ('.annotation-text', '.legend')
                for one in place.locator(kind).all()
            ]
            for one, other in itertools.combinations(boxes, 2):
                assert not overlap(one, other), (key, one, other)
    finally:
        opened.close()


SENTENCE = (
    'The residual is friction that the model does not have, and the gravity of a payload that the '
    'description does not know (80 %): set friction and payload.'
)


@pytest.fixture(scope='module')
def with_findings(tmp_path_factory):
    comparison = arm(1)
    (one,) = comparison.findings[:1]
    path = tmp_path_factory.mktemp('findings') / 'report.html'
    findings = [replace(one, message=f'{fill} {SENTENCE}') for fill in FILLS]
    write_report(replace(comparison, findings=findings), provenance(), path)
    return path


# The break before `%` depends on what comes before: one of these lines would break there.
FILLS = ['i' * count for count in range(1, 40)]
# For each finding: its width, and whether `80` and `%` are in different lines.
MEANINGS = """
rows => rows.map((row) => {
  const cell = row.lastElementChild, text = cell.firstChild;
  const at = text.data.indexOf('(80'), range = document.createRange();
  range.setStart(text, at);
  range.setEnd(text, at + '(80 %'.length);
  return { width: cell.clientWidth, lines: new Set(
    Array.from(range.getClientRects(), (box) => Math.round(box.top))).size };
})
"""


@pytest.mark.parametrize('width', [1280, 390])
def test_findings_have_room_and_keep_a_number_and_its_per_cent_together(
    chromium, with_findings, width
):
    opened = Visit(chromium, with_findings, width=width)
    try:
        rows = opened.page.locator('#findings tbody tr')
        meanings = rows.evaluate_all(MEANINGS)
        assert len(meanings) == len(FILLS)
        assert all(one['width'] > 0.5 * width for one in meanings)
        assert {one['lines'] for one in meanings} == {1}
        assert opened.page.evaluate('document.documentElement.scrollWidth') <= width
    finally:
        opened.close()


BOXES = """
addEventListener('beforeprint', () => {
  window.boxes = places.map((place) =>
    Array.from(place.querySelectorAll('.annotation-text, .legend'), (one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x, y, width, height };
    }),
  );
});
"""


def test_nothing_overlaps_on_paper(chromium, tmp_path):
    """The labels of an axis take room from the legend: those of small densities are long."""
    comparison = arm(1, description_has_friction=True)
    spectrum = comparison.spectrum
    small = replace(spectrum, **{
        name: 1e-6 * getattr(spectrum, name) for name in ('measured', 'residual')
    })  # fmt: skip
    write_report(replace(comparison, spectrum=small), provenance(), tmp_path / 'report.html')
    opened = Visit(chromium, tmp_path / 'report.html')
    try:
        opened.draw_all()
        opened.page.evaluate(BOXES)
        opened.page.pdf(prefer_css_page_size=True)
        for boxes in opened.page.evaluate('boxes'):
            for one, other in itertools.combinations(boxes, 2):
                assert not overlap(one, other), (one, other)
    finally:
        opened.close()


def overlap(one, other):
    """Whether two boxes have more than a pixel of their edges in common."""
    across = min(one['x'] + one['width'], other['x'] + other['width']) - max(one['x'], other['x'])
    down = min(one['y'] + one['height'], other['y'] + other['height']) - max(one['y'], other['y'])
    return across > 1.0 and down > 1.0


def test_a_window_that_becomes_narrow_arranges_its_plots_anew(chromium, file):
    opened = Visit(chromium, file)
    try:
        place = opened.figure('0-velocity')
        assert place.evaluate('place => place.layout.legend.xanchor') == 'right'
        opened.page.set_viewport_size({'width': 380, 'height': 800})
        opened.wait_for(
            lambda: place.evaluate('place => place.layout.legend.xanchor') == 'left',
            'a legend below',
        )
        assert place.locator('.main-svg').first.bounding_box()['width'] <= 380
    finally:
        opened.close()


def test_print_draws_every_plot_within_the_paper_and_then_restores_the_page(chromium, file):
    opened = Visit(chromium, file)
    try:
        before = opened.figure('0-time').bounding_box()
        opened.page.evaluate(
            'addEventListener("beforeprint", () => { window.printed = places.map((place) =>'
            ' ({ width: place._fullLayout.width, traces: place.querySelectorAll(".trace").length'
            ' })); })'
        )
        document = opened.page.pdf(prefer_css_page_size=True)
        assert document.startswith(b'%PDF')
        printed = opened.page.evaluate('printed')
        assert len(printed) == JOINTS * len(KINDS)
        paper = (210.0 - 2 * 13.0) / 25.4 * 96.0
        assert all(one['width'] <= paper and one['traces'] > 0 for one in printed)
        opened.wait_for(
            lambda: opened.page.evaluate('places.every((place) => place._fullLayout.autosize)'),
            'plots as wide as the page',
        )
        after = opened.figure('0-time').bounding_box()
        assert (after['width'], after['height']) == (before['width'], before['height'])
        assert opened.complaints == []
    finally:
        opened.close()


ROWS = """count => {
    document.querySelectorAll('section:not(#findings)').forEach(section => section.remove());
    const body = document.querySelector('#findings tbody');
    const row = body.rows[0];
    body.replaceChildren(...Array.from({ length: count }, () => row.cloneNode(true)));
}"""


@pytest.mark.skipif(
    shutil.which('pdftotext') is None, reason='needs pdftotext: apt-get install poppler-utils'
)
def test_no_row_is_alone_on_a_page(chromium, tmp_path):
    found = [Finding('marked', (), None, 'It is one row.')]
    write_report(arm(1, count=50, findings=found), provenance(), tmp_path / 'report.html')
    opened = Visit(chromium, tmp_path / 'report.html')
    try:
        most = rows_by_page(opened, 90)[0]
        assert 10 < most < 90
        assert rows_by_page(opened, most) == [most]
        assert rows_by_page(opened, most + 1) == [most - 1, 2]
    finally:
        opened.close()


def rows_by_page(opened, count):
    """Rows on each page of paper, where the findings are so many."""
    opened.page.evaluate(ROWS, count)
    document = opened.page.pdf(prefer_css_page_size=True)
    command = ['pdftotext', '-', '-']
    text = subprocess.run(command, input=document, capture_output=True, check=True, timeout=60)
    pages = text.stdout.decode().split('\f')[:-1]
    return [page.count('marked') for page in pages]


def test_without_scripts_everything_but_the_plots_can_be_read(chromium, file):
    opened = Visit(chromium, file, java_script_enabled=False)
    try:
        text = opened.page.inner_text('body')
        assert 'The plots need JavaScript' in text
        for i in range(JOINTS):
            assert f'joint_{i}' in text
        assert 'Mean residual' in text
        assert 'SHA-256' in text
    finally:
        opened.close()


def test_each_plot_has_a_text_alternative(visit):
    alternatives = visit.page.evaluate(
        'places.map((place) => [place.getAttribute("role"), place.getAttribute("aria-label"),'
        ' document.getElementById(place.getAttribute("aria-describedby")).innerText])'
    )
    assert len(alternatives) == JOINTS * len(KINDS)
    for role, label, words in alternatives:
        assert role == 'img'
        assert label
        assert any(letter.isdigit() for letter in words), words
