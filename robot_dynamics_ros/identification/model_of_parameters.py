"""The identified model that parameters stand for."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .identified_model import IdentifiedModel
from .parameters.joint_terms import JointTerm
from .parameters.parameter_layout import BODY, ParameterLayout

# Terms that neither the model nor the files of an identified robot have.
NOT_WRITTEN: tuple[JointTerm, ...] = ('stiffness',)


def written_parameters(layout: ParameterLayout, parameters: Array) -> Array:
    """The parameters (p,) without what the model lacks.

    Equivalent to `model_of_parameters`: the rows of a state, times these, are its torque.

    Args:
        layout: of the parameters.
        parameters: (p,) full ones.
    """
    written = parameters.copy()
    for term in NOT_WRITTEN:
        if term in layout.terms:
            written[layout.columns(term)] = 0.0
    return written


def model_of_parameters(layout: ParameterLayout, parameters: Array) -> IdentifiedModel:
    """A robot with these parameters; terms that the layout lacks are zero, gains one.

    It has no springs: `dynamics_node` has none.

    Args:
        layout: of the parameters.
        parameters: (p,) full ones.
    """
    n = len(layout.joints)
    bodies = parameters[: BODY * len(layout.model.joints)]

    def of(term: JointTerm, missing: Array) -> Array:
        present = term in layout.terms
        return parameters[layout.columns(term)] if present else missing

    viscous, coulomb = (of(term, np.zeros(n)) for term in ('viscous', 'coulomb'))
    return IdentifiedModel(
        layout.model.with_inertial_parameters(bodies, physical=False),
        of('armature', np.zeros(n)),
        viscous,
        coulomb,
        of('viscous_negative', viscous),
        of('coulomb_negative', coulomb),
        of('offset', np.zeros(n)),
        of('gain', np.ones(n)),
        layout.smoothings,
    )
