"""Links and findings of a robot whose bodies have got other inertial parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..spatial import Inertia
from .findings import Finding, examine_inertial, massless_body
from .tree import Frame, Joint, Link


def changed_bodies(before: Sequence[Joint], after: Sequence[Joint]) -> set[int]:
    """Indices of the joints whose body is another one."""
    pairs = enumerate(zip(before, after, strict=True))
    return {index for index, (old, new) in pairs if old.inertia != new.inertia}


def links_after(
    links: Sequence[Link], frames: Sequence[Frame], joints: Sequence[Joint], changed: set[int]
) -> tuple[Link, ...]:
    """The links: the first one of a changed body has its inertia, those fixed to it have none.

    The shapes of one link say nothing about the volume of several: where the inertia of others has
    been merged into the first link, its extent is dropped.

    Args:
        links: before the change, in the order of `frames`.
        frames: of the links.
        joints: with the changed bodies.
        changed: see `changed_bodies`.
    """
    first = _first_links(frames)
    merged = {
        frame.body
        for frame, link in zip(frames, links, strict=False)
        if frame.name != first.get(frame.body) and link.inertia != Inertia()
    }
    result = []
    # A model that was not made from a description may have no links.
    for frame, link in zip(frames, links, strict=False):
        if frame.body in changed and frame.name == first[frame.body]:
            extent = None if frame.body in merged else link.extent
            link = Link(link.name, joints[frame.body].inertia, extent)
        elif frame.body in changed:
            link = replace(link, inertia=Inertia())
        result.append(link)
    return tuple(result)


def findings_after(
    findings: Sequence[Finding],
    frames: Sequence[Frame],
    joints: Sequence[Joint],
    changed: set[int],
) -> tuple[Finding, ...]:
    """The findings: those about the inertia of changed bodies are made anew.

    Args:
        findings: before the change.
        frames: of the links.
        joints: with the changed bodies.
        changed: see `changed_bodies`.
    """
    outdated = {frame.name for frame in frames if frame.body in changed}
    result = [
        finding
        for finding in findings
        if finding.concerns != 'inertia' or finding.link not in outdated
    ]
    first = _first_links(frames)
    for index in sorted(changed & first.keys()):
        body, link = joints[index].inertia, first[index]
        result += examine_inertial(link, body.mass, body.rotational_at_center_of_mass)
        if body.mass == 0.0:
            result.append(massless_body(link, joints[index].name))
    return tuple(result)


def _first_links(frames: Sequence[Frame]) -> dict[int, str]:
    """The link to which a joint leads, by the index of the joint: it comes first."""
    first: dict[int, str] = {}
    for frame in frames:
        first.setdefault(frame.body, frame.name)
    return first
