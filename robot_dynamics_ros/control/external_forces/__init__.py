"""What pushes on a robot, from its motion and its efforts; no ROS.

- `momentum_observer`: the external torque of each joint.
- `wrench`: the wrench at a frame that explains these torques, and what the robot cannot feel.
- `contact_link`: which link is touched.
"""

from .contact_link import ContactLinks
from .momentum_observer import ExternalForceObserver
from .wrench import FeltDirections, WrenchEstimate, WrenchEstimator

__all__ = [
    'ContactLinks',
    'ExternalForceObserver',
    'FeltDirections',
    'WrenchEstimate',
    'WrenchEstimator',
]
