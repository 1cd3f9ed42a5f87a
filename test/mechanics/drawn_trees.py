"""Random robots drawn by Hypothesis: URDFs that are fine, and URDFs with something broken."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from hypothesis import strategies as st

from mechanics.random_bodies import add_box, uniform

KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')


@st.composite
def random_trees(draw: Any, most_joints: int = 6) -> str:
    """URDF of a tree of plausible bodies: any shape, joint types, axes, frames, mimic joints."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=most_joints))
    # Numbers from one seed: Hypothesis looks for a simple shape, not for simple numbers.
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    robot = Element('robot', name='random')
    _link(robot, 0, random)
    for index, kind in enumerate(kinds, start=1):
        parent = draw(st.integers(0, index - 1))
        _link(robot, index, random)
        joint = SubElement(robot, 'joint', name=f'joint{index}', type=kind)
        SubElement(joint, 'parent', link=f'link{parent}')
        SubElement(joint, 'child', link=f'link{index}')
        SubElement(joint, 'origin', xyz=uniform(random, 0.5), rpy=uniform(random, math.pi))
        SubElement(joint, 'axis', xyz=uniform(random, 1.0))
        earlier = [i for i in range(1, index) if kinds[i - 1] != 'fixed']
        if kind != 'fixed' and earlier and draw(st.booleans()):
            _mimic(joint, draw(st.sampled_from(earlier)), random)
    if all(kind == 'fixed' for kind in kinds):
        robot.find('joint').set('type', 'revolute')
    # Neither links before joints nor parents before children is promised.
    elements = list(robot)
    for element in elements:
        robot.remove(element)
    robot.extend(draw(st.permutations(elements)))
    return ElementTree.tostring(robot, encoding='unicode')


@st.composite
def broken_urdfs(draw: Any) -> str:
    """A URDF in which elements were dropped, doubled or renamed, or attributes changed."""
    robot = ElementTree.fromstring(draw(random_trees(most_joints=3)))
    for _ in range(draw(st.integers(1, 4))):
        parent = draw(st.sampled_from(list(robot.iter())))
        if not len(parent):
            _break_attribute(draw, parent)
            continue
        child = draw(st.sampled_from(list(parent)))
        action = draw(st.sampled_from(['drop', 'double', 'rename', 'attribute', 'attribute']))
        if action == 'drop':
            parent.remove(child)
        elif action == 'double':
            parent.append(child)
        elif action == 'rename':
            child.tag = draw(st.sampled_from(['link', 'joint', 'inertial', 'origin', 'sensor']))
        else:
            _break_attribute(draw, child)
    return ElementTree.tostring(robot, encoding='unicode')


NUMBERS = ['0', '-1', '1e308', '-1e308', '1e-320', 'nan', 'inf', '-inf', '1_0', '0x10', '٣', 'π']
# What XML can hold.
CHARACTERS = st.characters(exclude_categories=('Cs', 'Cc'), exclude_characters='\ufffe\uffff')
XML_TEXT = st.text(CHARACTERS, max_size=8)


def _break_attribute(draw: Any, element: Element) -> None:
    if not element.attrib:
        element.set(draw(st.sampled_from(['name', 'type', 'value', 'xyz'])), draw(XML_TEXT))
        return
    attribute = draw(st.sampled_from(sorted(element.attrib)))
    numbers = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=4).map(' '.join)
    names = st.sampled_from(['link0', 'link1', 'joint1', 'floating', 'planar', 'spherical'])
    element.set(attribute, draw(st.one_of(numbers, names, XML_TEXT)))


def _link(robot: Element, index: int, random: np.random.Generator) -> None:
    link = SubElement(robot, 'link', name=f'link{index}')
    mass, sides = float(random.uniform(0.1, 5.0)), random.uniform(0.05, 0.5, 3)
    add_box(link, mass, sides, uniform(random, 0.3), uniform(random, math.pi))


def _mimic(joint: Element, mimicked: int, random: np.random.Generator) -> None:
    multiplier, offset = random.uniform(-2.0, 2.0, 2)
    laws = {'multiplier': repr(float(multiplier)), 'offset': repr(float(offset))}
    SubElement(joint, 'mimic', laws, joint=f'joint{mimicked}')
