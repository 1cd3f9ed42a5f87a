"""A URDF with identified inertia and friction: the user's text, with other numbers in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.core.urdf_xml import read_xml

# Damping [N m s/rad or N s/m] and Coulomb friction [N m or N] of a <dynamics>.
Friction = tuple[float, float]
# Of XML without a DTD: what is no tag, or a tag; '>' may be part of an attribute's value.
TOKEN = re.compile(
    r'<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>'
    r'|<(?P<end>/?)(?P<tag>[^\s/>]+)(?P<rest>(?:[^>"\']|"[^"]*"|\'[^\']*\')*)>',
    re.DOTALL,
)
ATTRIBUTE = re.compile(r'([^\s=/<>"\']+)\s*=\s*("[^"]*"|\'[^\']*\')')


def changed_bodies(
    urdf: RobotModel, before: RobotModel, identified: RobotModel
) -> dict[str, Inertia]:
    """The inertia of each body that differs from the URDF, by the name of its joint.

    Joints that were not recorded are locked in the model that is identified, and what they carry
    is part of other bodies. The URDF keeps them: its bodies change by what the bodies of the
    model have changed.

    Args:
        urdf: model of the whole URDF.
        before: the model of the identification before it: `urdf`, or reduced.
        identified: the same with identified parameters; payloads are left out.

    Raises:
        ParameterError: the models do not belong together.
    """
    names = {joint.name for joint in urdf.joints}
    old, new = (
        {joint.name: joint.inertia for joint in (model.unloaded or model).joints}
        for model in (before, identified)
    )
    if old.keys() != new.keys() or not new.keys() <= names:
        raise ParameterError(
            f'the identified model has the joints {", ".join(new)}, the model before it '
            f'{", ".join(old)}, and the URDF {", ".join(names)}: pass the URDF that was identified'
        )
    return {
        joint.name: _changed(joint.inertia, old[joint.name], new[joint.name])
        for joint in urdf.joints
        if joint.name in new and new[joint.name] != old[joint.name]
    }


def _changed(body: Inertia, before: Inertia, after: Inertia) -> Inertia:
    if body == before:
        return after
    own, old, new = (np.array(parameters_of(one)) for one in (body, before, after))
    return body_of((own + (new - old)).tolist())


def identified_urdf(
    text: str, bodies: Mapping[str, Inertia], frictions: Mapping[str, Friction]
) -> str:
    """The text of a URDF with other inertials and other friction; all else stays, byte for byte.

    The inertia of a moving body is that of its first link and of all links that are fixed to it,
    and data cannot divide it among them. So the first link gets all of it, and the <inertial> of
    each other one becomes a comment that names the first link. Numbers have all digits of a
    double. What equals the text stays as it is written there.

    Args:
        text: of the URDF.
        bodies: inertia of moving bodies in the frame of their first link, by name of their joint.
        frictions: of moving joints, by name.

    Raises:
        ModelError: the text cannot be used; see `parse_urdf`.
        ParameterError: a URDF cannot hold a body.
    """
    model = parse_urdf(text)
    joints = {joint.name: joint for joint in model.joints}
    edits = _Edits(text)
    links = {link.attrib['name']: link for link in edits.root.findall('link')}
    for index, (name, joint) in enumerate(joints.items()):
        if name in bodies and bodies[name] != joint.inertia:
            carried = [links[frame.name] for frame in model.frames if frame.body == index]
            _write_body(edits, carried, bodies[name])
    for element in edits.root.findall('joint'):
        name = element.attrib['name']
        if name in frictions:
            now = zip((joints[name].damping, joints[name].friction), frictions[name], strict=True)
            changed = {
                attribute: _digits(value)
                for attribute, (old, value) in zip(('damping', 'friction'), now, strict=True)
                if value != old
            }
            _write_friction(edits, element, changed)
    return edits.applied()


@dataclass
class _Span:
    """Where an element is in the text: its start tag, what is behind that, and its end."""

    start: int
    content: int
    end: int


class _Edits:
    """Changes of elements, which are made together.

    Attributes:
        text: before them.
        root: its root element.
        spans: of each element.
        changes: begin and end in the text, and what is to be there.
    """

    def __init__(self, text: str) -> None:
        """Find the elements; `read_xml` refuses what TOKEN cannot read, such as a DTD."""
        self.text, self.root = text, read_xml(text)
        spans: list[_Span] = []
        opened: list[_Span] = []
        for token in TOKEN.finditer(text):
            if token['end']:
                opened.pop().end = token.end()
            elif token['tag']:
                spans.append(_Span(token.start(), token.end(), token.end()))
                if not token['rest'].endswith('/'):
                    opened.append(spans[-1])
        # Both are in the order of the text.
        self.spans: Mapping[Element, _Span] = dict(zip(self.root.iter(), spans, strict=True))
        self.changes: list[tuple[int, int, str]] = []

    def replace(self, element: Element, lines: Sequence[str]) -> None:
        """Put lines, indented as the element is, in its place."""
        span, line = self.spans[element], self._line_start(element)
        self.changes.append((span.start, span.end, line.join(lines)))

    def append(self, element: Element, lines: Sequence[str]) -> None:
        """Put lines behind an element, indented as it is."""
        end, line = self.spans[element].end, self._line_start(element)
        self.changes.append((end, end, ''.join(line + each for each in lines)))

    def prepend_child(self, element: Element, lines: Sequence[str]) -> None:
        """Put lines into an element, before all that it holds."""
        span, line = self.spans[element], self._line_start(element)
        inner = self._line_start(element[0]) if len(element) else line and f'{line}  '
        content = ''.join(inner + each for each in lines)
        if self.text.endswith('/>', span.start, span.content) and span.end == span.content:
            closed = f'>{content}{line}</{element.tag}>'
            self.changes.append((span.content - 2, span.content, closed))
        else:
            self.changes.append((span.content, span.content, content))

    def applied(self) -> str:
        """The text with all changes."""
        parts, done = [], 0
        for start, end, text in sorted(self.changes):
            parts += [self.text[done:start], text]
            done = end
        return ''.join([*parts, self.text[done:]])

    def _line_start(self, element: Element) -> str:
        """The line break and indentation before an element; '' if it is not first in its line."""
        start = self.spans[element].start
        newline = self.text.rfind('\n', 0, start)
        if newline < 0 or self.text[newline:start].strip():
            return ''
        return self.text[newline - self.text.endswith('\r', 0, newline) : start]


def _write_body(edits: _Edits, links: Sequence[Element], body: Inertia) -> None:
    """Give the first link the inertia of a body, and the links that are fixed to it none."""
    first, *fixed = links
    name, lines = first.attrib['name'], inertial_lines(first.attrib['name'], body)
    inertial = first.find('inertial')
    if inertial is None:
        edits.prepend_child(first, lines)
    else:
        edits.replace(inertial, lines)
    # A comment must not hold two hyphens.
    named = repr(name) if '--' not in name else 'the link that moves'
    for link in fixed:
        if (inertial := link.find('inertial')) is not None:
            edits.replace(inertial, [f'<!-- inertial: part of that of {named} -->'])


def inertial_lines(link: str, body: Inertia) -> list[str]:
    """The lines of an <inertial> in the axes of the link.

    Raises:
        ParameterError: a URDF cannot hold this body: its mass is negative, or zero where its
            first moment is not.
    """
    if body.mass < 0.0 or (body.mass == 0.0 and any(body.first_moment)):
        moment = ', '.join(f'{each:.4g}' for each in body.first_moment)
        raise ParameterError(
            f'link {link!r}: its mass is {body.mass:g} kg and its first moment [{moment}] kg m, a '
            'URDF needs a mass greater than 0: take the physically consistent estimate'
        )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    moments = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
    tensor = ' '.join(f'{name}="{_digits(value)}"' for name, value in moments.items())
    return [
        '<inertial>',
        f'  <origin xyz="{" ".join(map(_digits, body.center_of_mass))}"/>',
        f'  <mass value="{_digits(body.mass)}"/>',
        f'  <inertia {tensor}/>',
        '</inertial>',
    ]


def _digits(value: float) -> str:
    """All digits of a number; minus zero as zero."""
    return repr(float(value) + 0.0)


def _write_friction(edits: _Edits, joint: Element, values: Mapping[str, str]) -> None:
    """Give the <dynamics> of a joint other values; its other attributes stay."""
    dynamics = joint.find('dynamics')
    tag = '<dynamics/>'
    if dynamics is not None:
        span = edits.spans[dynamics]
        tag = edits.text[span.start : span.content]
    found = {match[1] for match in ATTRIBUTE.finditer(tag)}
    added = ''.join(f' {name}="{values[name]}"' for name in values if name not in found)
    tag = ATTRIBUTE.sub(
        lambda match: f'{match[1]}="{values[match[1]]}"' if match[1] in values else match[0], tag
    )
    tag = re.sub(r'\s*/?>\Z', lambda end: f'{added}{end[0]}', tag)
    if dynamics is not None:
        edits.changes.append((span.start, span.content, tag))
    elif values:
        edits.append(joint[-1], [tag])
