"""The elements of an XML text and their places in it: to change some and to keep all else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers.expat import ParserCreate

# A start tag: '>' may be part of an attribute's value.
START_TAG = re.compile(rb'<[^"\'>]*(?:"[^"]*"[^"\'>]*|\'[^\']*\'[^"\'>]*)*>')


@dataclass
class SourceElement:
    """An element, and where it is in the UTF-8 bytes of its text.

    Attributes:
        tag: its name.
        attributes: by name.
        start: of its start tag.
        content: behind its start tag.
        end: behind its end tag.
        is_single: whether it is one tag, as `<mass value="1"/>`.
        children: the elements in it.
    """

    tag: str
    attributes: Mapping[str, str]
    start: int
    content: int
    end: int
    is_single: bool
    children: list[SourceElement] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[SourceElement]:
        """The children with this name."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> SourceElement | None:
        """The first child with this name; None if there is none."""
        return next(self.all(tag), None)


def read_elements(source: bytes) -> SourceElement:
    """The root element of a text that `core.urdf_xml.read_xml` has accepted.

    That function refuses document types and entities; here they are not looked for again.

    Args:
        source: the text in UTF-8, whatever its XML declaration says.
    """
    # Names with a namespace get it, before a space: <x:link> is not a link.
    parser = ParserCreate('utf-8', ' ')
    document = SourceElement('', {}, 0, 0, len(source), is_single=False)
    open_elements = [document]

    def start(tag: str, attributes: dict[str, str]) -> None:
        begin = parser.CurrentByteIndex
        found = START_TAG.match(source, begin)
        assert found is not None, f'no start tag at byte {begin}'
        end = found.end()
        element = SourceElement(tag, attributes, begin, end, end, found[0].endswith(b'/>'))
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        element = open_elements.pop()
        if not element.is_single:
            element.end = source.index(b'>', parser.CurrentByteIndex) + 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(source, True)
    return document.children[0]
