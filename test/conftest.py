"""The number of examples in property tests: see `property_settings`."""

from property_settings import load_profile

load_profile()
