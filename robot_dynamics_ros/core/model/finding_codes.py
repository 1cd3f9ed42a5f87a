"""The stable names of findings, for those who ignore some of them; one row each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# What a description contains; messages may change, these names do not.
FINDING_CODES: Mapping[str, str] = MappingProxyType(
    {
        'inertia_without_mass': 'a link has a rotational inertia, and no mass',
        'inertia_not_positive': 'a rotational inertia is not positive definite',
        'triangle_inequality': 'a principal moment is larger than the sum of the two others',
        'nearly_flat': 'a principal moment almost equals the sum of the two others',
        'inertia_too_large': 'a rotational inertia is larger than the shapes of the link can have',
        'inertia_about_link_frame': 'a rotational inertia seems to be about the link frame',
        'density': 'the density of a link is below that of foam, or above that of metals',
        'far_center_of_mass': 'a centre of mass is far outside the shapes of its link',
        'massless_body': 'a body that moves has no mass',
        'fixed_mass': 'links with mass are fixed to the base',
        'heavy_payload': 'a payload is as heavy as the robot',
        'reversed_limits': 'the lower position limit of a joint is above the upper one',
        'equal_limits': 'the position limits of a joint are equal',
        'missing_limits': 'a revolute or prismatic joint has no <limit>',
        'zero_effort_limit': 'the effort limit of a joint is zero',
        'negative_effort_limit': 'the effort limit of a joint is negative',
        'zero_velocity_limit': 'the velocity limit of a joint is zero',
        'negative_velocity_limit': 'the velocity limit of a joint is negative',
        'motionless_mimic': 'a joint mimics another one with the multiplier 0',
        'mimic_limits': 'the limits of a mimic joint narrow the range of the joint that it mimics',
        'orphaned_mimic': 'a joint mimics one that does not exist or does not move',
        'friction_left_out': 'damping or friction is described, which the dynamics leaves out',
    }
)
