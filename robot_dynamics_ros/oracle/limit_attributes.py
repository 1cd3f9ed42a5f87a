"""URDF text that Pinocchio's parser accepts where limits are missing."""

from __future__ import annotations

from xml.etree.ElementTree import SubElement, tostring

from defusedxml.ElementTree import fromstring

# urdfdom refuses a description in which one of these is missing; `parse_urdf` counts the joint as
# unlimited.
NEEDED = ('effort', 'velocity')
LIMITED = ('revolute', 'prismatic')


def with_limit_attributes(text: str) -> str:
    """The URDF with effort and velocity in every limit; the same text if none is missing.

    The dynamics do not depend on limits: the value that is filled in, 0, is not used.

    Args:
        text: of a URDF that `parse_urdf` accepts.
    """
    root = fromstring(text)
    changed = False
    for joint in root.iterfind('joint'):
        limit = joint.find('limit')
        if limit is None and joint.get('type') in LIMITED:
            limit = SubElement(joint, 'limit')
        for name in NEEDED if limit is not None else ():
            if name not in limit.attrib:
                limit.set(name, '0')
                changed = True
    return tostring(root, encoding='unicode') if changed else text
