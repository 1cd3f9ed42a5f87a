"""Contacts from the residual of an external-force observer; no ROS, NumPy alone.

Modules::

    contact_detector    collisions and pushes
    contact_state       whether something touches the robot
    contact_thresholds  from which residual on a joint is touched
    residual_bands      the residual, split into a fast and a slow band
    residual_peaks      the largest residuals of short times
    untouched_peaks     the same in the node, and whether something touched the arm
    threshold_learning  thresholds from residuals without a contact
    extreme_values      the level that maxima exceed rarely
    friction_thresholds what friction alone does not exceed
    threshold_floor     below which no threshold means anything
    threshold_limits    thresholds above the effort limits
    blind_settings      settings with which contacts are not found
"""

from .contact_detector import ContactDetector
from .contact_state import FREE, ContactState
from .contact_thresholds import BandThreshold, ContactThresholds
from .friction_thresholds import friction_thresholds
from .residual_peaks import ResidualPeaks
from .threshold_floor import threshold_floor
from .threshold_learning import learned_thresholds
from .threshold_limits import above_limits
from .untouched_peaks import UntouchedPeaks

__all__ = [
    'FREE',
    'BandThreshold',
    'ContactDetector',
    'ContactState',
    'ContactThresholds',
    'ResidualPeaks',
    'UntouchedPeaks',
    'above_limits',
    'friction_thresholds',
    'learned_thresholds',
    'threshold_floor',
]
