"""What holds for all tests."""

import gc
import signal

from property_settings import load_profile

# The number of examples in property tests: see `property_settings`.
load_profile()

# Where it is inherited ignored, the processes that tests start would ignore it too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Collected tests stay to the end: no search for garbage needs to visit them."""
    gc.freeze()
