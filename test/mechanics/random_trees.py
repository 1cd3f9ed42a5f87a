"""Random robots by number: the same number is the same robot in every run.

From a single joint to a bush of twenty; chains, combs and stars; principal and oblique axes;
revolute, continuous and prismatic joints; fixed links, with and without inertials; chains of mimic
joints, also before the joint that they mimic; links without inertial and with one of zeros. Links
may precede their parents.
"""

import math

import numpy as np

from mechanics.robots import written

COUNT = 240
SIZES = (1, 2, 3, 4, 6, 8, 12, 20)
KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')
LIMIT = '<limit lower="-2" upper="2" velocity="3" effort="100"/>'


def random_robot(number, *, plausible=False):
    """The robot of that number, with at least one joint; if plausible, every link has mass."""
    random = np.random.default_rng(number)
    size = random.choice([size for size in SIZES if size <= 6 or not plausible])
    # How far back a parent may lie: 1 is a chain, `size` a star or a bush.
    reach = random.choice([1, 2, size])
    kinds = random.choice(KINDS, size, p=[0.4, 0.2, 0.2, 0.2])
    kinds[random.integers(size)] = 'revolute'
    parts = [_link(0, random, plausible)]
    mimics = _mimics(random, [k for k, kind in enumerate(kinds, start=1) if kind != 'fixed'])
    for k, kind in enumerate(kinds, start=1):
        parent = random.integers(max(0, k - reach), k)
        origin = _origin(random, 0.5) if random.random() < 0.9 else ''
        limit = LIMIT if kind in ('revolute', 'prismatic') else ''
        parts.append(_link(k, random, plausible))
        parts.append(
            f'<joint name="joint{k}" type="{kind}"><parent link="link{parent}"/>'
            f'<child link="link{k}"/>{origin}<axis xyz="{_axis(random)}"/>{limit}'
            f'{mimics.get(k, "")}</joint>'
        )
    text = ''.join(parts[place] for place in random.permutation(len(parts)))
    return written(f'tree {number}', f'<robot name="random{number}">{text}</robot>')


def _mimics(random, moving):
    """What some joints mimic: a random order without loops, the first being free."""
    share, order, found = random.choice([0.0, 0.0, 0.3, 0.8]), random.permutation(moving), {}
    for place, joint in enumerate(order[1:], start=1):
        if random.random() < share:
            multiplier, offset = random.uniform(-2.0, 2.0, 2)
            found[int(joint)] = (
                f'<mimic joint="joint{order[random.integers(place)]}" multiplier="{multiplier}" '
                f'offset="{offset}"/>'
            )
    return found


def _link(k, random, plausible):
    """A uniform box somewhere, one of zeros, or no inertial."""
    chance = 1.0 if plausible else random.random()
    if chance < 0.1:
        return f'<link name="link{k}"/>'
    mass, (x, y, z) = random.uniform(0.1, 5.0), random.uniform(0.05, 0.5, 3)
    mass = 0.0 if chance < 0.15 else mass
    xx, yy, zz = (mass * square / 12.0 for square in (y * y + z * z, x * x + z * z, x * x + y * y))
    return (
        f'<link name="link{k}"><inertial><mass value="{mass}"/>{_origin(random, 0.3)}'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def _origin(random, most):
    """Half of the frames are turned by quarters, which fold away."""
    rpy = random.uniform(-math.pi, math.pi, 3)
    if random.random() < 0.5:
        rpy = random.integers(-2, 3, 3) * (math.pi / 2)
    return f'<origin xyz="{_numbers(random.uniform(-most, most, 3))}" rpy="{_numbers(rpy)}"/>'


def _axis(random):
    if random.random() < 0.5:
        return _numbers(random.uniform(-1.0, 1.0, 3))
    return _numbers(random.choice([-1, 1]) * np.eye(3)[random.integers(3)])


def _numbers(values):
    return ' '.join(repr(float(value)) for value in values)
