"""The layouts of PlotJuggler and Foxglove in config/ plot fields that `~/torques` has."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / 'config'
MESSAGE = ROOT / 'robot_dynamics_interfaces' / 'msg' / 'JointTorques.msg'
TOPIC = '/robot_dynamics/torques'


@pytest.fixture
def fields():
    """Type of each field of the message, by its name."""
    declared = re.findall(r'^([\w/]+(?:\[\])?) (\w+)$', MESSAGE.read_text(), re.M)
    return {name: kind for kind, name in declared}


@pytest.fixture
def plotjuggler():
    return ElementTree.parse(CONFIG / 'torques.plotjuggler.xml').getroot()


@pytest.fixture
def foxglove():
    return json.loads((CONFIG / 'torques.foxglove.json').read_text())


def parts(fields):
    """What there is to plot."""
    return {name for name, kind in fields.items() if kind == 'float64[]'}


def check(paths, pattern, fields):
    """Each path is an entry of an array of numbers, and each array is plotted for seven joints."""
    found = [re.fullmatch(re.escape(TOPIC) + pattern, path) for path in paths]
    assert all(found), [path for path, match in zip(paths, found, strict=True) if not match]
    plotted = [match.groups() for match in found]
    assert len(plotted) == len(set(plotted))
    assert set(plotted) == {(name, str(joint)) for name in parts(fields) for joint in range(7)}


def test_the_message_has_the_parts_of_the_torque(fields):
    assert {'effort', 'gravity', 'coriolis', 'inertial', 'friction'} <= parts(fields)


def test_plotjuggler_plots_every_part_of_the_torque(plotjuggler, fields):
    curves = [curve.get('name') for curve in plotjuggler.iter('curve')]
    check(curves, r'/(\w+)\[(\d)\]', fields)


def test_plotjuggler_finds_the_widgets_where_it_looks_for_them(plotjuggler):
    """As `MainWindow::xmlLoadState` and `PlotDocker::restoreSplitter` of PlotJuggler 3 read."""
    assert plotjuggler.tag == 'root'
    (widget,) = plotjuggler.findall('tabbed_widget')
    assert (widget.get('parent'), widget.get('name')) == ('main_window', 'Main Window')
    splitters = widget.findall('Tab/Container/DockSplitter')
    assert len(splitters) == len(widget.findall('Tab'))
    for splitter in splitters:
        areas = splitter.findall('DockArea')
        assert len(areas) == int(splitter.get('count')) == len(splitter.get('sizes').split(';'))
        assert all(area.find('plot').get('mode') == 'TimeSeries' for area in areas)
    assert plotjuggler.find('previouslyLoaded_Streamer').get('name') == 'ROS2 Topic Subscriber'


def test_foxglove_plots_every_part_of_the_torque(foxglove, fields):
    paths = [
        path['value']
        for panel in foxglove['configById'].values()
        for path in panel.get('paths', [])
    ]
    check(paths, r'\.(\w+)\[(\d)\]', fields)
    (raw,) = (p for p in foxglove['configById'].values() if 'topicPath' in p)
    topic, _, field = raw['topicPath'].partition('.')
    assert (topic, fields[field]) == (TOPIC, 'string[]')


def panels_in(node):
    """Those of a node of the mosaic, in the order of the screen."""
    if isinstance(node, str):
        return [node]
    assert node['direction'] in ('row', 'column')
    assert 0 < node['splitPercentage'] < 100
    return panels_in(node['first']) + panels_in(node['second'])


def test_foxglove_shows_each_panel_once(foxglove):
    assert sorted(panels_in(foxglove['layout'])) == sorted(foxglove['configById'])
    assert all(name.split('!')[0] in ('Plot', 'RawMessages') for name in foxglove['configById'])
