"""Identification of a robot from recordings: equations, what they can tell, estimates.

>>> layout = ParameterLayout(parse_urdf(text))
>>> equations = RecordedEquations.of_files(layout, {'monday': [Path('monday.mcap')]})
>>> found = identify(LocalEquations(equations))
>>> tau = found.model.inverse_dynamics(q, v, a)

Modules::

    identify             from equations to the parameters of a robot
    prior_weight         how much the description counts, by cross-validation
    effort_delay         by how much efforts come later than states
    fitted_equations     what that asks of equations, wherever they are computed
    friction_law         whether friction near reversals is that of the model
    friction_smoothing   from which speed on Coulomb friction is full, joint by joint
    identified_model     a robot with identified parameters
    kept_parameters      what no torque depends on, as described
    model_of_parameters  the model that parameters stand for
    parameter_rows       parameters with intervals
    changed_masses       whether masses are those of the described robot
    contradictions       data that contradict every real robot
    declared_loads       whether loads are what was declared
    identification       parameters and the judgement of the model
    parameters/          the columns of the regressor: names, units, nominal values
    regression/          filtered equations of recordings, and their reduction by QR
    observability/       base parameters, rank, condition, excitation
    estimation/          weighted and robust estimates
    consistency/         estimates that a real robot can have
    judgement/           the model on data that were not fitted
    results/             the files of an identified robot
    payload/             what a link carries
    excitation/          motions that tell much, within the limits of the robot
"""

from .fitted_equations import FittedEquations, LocalEquations
from .identified_model import IdentifiedModel
from .identify import IdentifiedParameters, identify
from .parameter_rows import base_rows, body_rows, joint_rows, without_scale
from .parameters import ParameterLayout
from .regression import EquationOptions, RecordedEquations

__all__ = [
    'EquationOptions',
    'FittedEquations',
    'IdentifiedModel',
    'IdentifiedParameters',
    'LocalEquations',
    'ParameterLayout',
    'RecordedEquations',
    'base_rows',
    'body_rows',
    'identify',
    'joint_rows',
    'without_scale',
]
