"""The picture of a robot: its shapes, centres of mass, inertia ellipsoids and findings.

Modules::

    robot_picture    the whole picture, by matplotlib
    ellipsoid        the uniform ellipsoid that has a given inertia
    link_shapes      the shapes of each link as triangles
    solid_triangles  triangles of boxes, cylinders and spheres
    mesh_files       where the files of meshes are, and their triangles
    missing_meshes   findings about meshes that are not drawn
"""

from .missing_meshes import mesh_findings
from .robot_picture import draw

__all__ = ['draw', 'mesh_findings']
