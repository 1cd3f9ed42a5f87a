"""The services that a node offers are all those that have a type, and all that docs/interfaces.md
names."""

import re
from pathlib import Path

import pytest

from robot_dynamics_interfaces import srv

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[3]
# Types of services that simulated_arm offers.
SIMULATED = {'PushLink'}


def offered(node):
    """Type by name, of the services that are not those of every lifecycle node."""
    prefix = f'{node.get_fully_qualified_name()}/'
    own = {}
    for service in node.services:
        package = service.srv_type.__module__.partition('.')[0]
        if package in ('robot_dynamics_interfaces', 'std_srvs'):
            name = node.resolve_service_name(service.srv_name)
            assert name.startswith(prefix)
            own[f'~/{name.removeprefix(prefix)}'] = service.srv_type
    return own


def test_every_type_is_offered_once_and_the_documents_name_every_service(graph):
    types = {
        kind
        for kind in vars(srv).values()
        if isinstance(kind, type) and hasattr(kind, 'Request') and hasattr(kind, 'Response')
    }
    with graph(start=False) as (node, _):
        services = offered(node)
    kinds = [kind for kind in services.values() if kind.__module__.startswith('robot_dynamics')]
    assert len(kinds) == len(set(kinds))
    own = {kind.__name__ for kind in types if 'Event' not in kind.__name__} - SIMULATED
    assert {kind.__name__ for kind in kinds} == own
    table = (ROOT / 'docs/interfaces.md').read_text()
    table = table.partition('\n## Services\n')[2].partition('\n## ')[0]
    assert set(re.findall(r'^\| `(~/\w+)`', table, re.MULTILINE)) <= set(services)
    assert set(re.findall(r'`(~/\w+)`', table)) >= set(services)
