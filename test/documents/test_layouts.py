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


def test_plotjuggler_finds_the_widgets_where_it_looks_for_them():
    """As `MainWindow::xmlLoadState` and `PlotDocker::restoreSplitter` of PlotJuggler 3 read."""
    assert PLOTJUGGLER.tag == 'root'
    (widget,) = PLOTJUGGLER.findall('tabbed_widget')
    assert (widget.get('parent'), widget.get('name')) == ('main_window', 'Main Window')
    splitters = widget.findall('Tab/Container/DockSplitter')
    assert len(splitters) == len(widget.findall('Tab'))
    for splitter in splitters:
        areas = splitter.findall('DockArea')
        assert len(areas) == int(splitter.get('count')) == len(splitter.get('sizes').split(';'))
        assert all(area.find('plot').get('mode') == 'TimeSeries' for area in areas)
    assert PLOTJUGGLER.find('previouslyLoaded_Streamer').get('name') == 'ROS2 Topic Subscriber'


def panels_in(node):
    """Those of a node of the mosaic, in the order of the screen."""
    if isinstance(node, str):
        return [node]
    return panels_in(node['first']) + panels_in(node['second'])


def test_foxglove_shows_each_panel_once():
    panels = FOXGLOVE['configById']
    assert sorted(panels_in(FOXGLOVE['layout'])) == sorted(panels)
    (raw,) = (panel for panel in panels.values() if 'topicPath' in panel)
    topic, _, field = raw['topicPath'].partition('.')
    assert (topic, FIELDS[field]) == (TOPIC, 'string[]')
