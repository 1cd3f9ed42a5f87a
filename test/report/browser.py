"""Debian's Chromium, or another of its kind, driven by Playwright."""

import shutil
from contextlib import contextmanager

import pytest
from waiting import wait_until

# scripts/test installs the first one where it may.
NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')


@contextmanager
def browser():
    """A browser without a window; skips, with what to install, where there is none."""
    sync_api = pytest.importorskip('playwright.sync_api', reason='needs: pip install playwright')
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip(f'needs a browser, one of {", ".join(NAMES)}: apt-get install chromium')
    with sync_api.sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root or in a container.
        chromium = playwright.chromium.launch(executable_path=executable, args=['--no-sandbox'])
        yield chromium
        chromium.close()


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

    def close(self):
        self.context.close()
