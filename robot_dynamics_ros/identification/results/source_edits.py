"""Changes of an XML text: all that is not changed stays, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .source_elements import SourceElement

ATTRIBUTE = re.compile(r'([^\s=/<>"\']+)\s*=\s*("[^"]*"|\'[^\']*\')')
INDENT = '  '


class SourceEdits:
    """Changes of elements and attributes, which are made together."""

    def __init__(self, source: bytes) -> None:
        """Change nothing yet.

        Args:
            source: the text in UTF-8.
        """
        self._source = source
        self._edits: list[tuple[int, int, bytes]] = []

    def replace(self, element: SourceElement, text: str) -> None:
        """Put a text in the place of an element."""
        self._edits.append((element.start, element.end, text.encode()))

    def set_attributes(self, element: SourceElement, values: Mapping[str, str]) -> None:
        """Give attributes of an element other values; those that it lacks come last.

        Args:
            element: to change.
            values: by the name of the attribute, without characters that XML escapes.
        """
        tag = self._source[element.start : element.content].decode()
        found = {match[1]: match for match in ATTRIBUTE.finditer(tag)}
        last = max((match.end() for match in found.values()), default=len(f'<{element.tag}'))
        for name, value in values.items():
            if name in found:
                begin, end = found[name].span(2)
                self._replace_in_tag(element, tag, begin + 1, end - 1, value)
            else:
                self._replace_in_tag(element, tag, last, last, f' {name}="{value}"')

    def insert_before(self, element: SourceElement, lines: list[str]) -> None:
        """Put lines before an element, indented as it is."""
        line = self._line_start(element)
        text = ''.join(each + line for each in lines)
        self._edits.append((element.start, element.start, text.encode()))

    def insert_after(self, element: SourceElement, lines: list[str]) -> None:
        """Put lines behind an element, indented as it is."""
        line = self._line_start(element)
        text = ''.join(line + each for each in lines)
        self._edits.append((element.end, element.end, text.encode()))

    def insert_into(self, element: SourceElement, lines: list[str]) -> None:
        """Put lines into an element that has no children, indented by one more step.

        What it holds, such as a comment, stays behind them.
        """
        line = self._line_start(element)
        text = ''.join((line and line + INDENT) + each for each in lines)
        if not element.is_single:
            self._edits.append((element.content, element.content, text.encode()))
            return
        slash = self._source.rindex(b'/', element.start, element.end)
        closed = f'>{text}{line}</{element.tag}>'
        self._edits.append((slash, element.end, closed.encode()))

    def applied(self) -> str:
        """The text with all changes; those at one place in the order in which they were made."""
        parts, done = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += [self._source[done:start], text]
            done = end
        return b''.join([*parts, self._source[done:]]).decode()

    def _replace_in_tag(
        self, element: SourceElement, tag: str, begin: int, end: int, text: str
    ) -> None:
        """Replace characters of a start tag; a character may be several bytes."""
        first = element.start + len(tag[:begin].encode())
        last = element.start + len(tag[:end].encode())
        self._edits.append((first, last, text.encode()))

    def _line_start(self, element: SourceElement) -> str:
        """The line break and indentation before an element; '' if it is not first in its line."""
        newline = self._source.rfind(b'\n', 0, element.start)
        indentation = self._source[newline + 1 : element.start]
        if newline < 0 or indentation.strip():
            return ''
        return_too = self._source.endswith(b'\r', 0, newline)
        return ('\r\n' if return_too else '\n') + indentation.decode()
