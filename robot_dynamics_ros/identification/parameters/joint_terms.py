"""The terms of a joint, beside the inertia of the bodies."""

from __future__ import annotations

from typing import Literal

JointTerm = Literal[
    'armature',
    'viscous',
    'coulomb',
    'offset',
    'viscous_negative',
    'coulomb_negative',
    'stiffness',
    'gain',
]

# What a column holds, with s the smooth sign of `core.model.friction`:
#   armature          a
#   viscous           v, where v > 0 alone if viscous_negative is a term too
#   coulomb           s(v), where v > 0 alone if coulomb_negative is a term too
#   offset            1
#   viscous_negative  v, where v < 0
#   coulomb_negative  s(v), where v < 0: the coefficient of a dissipative joint is positive
#   stiffness         q; the rest position of the spring is -offset / stiffness
#   gain              minus the measured effort, a current [A]: its coefficient is in N m/A
TERMS: tuple[JointTerm, ...] = (
    'armature',
    'viscous',
    'coulomb',
    'offset',
    'viscous_negative',
    'coulomb_negative',
    'stiffness',
    'gain',
)
# Usual ones.
USUAL: tuple[JointTerm, ...] = ('armature', 'viscous', 'coulomb', 'offset')

REVOLUTE_UNITS = {
    'armature': 'kg m^2',
    'viscous': 'N m s/rad',
    'coulomb': 'N m',
    'offset': 'N m',
    'viscous_negative': 'N m s/rad',
    'coulomb_negative': 'N m',
    'stiffness': 'N m/rad',
    'gain': 'N m/A',
}
PRISMATIC_UNITS = {
    'armature': 'kg',
    'viscous': 'N s/m',
    'coulomb': 'N',
    'offset': 'N',
    'viscous_negative': 'N s/m',
    'coulomb_negative': 'N',
    'stiffness': 'N/m',
    'gain': 'N/A',
}
