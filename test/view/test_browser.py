"""The page in Chromium: an input moves the arm, and clients that come and go do no harm."""

import shutil

import pytest
from property_settings import ALL
from three_joints import LIMITED
from waiting import wait_until

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.view.model_view import ModelView

pytestmark = pytest.mark.skipif(not ALL, reason='with --all')
# The hand has a shape.
BOX = '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'
SHAPED = LIMITED.replace('<link name="hand">', f'<link name="hand">{BOX}')
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
# A browser that draws without a graphics card, on a busy machine [s].
LIMIT = 200.0
ARGUMENTS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']


@pytest.fixture(scope='module')
def browser():
    sync_api = pytest.importorskip('playwright.sync_api', reason='needs: pip install playwright')
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f'needs a browser, one of {", ".join(BROWSERS)}: apt-get install chromium')
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.mark.timeout(2 * LIMIT)
def test_a_number_in_the_page_moves_the_arm_and_clients_come_and_go(server, browser):
    view, asked = ModelView(server, parse_urdf(SHAPED), SHAPED), []
    view.update()

    def visit():
        page = browser.new_context(viewport={'width': 1000, 'height': 600}).new_page()
        page.set_default_timeout(1e3 * LIMIT)
        page.on('request', lambda request: asked.append(request.url))
        page.goto(f'http://127.0.0.1:{server.get_port()}')
        page.get_by_text('Gravity torque').wait_for()
        return page

    def until(condition, what, page):
        wait_until(condition, what, lambda: (view.update(), page.wait_for_timeout(50)))

    page, other = visit(), visit()
    until(lambda: len(server.get_clients()) == 2, 'both clients', page)
    wrist = page.locator('input:visible').nth(2)  # the number of the third slider
    wrist.fill('0.5')
    wrist.press('Enter')
    until(lambda: view.joints[2].value == 0.5, 'the slider', page)
    until(lambda: view.scene.arm.q[2] == 0.5, 'the arm', page)
    torque = view.dynamics().gravity_torque(view.scene.arm.q)[2]
    for each in (page, other):
        each.get_by_text(f'{torque:.2f} N m').wait_for()
    other.close()
    until(lambda: len(server.get_clients()) == 1, 'one client', page)
    wrist.fill('-0.5')
    wrist.press('Enter')
    until(lambda: view.scene.arm.q[2] == -0.5, 'the arm', page)
    # Nothing is loaded from elsewhere.
    assert {url.partition('://')[2].partition('/')[0] for url in asked if url[:4] == 'http'} == {
        f'127.0.0.1:{server.get_port()}'
    }
