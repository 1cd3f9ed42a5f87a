"""The elements of a URDF: safely parsed, each number checked; every room reads them with this.

Other readers refuse good robots because of their visuals, materials and transmissions, and name no
element when a number is wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .errors import UrdfError

# Tag: the numbers of each attribute where it is not given; how many are needed where it is
# required.
NUMBERS: Mapping[str, Mapping[str, int | list[float]]] = {
    'origin': {'xyz': [0.0, 0.0, 0.0], 'rpy': [0.0, 0.0, 0.0]},
    'mass': {'value': 1},
    'inertia': {'ixx': 1, 'ixy': [0.0], 'ixz': [0.0], 'iyy': 1, 'iyz': [0.0], 'izz': 1},
    'axis': {'xyz': 3},
    'limit': {'lower': [0.0], 'upper': [0.0], 'velocity': [math.inf], 'effort': [math.inf]},
    'dynamics': {'damping': [0.0], 'friction': [0.0]},
    'mimic': {'multiplier': [1.0], 'offset': [0.0]},
    'box': {'size': 3},
    'sphere': {'radius': 1},
    'cylinder': {'radius': 1, 'length': 1},
    'capsule': {'radius': 1, 'length': 1},
}
# Tag: all of its numbers where the element is not there.
ABSENT = {
    'origin': [0.0] * 6,
    'inertia': [0.0] * 6,
    'axis': [1.0, 0.0, 0.0],
    'limit': [-math.inf, math.inf, math.inf, math.inf],
    'dynamics': [0.0, 0.0],
}
# Where an attribute that is not known may change the dynamics.
COMPLETE = ('origin', 'axis', 'inertia')
# Entries that are given twice in a full matrix; every other reader ignores the second.
MIRRORED = {'iyx': 'ixy', 'izx': 'ixz', 'izy': 'iyz'}
# The children that are read; a misspelt one would give another robot.
CHILDREN = {
    'robot': ('link', 'joint'),
    'link': ('inertial',),
    'inertial': ('origin', 'mass', 'inertia'),
    'joint': ('parent', 'child', 'origin', 'axis', 'limit', 'dynamics', 'mimic'),
}
# Largest number: a mass times the square of a distance must be finite.
LARGEST = 1e100
# Of a name and a known one, from 0 to 1 (`difflib`): one letter of five is missing.
SIMILAR = 0.85
# The squares of shorter vectors lose their digits.
SHORTEST = 1e-100
ENCODING = re.compile(rb'\s*<\?xml[^>]*\bencoding=["\']([\w.-]+)')
XACRO_NAMESPACE = re.compile(r'https?://(?:www\.|wiki\.)?ros\.org/(?:wiki/)?xacro/?')
XACRO_VALUE = re.compile(r'\$[{(]')
# They give a name to a value: nothing of a robot is theirs.
XACRO_NAMES = ('property', 'arg')
FILE_NAME_ENDINGS = ('.urdf', '.xacro', '.xml')


def decode(content: bytes) -> str:
    """The text of a file, in the encoding that it declares, UTF-8 where it declares none.

    Raises:
        UrdfError: it is not text in that encoding.
    """
    declared = ENCODING.match(content)
    encoding = declared[1].decode() if declared else 'utf-8'
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise UrdfError(f'not a URDF, which is a text in {encoding.upper()}') from None


def read_xml(text: str) -> Element:
    """The root element of a robot description, safely parsed.

    Raises:
        UrdfError: the text is not XML, its root is not <robot>, or it declares a DTD or entities.
    """
    if not isinstance(text, str):
        raise UrdfError(f'a URDF is a str, not {type(text).__name__}')
    if not text.strip():
        raise UrdfError('the URDF is empty')
    root = _parsed(text)
    if root.tag != 'robot':
        raise UrdfError(f'the root element is <{root.tag}>: a URDF starts with <robot>')
    if not is_xacro(root):
        _write_rpy(root)
    return root


def _parsed(text: str) -> Element:
    """The root element; names are as written: readers of URDF know no namespaces.

    Blanks before the declaration are no error to them.
    """
    builder, parser = TreeBuilder(), expat.ParserCreate('utf-8')
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_document_type
    read = text.lstrip('\ufeff \t\r\n')
    try:
        parser.Parse(read, True)
    except expat.ExpatError as error:
        line = error.lineno + text[: len(text) - len(read)].count('\n')
        before, hint = read.encode()[: parser.ErrorByteIndex], ''
        if '<' not in text and text.strip().endswith(FILE_NAME_ENDINGS):
            hint = f'; {text.strip()[-80:]!r} looks like a file name: pass the text of the file'
        elif before.rfind(b'<!--') > before.rfind(b'-->'):
            hint = '; -- is not allowed in a comment'
        said = f'{expat.ErrorString(error.code)}, line {line}, column {error.offset + 1}'
        raise UrdfError(f'the URDF is not well-formed XML: {said}{hint}') from None
    except ValueError as error:
        raise UrdfError(f'the URDF is not well-formed XML: {error}') from None
    return builder.close()


def _refuse_document_type(*_: object) -> None:
    raise UrdfError(
        'the URDF declares a document type (DTD) or entities: they are refused for safety, '
        'as they can read files or fill the memory; remove <!DOCTYPE ...>, and write out '
        'what its entities stand for'
    )


def is_xacro(robot: Element) -> bool:
    """Whether xacro makes another robot of a description: by its elements, or by its values.

    In visuals, outside of links and joints, and in the name of a file, `${...}` and `$(...)`
    change no dynamics.
    """
    prefixes = {'xacro'}
    for name, value in robot.attrib.items():
        if name.startswith('xmlns:') and XACRO_NAMESPACE.fullmatch(value):
            prefixes.add(name.removeprefix('xmlns:'))
    for element in robot.iter():
        prefix, _, name = element.tag.rpartition(':')
        if prefix in prefixes and name not in XACRO_NAMES:
            return True
    parts = [part for part in robot if part.tag in CHILDREN['robot']]
    children = [child for part in parts for child in part if child.tag != 'visual']
    read = [*parts, *(element for child in children for element in child.iter())]
    return any(
        XACRO_VALUE.search(value)
        for each in read
        for name, value in each.attrib.items()
        if name != 'filename'
    )


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
            x, y, z, w = _checked_numbers(quaternion, 4, where)
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


def name_of(element: Element) -> str:
    """The name of a link or joint; UrdfError: it has none."""
    name = element.get('name')
    if not name:
        raise UrdfError(f'a <{element.tag}> has no name')
    return name


def name_in(parent: Element, tag: str, attribute: str, where: str) -> str:
    """The name that an attribute of the one child of this tag gives; UrdfError: there is none."""
    child = only_child(parent, tag, where)
    if child is None:
        raise UrdfError(f'{where} has no <{tag} {attribute}="...">')
    name = child.get(attribute)
    if name is None:
        raise UrdfError(f'{where}: <{tag}> has no attribute {attribute!r}')
    return name


def only_child(parent: Element, tag: str, where: str) -> Element | None:
    """The child of this tag, if there is one; UrdfError: there are several.

    Here and below, `where` names the parent in messages.
    """
    found = parent.findall(tag)
    if len(found) > 1:
        raise UrdfError(f'{where} has {len(found)} <{tag}> elements, one is allowed')
    return found[0] if found else None


def numbers(parent: Element, tag: str, where: str) -> list[float]:
    """The numbers of the one child of this tag, of `ABSENT` without one.

    Raises:
        UrdfError: a number, or an element that is not of `ABSENT`, is missing or wrong.
    """
    child = only_child(parent, tag, where)
    if child is not None:
        return numbers_of(child, where)
    if tag not in ABSENT:
        raise UrdfError(f'{where} has no <{tag} {next(iter(NUMBERS[tag]))}="...">')
    return ABSENT[tag]


def checked_child(parent: Element, tag: str, where: str) -> Element:
    """The one child of this tag with all of its `numbers`, and no other attribute."""
    values = map(repr, numbers(parent, tag, where))
    counts = {name: x if isinstance(x, int) else len(x) for name, x in NUMBERS[tag].items()}
    return Element(tag, {name: ' '.join(islice(values, n)) for name, n in counts.items()})


def numbers_of(element: Element, where: str) -> list[float]:
    """All numbers of an element with a tag of `NUMBERS`, in that order.

    Raises:
        UrdfError: a number is missing or wrong.
    """
    tag, attributes = element.tag, NUMBERS[element.tag]
    for name in sorted(element.keys() - attributes.keys()):
        if not _says_nothing(element, name):
            refuse_misspelt(name, attributes, f'{where}: <{tag}> has the attribute')
            if tag in COMPLETE:
                known = ', '.join(attributes)
                raise UrdfError(f'{where}: <{tag}> has the attribute {name!r}, known are {known}')
    # Exporters write the largest double where there is no limit.
    most = math.inf if tag == 'limit' else LARGEST
    found: list[float] = []
    for name, usual in attributes.items():
        value = element.get(name)
        if value is not None:
            count = usual if isinstance(usual, int) else len(usual)
            found += _checked_numbers(value, count, f'{where}: {tag} {name}', most)
        elif isinstance(usual, int):
            raise UrdfError(f'{where}: <{tag}> has no attribute {name!r}')
        else:
            found += usual
    return found


def refuse_misspelt(name: str, known: Iterable[str], where: str) -> None:
    """UrdfError: a name is nearly a known one; others would ignore it without a word."""
    if name not in known and (near := get_close_matches(name.lower(), known, 1, SIMILAR)):
        raise UrdfError(f'{where} {name!r}: is {near[0]!r} meant?')


def check_children(element: Element, where: str) -> None:
    """Refuse misspelt children; see `refuse_misspelt`."""
    for child in element:
        refuse_misspelt(child.tag, CHILDREN[element.tag], f'{where} has the element')


def _says_nothing(element: Element, name: str) -> bool:
    """Whether an attribute that other readers ignore repeats what the known ones say."""
    try:
        given = [float(word) for word in element.get(name, '').split()]
        if element.tag == 'inertia' and name in MIRRORED:
            return given == [float(element.get(MIRRORED[name], 0.0))]
    except ValueError:
        return False
    return element.tag == 'axis' and name == 'rpy' and not any(given)


def _checked_numbers(value: str, count: int, where: str, most: float = LARGEST) -> list[float]:
    words, numbers = value.split(), []
    if len(words) != count:
        plural = 'number is' if count == 1 else 'numbers are'
        raise UrdfError(f'{where} is {value!r}: {count} {plural} needed')
    for word in words:
        try:
            # Python also reads 1_000 and digits of other scripts, other URDF parsers do not.
            number = float(word if word.isascii() and '_' not in word else 'no number')
        except ValueError:
            raise UrdfError(f'{where} is {value!r}: {word!r} is not a number') from None
        if not math.isfinite(number):
            raise UrdfError(f'{where} is {value!r}: it must be finite')
        if abs(number) > most:
            raise UrdfError(f'{where} is {value!r}: it must not exceed {most:g}')
        numbers.append(number)
    return numbers
