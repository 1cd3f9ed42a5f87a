"""What pushes on a robot, from its motion and its efforts; no ROS.

- `momentum_observer`: the external torque of each joint.
- `wrench`: the wrench at a frame that explains these torques, and what the robot cannot feel.
- `contact_link`: which link is touched.
- `detection/`: collisions and pushes, and their thresholds.
- `external_estimate`: all of this for a robot that is commanded, or why there is no estimate.
- `live_contact`: its contacts; `new_joints`: when each joint is new; `effort_sources`,
  `drive_torques`, `effort_check`, `applied_commands`: its efforts; `residual_average`: what is
  taken off; `external_settings`: of all of them.
"""

from .contact_link import ContactLinks
from .detection import BandThreshold, ContactDetector, ContactThresholds
from .momentum_observer import ExternalForceObserver
from .wrench import FeltDirections, WrenchEstimate, WrenchEstimator

__all__ = [
    'BandThreshold',
    'ContactDetector',
    'ContactLinks',
    'ContactThresholds',
    'ExternalForceObserver',
    'FeltDirections',
    'WrenchEstimate',
    'WrenchEstimator',
]
