"""Random robots by number: the same number is the same robot in every run.

From a single joint to a bush of twenty; chains, combs and stars; principal and oblique axes;
revolute, continuous and prismatic joints; fixed links, with and without inertials; chains of mimic
joints, also before the joint that they mimic; links without inertial and with one of zeros. Links
may precede their parents.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from mechanics.robots import Robot, written

COUNT = 240
SIZES = (1, 2, 3, 4, 6, 8, 12, 20)
KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')


def random_robot(number: int, *, plausible: bool = False) -> Robot:
    """The robot of that number."""
    return written(f'tree {number}', random_tree(number, plausible=plausible))


def random_tree(number: int, *, plausible: bool = False) -> str:
    """URDF of a robot with at least one joint; if plausible, every link has mass."""
    random = np.random.default_rng(number)
    size = int(random.choice([size for size in SIZES if size <= 6 or not plausible]))
    # How far back a parent may lie: 1 is a chain, `size` a star or a bush.
    reach = int(random.choice([1, 2, size]))
    kinds = [str(kind) for kind in random.choice(KINDS, size, p=[0.4, 0.2, 0.2, 0.2])]
    kinds[int(random.integers(size))] = 'revolute'
    robot = Element('robot', name=f'random{number}')
    _link(robot, 0, random, plausible)
    for index, kind in enumerate(kinds, start=1):
        _link(robot, index, random, plausible)
        joint = SubElement(robot, 'joint', name=f'joint{index}', type=kind)
        SubElement(joint, 'parent', link=f'link{random.integers(max(0, index - reach), index)}')
        SubElement(joint, 'child', link=f'link{index}')
        if random.random() < 0.9:
            SubElement(joint, 'origin', xyz=_uniform(random, 0.5), rpy=_turn(random))
        SubElement(joint, 'axis', xyz=_axis(random))
        if kind in ('revolute', 'prismatic'):
            SubElement(joint, 'limit', lower='-2', upper='2', velocity='3', effort='100')
    _couple(robot, random)
    robot[:] = [robot[int(i)] for i in random.permutation(len(robot))]
    return ElementTree.tostring(robot, encoding='unicode')


def _couple(robot: Element, random: np.random.Generator) -> None:
    """Make some joints mimic others: a random order without loops, the first being free."""
    moving = [joint for joint in robot.iterfind('joint') if joint.get('type') != 'fixed']
    share = random.choice([0.0, 0.0, 0.3, 0.8])
    order = [moving[int(i)] for i in random.permutation(len(moving))]
    for index, joint in enumerate(order[1:], start=1):
        if random.random() < share:
            mimicked = order[int(random.integers(index))].get('name')
            multiplier, offset = (repr(float(x)) for x in random.uniform(-2.0, 2.0, 2))
            SubElement(joint, 'mimic', joint=mimicked, multiplier=multiplier, offset=offset)


def _link(robot: Element, index: int, random: np.random.Generator, plausible: bool) -> None:
    """A uniform box somewhere, one of zeros, or no inertial."""
    link = SubElement(robot, 'link', name=f'link{index}')
    chance = 1.0 if plausible else random.random()
    if chance < 0.1:
        return
    mass, (x, y, z) = float(random.uniform(0.1, 5.0)), random.uniform(0.05, 0.5, 3)
    mass = 0.0 if chance < 0.15 else mass
    inertial = SubElement(link, 'inertial')
    SubElement(inertial, 'mass', value=repr(mass))
    SubElement(inertial, 'origin', xyz=_uniform(random, 0.3), rpy=_turn(random))
    moments = {'ixx': y * y + z * z, 'iyy': x * x + z * z, 'izz': x * x + y * y}
    entries = {key: repr(float(mass * moment / 12.0)) for key, moment in moments.items()}
    SubElement(inertial, 'inertia', entries | dict.fromkeys(('ixy', 'ixz', 'iyz'), '0'))


def _uniform(random: np.random.Generator, most: float) -> str:
    """Three numbers between -most and most."""
    return ' '.join(repr(float(x)) for x in random.uniform(-most, most, 3))


def _axis(random: np.random.Generator) -> str:
    if random.random() < 0.5:
        return _uniform(random, 1.0)
    axis = [0, 0, 0]
    axis[int(random.integers(3))] = int(random.choice([-1, 1]))
    return ' '.join(map(str, axis))


def _turn(random: np.random.Generator) -> str:
    """Half of the frames are turned by quarters, which fold away."""
    if random.random() < 0.5:
        return _uniform(random, math.pi)
    return ' '.join(repr(float(x)) for x in random.integers(-2, 3, 3) * (math.pi / 2))
