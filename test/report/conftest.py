import pytest
from report.browser import browser


# Not for the session: while Playwright runs, no other test could run asyncio in this thread.
@pytest.fixture(scope='module')
def chromium():
    with browser() as opened:
        yield opened
