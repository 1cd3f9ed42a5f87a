"""Distances between the bodies of a robot, and from a floor.

Modules::

    clearance           by how much a motion comes too near
    kept_distances      which distances are kept, and how large they must be
    body_shapes         the shapes of all bodies, and what measures them
    body_motion         where the bodies are, and how points on them move
    collision_shapes    the collision geometry of a description as rounded convex hulls
    link_frames         shapes of bodies without collision geometry
    mesh_vertices       the vertices of mesh files
    mujoco_distances    distances by MuJoCo
    capsule_distances   distances of enclosing capsules, without MuJoCo
    capsules            enclosing capsules, and the points of two segments that are closest
"""
