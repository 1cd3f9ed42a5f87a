"""What a link carries, from recordings: against the model, or against a recording without it.

Modules::

    recorded_payload  the estimate from recordings
    bare_robot        parameters of the robot itself, from a recording without the payload
"""

from .recorded_payload import estimate_recorded_payload

__all__ = ['estimate_recorded_payload']
