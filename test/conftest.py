"""What holds for all tests."""

import gc

from property_settings import load_profile

# The number of examples in property tests: see `property_settings`.
load_profile()


def pytest_collection_finish():
    """Collected tests stay to the end: no search for garbage needs to visit them."""
    gc.freeze()
