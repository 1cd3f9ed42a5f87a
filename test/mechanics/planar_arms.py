"""Arms that move in a plane, as those of textbooks."""

LINK = 0.4


def planar(lengths, centers, masses, inertias, rpy='0 0 0'):
    """URDF of an arm in the x-y plane of a base with that attitude; its tip is the frame `tip`.

    Joints are at the ends of links, which have these lengths, and centres of mass along them.
    """
    text, place = '<link name="link0"/>', f'rpy="{rpy}"'
    bodies = zip(lengths, centers, masses, inertias, strict=True)
    for k, (length, center, mass, inertia) in enumerate(bodies, start=1):
        text += (
            f'<link name="link{k}"><inertial><origin xyz="{center} 0 0"/><mass value="{mass}"/>'
            f'<inertia ixx="{0.1 * inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0" '
            f'izz="{inertia}"/></inertial></link><joint name="joint{k}" type="continuous">'
            f'<parent link="link{k - 1}"/><child link="link{k}"/><origin {place}/>'
            '<axis xyz="0 0 1"/></joint>'
        )
        place = f'xyz="{length} 0 0"'
    text += (
        f'<link name="tip"/><joint name="end" type="fixed"><parent link="link{k}"/>'
        f'<child link="tip"/><origin {place}/></joint>'
    )
    return f'<robot name="planar">{text}</robot>'


def planar_arm(joints, rpy='0 0 0'):
    """One with links of 0.4 m."""
    bodies = ([each] * joints for each in (LINK, LINK / 2, 1.5, 0.02))
    return planar(*bodies, rpy)


# All of its mass is a point at the tip: stretched, both joints move it along one line.
POINT_AT_TIP = planar((0.5, 0.3), (0.0, 0.3), (0.0, 2.0), (0.0, 0.0))
