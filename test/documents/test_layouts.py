"""The layouts of PlotJuggler and Foxglove in config/ plot fields that `~/torques` has."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[2]
PLOTJUGGLER = ElementTree.parse(ROOT / 'config/torques.plotjuggler.xml').getroot()
FOXGLOVE = json.loads((ROOT / 'config/torques.foxglove.json').read_text())
TOPIC = '/robot_dynamics/torques'
# Type of each field of the message, by its name.
FIELDS = {
    name: kind
    for kind, name in re.findall(
        r'^([\w/]+(?:\[\])?) (\w+)$',
        (ROOT / 'robot_dynamics_interfaces/msg/JointTorques.msg').read_text(),
        re.M,
    )
}
CURVES = {
    r'/(\w+)\[(\d)\]': [curve.get('name') for curve in PLOTJUGGLER.iter('curve')],
    r'\.(\w+)\[(\d)\]': [
        path['value']
        for panel in FOXGLOVE['configById'].values()
        for path in panel.get('paths', [])
    ],
}


@pytest.mark.parametrize('pattern', CURVES)
def test_every_part_of_the_torque_is_plotted_once_for_seven_joints(pattern):
    parts = {name for name, kind in FIELDS.items() if kind == 'float64[]'}
    assert {'effort', 'gravity', 'coriolis', 'inertial', 'friction'} <= parts
    plotted = [re.fullmatch(re.escape(TOPIC) + pattern, path).groups() for path in CURVES[pattern]]
    assert sorted(plotted) == sorted((name, str(joint)) for name in parts for joint in range(7))
