"""Robots at the edge: without an inertial, without mass, with many joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from mechanics.robots import Robot, written

AXES = ('0 0 1', '0 1 0', '1 0 0', '0 0.6 0.8')
BODY = (
    '<inertial><origin xyz="0.1 0.02 0.03" rpy="0.3 -0.2 0.5"/><mass value="{}"/>'
    '<inertia ixx="0.003" iyy="0.004" izz="0.005" ixy="0.0002" ixz="0.0001" iyz="-0.0003"/>'
    '</inertial>'
)


def tree(
    name: str,
    parents: Iterable[int],
    kinds: Sequence[str],
    bodies: Sequence[str] = (),
    mimics: Mapping[int, str] = MappingProxyType({}),
) -> Robot:
    """A robot of links l0, l1, ...: joint jk, of a kind, carries lk on the k-th parent."""
    bodies = bodies or ['', *(BODY.format(0.3 + 0.1 * (k % 5)) for k in range(len(kinds)))]
    parts = [f'<link name="l{k}">{body}</link>' for k, body in enumerate(bodies)]
    for k, (parent, kind) in enumerate(zip(parents, kinds, strict=True), start=1):
        parts.append(
            f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0.02 0 0.05" rpy="0.4 {k % 3} {k % 7}"/><axis xyz="{AXES[k % 4]}"/>'
            f'<limit lower="-2" upper="2" effort="9" velocity="2"/>{mimics.get(k, "")}'
            '</joint>'
        )
    return written(name, f'<robot name="r">{"".join(parts)}</robot>')


def chain(length: int) -> Robot:
    kinds = ['prismatic' if k % 7 == 6 else 'revolute' for k in range(length)]
    return tree(f'{length} joints', range(length), kinds)


def hand_and_arm() -> Robot:
    """Ten fingers of five phalanges on an arm of ten joints."""
    fingers = [parent for k in range(10) for parent in (10, *range(11 + 5 * k, 15 + 5 * k))]
    return tree('hand and arm', [*range(10), *fingers], ['revolute'] * 60)


SOLID, EMPTY = BODY.format(1.5), '<inertial><mass value="0"/></inertial>'
POINT = '<inertial><mass value="1.2"/></inertial>'
BODIES = {
    'no inertial': ['', '', SOLID], 'no inertial at the tip': ['', SOLID, ''],
    'a heavy base': [SOLID] * 3, 'no mass': [SOLID, EMPTY, SOLID], 'a point': ['', POINT, SOLID],
}  # fmt: skip
KINDS = ('continuous', 'prismatic', 'fixed')
ODD = [tree(f'{name}, {kind}', [0, 1], ['continuous', kind], bodies)
       for name, bodies in BODIES.items() for kind in KINDS]  # fmt: skip
ODD += [
    hand_and_arm(),
    tree('mimic without numbers', [0, 1], ['revolute'] * 2, mimics={2: '<mimic joint="j1"/>'}),
    tree('mimic by zero', [0, 1], ['revolute', 'prismatic'],
         mimics={2: '<mimic joint="j1" multiplier="0" offset="0.3"/>'}),
]  # fmt: skip
