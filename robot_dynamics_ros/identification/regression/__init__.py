"""Equations of recordings: filtered on both sides, decimated, reduced by QR.

>>> blocks = RecordedEquations.of_files(layout, {'monday': [Path('monday.mcap')]})
>>> reduced = reduce(blocks)

Modules::

    equation_options    how equations are made
    cutoffs             of the two filters
    motion_equations    from motions to equations
    recorded_equations  equations that are read again and again
    equations           equations in blocks
    reduced_equations   triangles that merge exactly
    torque_form         the equations of the joints
    power_form          the equation of the power
    columns             what equations are linear in, at single samples
    term_columns        the columns of friction, rotors, offsets, springs, gains
    load_columns        the columns of bodies that are carried for a time
    shifted_efforts     efforts that come later than their states
    parallel_filter     one filter for both sides, and the decimation
    moving_samples      when joints move, and when they rest
    unusable_samples    slow joints, saturated efforts, loads that change
"""

from .cutoffs import Cutoffs
from .equation_options import EquationOptions
from .equations import EquationBlock
from .motion_equations import MotionEquations
from .recorded_equations import RecordedEquations
from .reduced_equations import ReducedEquations, Weights, reduce
from .shifted_efforts import shifted_efforts

__all__ = [
    'Cutoffs',
    'EquationBlock',
    'EquationOptions',
    'MotionEquations',
    'RecordedEquations',
    'ReducedEquations',
    'Weights',
    'reduce',
    'shifted_efforts',
]
