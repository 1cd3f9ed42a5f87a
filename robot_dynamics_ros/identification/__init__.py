"""Identification of a robot from recordings: equations, what they can tell, estimates.

>>> layout = ParameterLayout(parse_urdf(text))
>>> equations = Equations.joined(MotionEquations(layout).of_motions(recording.motions()))
>>> found = identify(equations)
>>> tau = found.model.inverse_dynamics(q, v, a)

Modules::

    identifier           fit, judge, save: the whole identification
    recorded_data        the recordings of an identification: a first look, equations, torques
    motion_equations     filtered and decimated equations of motions
    equations            the equations in memory, and their sums of products
    parameters           the columns of the regressor: names, units, values of the URDF, sizes
    base_parameters      what the structure of a robot allows to determine, and what data do
    identify             from equations to the parameters of a robot
    outliers             contacts and single samples that do not fit
    estimate             weighted least squares
    bodies, consistent   estimates that a real robot can have, and how much the URDF counts
    intervals            a bootstrap over windows of time
    friction             whether friction is that of the law, and from which speed on it is full
    effort_delay         by how much efforts come later than states
    held_out             measured torques beside those of URDF and model, residuals with intervals
    judgement            the model on data that were not fitted
    findings             about recordings, about motion, and what an estimate contradicts
    identified_model, parameter_rows
                         a robot with identified parameters; these with intervals
    identified           the result: judges other recordings, writes files
    identification_report, result_files, identified_urdf
                         the report and the files of an identified robot
    payload              what a link carries
    excitation/          exciting trajectories within the limits of the robot
"""

from .equations import Equations
from .identified import Identified
from .identified_model import IdentifiedModel
from .identifier import Identifier
from .identify import IdentifiedParameters, identify
from .motion_equations import MotionEquations
from .parameter_rows import ParameterRow, base_rows, body_rows, joint_rows, without_scale
from .parameters import ParameterLayout

__all__ = [
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
