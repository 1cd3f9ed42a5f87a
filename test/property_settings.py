"""What a test tries: the same few examples and robots in each run.

With TEST_ALL every robot and fresh examples, with TEST_EXAMPLES as many of them as it says.
"""

import os
from datetime import timedelta

from hypothesis import HealthCheck, settings

ALL = bool(os.environ.get('TEST_ALL'))
ASKED = int(os.environ.get('TEST_EXAMPLES', '0'))


def load_profile():
    """Without deadlines: of thousands of examples, one meets a pause of the machine."""
    settings.register_profile(
        'tests',
        derandomize=not (ALL or ASKED),
        deadline=None,
        print_blob=True,
        max_examples=ASKED or settings.default.max_examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile('tests')


def examples(count, **others):
    """Settings of a test that tries `count` examples, unless another number is asked for."""
    return settings(max_examples=ASKED or count, **others)


# One that takes longer hangs: on a busy machine, a second of work may take ten.
HANGS = timedelta(seconds=20)
# Of malformed inputs: a little in each test run, 125,000 by `scripts/fuzz`.
tried = examples(250 if ALL else 100, deadline=HANGS, suppress_health_check=list(HealthCheck))
