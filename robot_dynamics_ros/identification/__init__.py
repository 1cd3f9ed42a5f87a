"""Identification of a robot from recordings: equations, what they can tell, estimates.

>>> layout = ParameterLayout(parse_urdf(text))
>>> equations = Equations.joined(MotionEquations(layout).of_motions(recording.motions()))
>>> found = identify(equations)
>>> tau = found.model.inverse_dynamics(q, v, a)

Modules::

    identifier           fit, judge, save: the whole identification
    recorded_data        the recordings of an identification, and their equations
    survey               a first look at a recording: what is held out, saturated efforts
    moving_samples       when joints move, and when they rest
    motion_equations     filtered and decimated equations of motions
    parallel_filter      one zero-phase filter for both sides of the equations
    equations            the equations in memory
    reduced              sums of products of equations, as triangles
    parameters, scales   the columns of the regressor: names, units, values of the URDF, sizes
    structure            base parameters that the best data would determine
    observability        base parameters that these data determine, rank, condition
    identify             from equations to the parameters of a robot
    estimate             weighted and robust least squares
    contacts_left_out    periods that something else than the robot has made
    bodies, consistent   estimates that a real robot can have
    prior                how much the URDF counts, by cross-validation
    intervals            a bootstrap over windows of time
    friction             whether friction is that of the law, and from which speed on it is full
    effort_delay         by how much efforts come later than states
    judgement            the model on data that were not fitted
    held_out             measured torques beside those of URDF and model, residuals with intervals
    whiteness            whether a residual is noise
    repeated_motion      whether a held-out motion repeats the fitted one
    data_findings, excitation_findings, plausibility
                         findings about recordings, about motion, and that an estimate contradicts
    parameter_rows       parameters with intervals
    identified_model     a robot with identified parameters
    identified           the result: judges other recordings, writes files
    identification_report, result_files, identified_urdf
                         the report and the files of an identified robot
    payload, payload_estimate
                         what a link carries
    excitation/          exciting trajectories within the limits of the robot
"""

from .equations import Equations
from .identified import Identified
from .identified_model import IdentifiedModel
from .identifier import Identifier
from .identify import IdentifiedParameters, identify
from .motion_equations import EquationOptions, MotionEquations
from .parameter_rows import ParameterRow, base_rows, body_rows, joint_rows, without_scale
from .parameters import ParameterLayout

__all__ = [
    'EquationOptions',
    'Equations',
    'Identified',
    'IdentifiedModel',
    'IdentifiedParameters',
    'Identifier',
    'MotionEquations',
    'ParameterLayout',
    'ParameterRow',
    'base_rows',
    'body_rows',
    'identify',
    'joint_rows',
    'without_scale',
]
