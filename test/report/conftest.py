import pytest
from report.browser import browser


@pytest.fixture(scope='session')
def chromium():
    with browser() as opened:
        yield opened
