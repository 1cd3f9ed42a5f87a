"""Findings about meshes that a picture does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from robot_dynamics_ros.core.model.findings import Finding

from .link_shapes import LinkShapes


def mesh_findings(shapes: LinkShapes) -> Iterator[Finding]:
    """One finding for each reason why meshes are not drawn; the dynamics needs no mesh.

    Args:
        shapes: that were drawn.
    """
    for reason, count in Counter(shapes.missing.values()).items():
        mesh = next(name for name, why in shapes.missing.items() if why == reason)
        others = f' and {count - 1} other meshes' if count > 1 else ''
        verb = 'are' if others else 'is'
        yield Finding(
            shapes.links_of_missing[mesh],
            'mesh_not_drawn',
            f'its mesh{others} {verb} not drawn: {reason}',
            mesh,
            'the picture lacks these shapes; nothing else needs meshes',
            'info',
        )
