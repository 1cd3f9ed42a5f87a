"""Contacts from the residual of an external-force observer; no ROS, NumPy alone.

Modules::

    contact_detector    collisions and pushes
    contact_state       whether something touches the robot
    contact_latch       keeps the first contact until it is released
    contact_thresholds  from which residual on a joint is touched
    residual_bands      the residual, split into a fast and a slow band
    residual_peaks      the largest residuals of short times
    threshold_learning  thresholds from residuals without a contact
    extreme_values      the level that maxima exceed rarely
"""

from .contact_detector import ContactDetector
from .contact_latch import ContactLatch
from .contact_state import FREE, ContactState
from .contact_thresholds import BandThreshold, ContactThresholds
from .residual_peaks import ResidualPeaks
from .threshold_learning import learned_thresholds

__all__ = [
    'FREE',
    'BandThreshold',
    'ContactDetector',
    'ContactLatch',
    'ContactState',
    'ContactThresholds',
    'ResidualPeaks',
    'learned_thresholds',
]
