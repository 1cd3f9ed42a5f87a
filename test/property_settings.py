"""What a property test tries: its own number of examples, the same in each run.

With TEST_EXAMPLES as many as it says, from fresh seeds.
"""

import os
from datetime import timedelta

from hypothesis import HealthCheck, settings

ASKED = int(os.environ.get('TEST_EXAMPLES', '0'))


def load_profile():
    """Repeat the same examples in each run, or try as many new ones as are asked for.

    Without deadlines: of thousands of examples, one meets a pause of the machine.
    """
    settings.register_profile('repeated', derandomize=True, deadline=None)
    settings.register_profile(
        'asked',
        max_examples=ASKED or settings.default.max_examples,
        derandomize=False,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile('asked' if ASKED else 'repeated')


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
