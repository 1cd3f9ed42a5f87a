"""How many examples a property test tries: its own number, or as many as TEST_EXAMPLES says.

With TEST_EXAMPLES the examples come from fresh seeds, in the tests that repeat theirs as well.
"""

import os
from datetime import timedelta

from hypothesis import HealthCheck, settings

ASKED = int(os.environ.get('TEST_EXAMPLES', '0'))


def load_profile():
    """Give every property test without a number of its own the number that is asked for.

    Deadlines are left out then: of thousands of examples, one meets a pause of the machine.
    """
    if ASKED:
        settings.register_profile(
            'asked',
            max_examples=ASKED,
            derandomize=False,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        settings.load_profile('asked')


def examples(count, **others):
    """Settings of a test that tries `count` examples, unless another number is asked for."""
    if ASKED:
        others |= {'max_examples': ASKED, 'derandomize': False}
        return settings(**others)
    return settings(max_examples=count, **others)


# One that takes longer hangs: on a busy machine, a second of work may take ten.
HANGS = timedelta(seconds=20)
# Of malformed inputs: a little in each test run, 125,000 by `scripts/fuzz`.
tried = examples(250, deadline=HANGS, suppress_health_check=list(HealthCheck))
