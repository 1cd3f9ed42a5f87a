"""A ROS domain for each test: no node that an earlier one left is heard."""

import pytest
from domains import free_domain


@pytest.fixture(autouse=True)
def domain(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', str(free_domain()))
