"""What docs/external_forces.md names is where it says."""

import re
from pathlib import Path

from robot_dynamics_ros.control import external_forces

DOCUMENT = (Path(__file__).resolve().parents[3] / 'docs' / 'external_forces.md').read_text()


def test_the_package_exports_what_the_document_lists():
    (row,) = re.findall(
        r'^\| (.*) of `robot_dynamics_ros.control.external_forces`', DOCUMENT, re.M
    )
    names = re.findall('`(.+?)`', row)
    assert 'ContactDetector' in names
    assert {*names} <= {*external_forces.__all__}
    assert all(hasattr(external_forces, name) for name in external_forces.__all__)
