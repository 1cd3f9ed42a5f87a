"""From untrusted text to the part of a URDF that dynamics needs, every number checked.

urdf-parser-py refuses good robots because of their visuals, materials and transmissions, names no
element when a number is wrong, and prints to stderr about elements that it does not know. So the
text is parsed safely, reduced to the inertials of links and to joints, checked, and then given to
it.
"""

from __future__ import annotations

import math
import re
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from urdf_parser_py.urdf import URDF

from ..errors import TopologyError, UrdfError

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')
# The types that URDF knows and this package refuses: what to do instead.
UNSUPPORTED_TYPES = {
    'floating': 'make it fixed: the dynamics is that of a fixed base',
    'planar': 'replace it by two prismatic joints and a revolute one, or make it fixed',
}

# Largest number: a mass times the square of a distance must be finite.
LARGEST = 1e100

# Tag, attribute: how many numbers it holds.
NUMBERS = {
    'origin': {'xyz': 3, 'rpy': 3},
    'mass': {'value': 1},
    'inertia': dict.fromkeys(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), 1),
    'axis': {'xyz': 3},
    'limit': {'lower': 1, 'upper': 1, 'velocity': 1, 'effort': 1},
    'dynamics': {'damping': 1, 'friction': 1},
    'mimic': {'multiplier': 1, 'offset': 1},
}
# Tag: attributes that are required.
REQUIRED = {
    'mass': ('value',),
    'inertia': tuple(NUMBERS['inertia']),
    'axis': ('xyz',),
    'parent': ('link',),
    'child': ('link',),
    'mimic': ('joint',),
}
# urdf-parser-py requires these attributes; a limit that is not given is infinite.
DEFAULTS = {'limit': {'velocity': 'inf', 'effort': 'inf'}}
# Where an attribute that is not known may change the dynamics.
COMPLETE = ('origin', 'axis', 'inertia')
# The squares of shorter vectors lose their digits.
SHORTEST = 1e-100
# Namespace of xacro's elements and attributes.
XACRO_NAMESPACE = re.compile(r'\{https?://(?:www\.|wiki\.)?ros\.org/(?:wiki/)?xacro/?\}')
FILE_NAME_ENDINGS = ('.urdf', '.xacro', '.xml')
JOINT_CHILDREN = ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')


def read_urdf(robot: Element) -> URDF:
    """The inertials of links and the joints of a URDF, as objects of urdf-parser-py.

    Args:
        robot: root element, see `read_xml`.

    Raises:
        UrdfError: an element or number is missing or wrong.
        TopologyError: a joint is planar or floating.
    """
    pruned = Element('robot', {'name': robot.get('name') or 'robot'})
    for link in robot.findall('link'):
        _prune_link(link, pruned)
    for joint in robot.findall('joint'):
        _prune_joint(joint, pruned)
    if not len(pruned.findall('link')):
        raise UrdfError('the robot has no <link>: at least one is needed')
    return URDF.from_xml_string(tostring(pruned))


def read_xml(text: str) -> Element:
    """The root element of a robot description, safely parsed.

    Raises:
        UrdfError: the text is not XML, its root is not <robot>, or it declares a DTD or entities.
    """
    if not isinstance(text, str):
        raise UrdfError(f'a URDF is a str, not {type(text).__name__}')
    if not text.strip():
        raise UrdfError('the URDF is empty')
    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except DefusedXmlException:
        raise UrdfError(
            'the URDF declares a document type (DTD) or entities: they are refused for safety, '
            'as they can read files or fill the memory; remove <!DOCTYPE ...>, and write out '
            'what its entities stand for'
        ) from None
    except (ParseError, ValueError) as error:
        hint = _hint(text, str(error))
        raise UrdfError(f'the URDF is not well-formed XML: {error}{hint}') from None
    if root.tag != 'robot':
        raise UrdfError(f'the root element is <{root.tag}>: a URDF starts with <robot>')
    if not is_xacro(root):
        _write_rpy(root)
    return root


def _write_rpy(robot: Element) -> None:
    """Turn the quaternions of URDF 1.1 into rpy, which every reader of a description knows."""
    names = {child: each for each in robot.iter() for child in each}
    for parent in robot.iterfind('.//origin[@quat_xyzw]/..'):
        named = parent if parent.get('name') else names.get(parent, parent)
        where = f'{parent.tag} of {named.tag} {named.get("name", "")!r}: origin quat_xyzw'
        for origin in parent.findall('origin[@quat_xyzw]'):
            quaternion = origin.attrib.pop('quat_xyzw')
            if robot.get('version', '1.0') == '1.0':
                raise UrdfError(f'{where} is ignored in URDF 1.0: write <robot version="1.1">')
            if 'rpy' in origin.attrib:
                raise UrdfError(f'{where} stands beside rpy: one of them is allowed')
            _check_numbers(quaternion, 4, where, LARGEST)
            x, y, z, w = map(float, quaternion.split())
            if math.hypot(x, y, z, w) < SHORTEST:
                raise UrdfError(f'{where} is {quaternion!r}: it must not be zero')
            origin.set('rpy', ' '.join(map(repr, _rpy_from_quaternion(x, y, z, w))))


def _rpy_from_quaternion(x: float, y: float, z: float, w: float) -> list[float]:
    """Roll, pitch and yaw [rad] of a quaternion, as `spatial.rotation_from_rpy` takes them."""
    length = math.hypot(x, y, z, w)
    x, y, z, w = x / length, y / length, z / length, w / length
    across, along = 2.0 * (x * y + z * w), 1.0 - 2.0 * (y * y + z * z)
    yaw = math.atan2(across, along)
    # Roll in the frame that yaw has turned: exact also where roll and yaw have one axis.
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(2.0 * (y * w - x * z), c * along + s * across)
    roll = math.atan2(
        2.0 * (s * (x * z + y * w) - c * (y * z - x * w)),
        c * (1.0 - 2.0 * (x * x + z * z)) - 2.0 * s * (x * y - z * w),
    )
    return [roll, pitch, yaw]


def _hint(text: str, error: str) -> str:
    if '<' not in text and text.strip().endswith(FILE_NAME_ENDINGS):
        return f'; {text.strip()[-80:]!r} looks like a file name: pass the text of the file'
    return '; xacro needs xmlns:xacro in <robot>' if 'unbound prefix' in error else ''


def _prune_link(link: Element, robot: Element) -> None:
    where = f'link {_name(link)!r}'
    kept = SubElement(robot, 'link', {'name': _name(link)})
    inertial = _only_child(link, 'inertial', where)
    if inertial is None:
        return
    kept = SubElement(kept, 'inertial')
    for tag in ('origin', 'mass', 'inertia'):
        _copy(inertial, tag, kept, f'{where}: inertial')
    if kept.find('mass') is None:
        raise UrdfError(f'{where}: its inertial has no <mass value="...">')
    if kept.find('inertia') is None:
        SubElement(kept, 'inertia', dict.fromkeys(NUMBERS['inertia'], '0'))
    mass = float(kept.find('mass').get('value'))  # type: ignore[union-attr, arg-type]
    if mass < 0.0:
        raise UrdfError(f'{where}: mass is {mass:g} kg, it must not be negative')


def _prune_joint(joint: Element, robot: Element) -> None:
    where = f'joint {_name(joint)!r}'
    kind = joint.get('type')
    if kind in UNSUPPORTED_TYPES:
        raise TopologyError(f'{where} is {kind}: {UNSUPPORTED_TYPES[kind]}')
    if kind not in JOINT_TYPES:
        raise UrdfError(f'{where}: type is {kind!r}, allowed are {", ".join(JOINT_TYPES)}')
    kept = SubElement(robot, 'joint', {'name': _name(joint), 'type': kind})
    for tag in JOINT_CHILDREN:
        _copy(joint, tag, kept, where)
    for tag in ('parent', 'child'):
        if kept.find(tag) is None:
            raise UrdfError(f'{where} has no <{tag} link="...">')


def _name(element: Element) -> str:
    name = element.get('name')
    if not name:
        raise UrdfError(f'a <{element.tag}> has no name')
    return name


def _only_child(parent: Element, tag: str, where: str) -> Element | None:
    found = parent.findall(tag)
    if len(found) > 1:
        raise UrdfError(f'{where} has {len(found)} <{tag}> elements, one is allowed')
    return found[0] if found else None


def _copy(source: Element, tag: str, target: Element, where: str) -> None:
    """Copy one child, with the attributes of `NUMBERS` and `REQUIRED`, and check them."""
    child = _only_child(source, tag, where)
    if child is None:
        return
    numbers, required = NUMBERS.get(tag, {}), REQUIRED.get(tag, ())
    if tag in COMPLETE and (unknown := sorted(child.attrib.keys() - numbers.keys())):
        known = ', '.join(numbers)
        raise UrdfError(f'{where}: <{tag}> has the attribute {unknown[0]!r}, known are {known}')
    kept = dict(DEFAULTS.get(tag, {}))
    for attribute in (*required, *numbers):
        value = child.get(attribute)
        if value is not None:
            if attribute in numbers:
                # Exporters write the largest double where there is no limit.
                most = math.inf if tag == 'limit' else LARGEST
                _check_numbers(value, numbers[attribute], f'{where}: {tag} {attribute}', most)
            kept[attribute] = value.strip()
        elif attribute in required:
            raise UrdfError(f'{where}: <{tag}> has no attribute {attribute!r}')
    SubElement(target, tag, kept)


def _check_numbers(value: str, count: int, where: str, most: float) -> None:
    words = value.split()
    if len(words) != count:
        plural = 'number is' if count == 1 else 'numbers are'
        raise UrdfError(f'{where} is {value!r}: {count} {plural} needed')
    for word in words:
        try:
            # Python also reads 1_000 and digits of other scripts, other URDF parsers do not.
            number = float(word) if word.isascii() and '_' not in word else None
        except ValueError:
            number = None
        if number is None:
            raise UrdfError(f'{where} is {value!r}: {word!r} is not a number')
        if not math.isfinite(number):
            raise UrdfError(f'{where} is {value!r}: it must be finite')
        if abs(number) > most:
            raise UrdfError(f'{where} is {value!r}: it must not exceed {most:g}')


def is_xacro(robot: Element) -> bool:
    """Whether a description is xacro: by its namespace, or by `${...}` in an attribute."""
    for element in robot.iter():
        if isinstance(element.tag, str) and XACRO_NAMESPACE.match(element.tag):
            return True
        for name, value in element.attrib.items():
            if XACRO_NAMESPACE.match(name) or ('${' in value and element.tag != 'mesh'):
                return True
    return False
