"""Random numbers for URDFs, and bodies that can exist."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np


def add_box(link: Element, mass: float, sides: Sequence[float], xyz: str, rpy: str) -> None:
    """Give a link the inertial of a uniform box, its centre and axes at that origin."""
    inertial = SubElement(link, 'inertial')
    SubElement(inertial, 'mass', value=repr(mass))
    SubElement(inertial, 'origin', xyz=xyz, rpy=rpy)
    x, y, z = sides
    moments = {'ixx': y * y + z * z, 'iyy': x * x + z * z, 'izz': x * x + y * y}
    inertia = {key: repr(float(mass * moment / 12.0)) for key, moment in moments.items()}
    SubElement(inertial, 'inertia', inertia | dict.fromkeys(('ixy', 'ixz', 'iyz'), '0'))


def uniform(random: np.random.Generator, most: float) -> str:
    """Three numbers between -most and most."""
    return ' '.join(repr(float(x)) for x in random.uniform(-most, most, 3))
