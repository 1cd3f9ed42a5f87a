"""Collects the worst disagreement of every quantity and prints it after the tests."""

from collections import defaultdict

import pytest

WORST = pytest.StashKey()


@pytest.fixture(scope='session')
def worst(request):
    """quantity -> error, of which robot; and how often it was compared."""
    found = request.config.stash.setdefault(WORST, defaultdict(lambda: [0.0, '', 0]))

    def record(name, report):
        for comparison in report.comparisons:
            entry = found[comparison.quantity]
            entry[2] += 1
            # Written so that NaN is kept.
            if not comparison.worst_relative <= entry[0]:
                entry[:2] = comparison.worst_relative, name

    return record


def pytest_terminal_summary(terminalreporter, config):
    found = config.stash.get(WORST, {})
    if not found:
        return
    terminalreporter.section('worst disagreement with Pinocchio, relative to the largest entry')
    for quantity, (error, name, robots) in sorted(found.items()):
        terminalreporter.write_line(
            f'{quantity:<40} {error:8.1e}  in {robots} comparisons, at {name}'
        )
