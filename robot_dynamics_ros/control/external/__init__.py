"""What pushes on a robot, from its motion and its efforts; no ROS.

- `momentum_observer`: the external torque of each joint.
- `drive_torques`: the states that the observer is given.
- `wrench`: the wrench at a frame that explains these torques, and what the robot cannot feel.
- `contact_detector`: collisions and pushes; `thresholds`: from which torque on.
- `contact`: the touched link, and the direction of the force.
- `estimate`: all of this for a robot that is commanded, less what an arm at rest is found to feel
  (tare), or why there is no estimate.
"""

from .contact import ContactLinks
from .contact_detector import ContactDetector
from .momentum_observer import ExternalForceObserver
from .thresholds import ContactThresholds
from .wrench import WrenchEstimate, WrenchEstimator

__all__ = [
    'ContactDetector',
    'ContactLinks',
    'ContactThresholds',
    'ExternalForceObserver',
    'WrenchEstimate',
    'WrenchEstimator',
]
