"""Contacts and thresholds of contacts, from recordings; no ROS, no files.

Recordings are read state by state and not filtered: with the same parameters, what is found is
what the node finds.
"""

from .marked_recording import MarkedRecording, mark_recording
from .observation import WatchedRobot, WatchSettings
from .thresholds import ThresholdSurvey, survey_recording, surveyed

__all__ = [
    'MarkedRecording',
    'ThresholdSurvey',
    'WatchSettings',
    'WatchedRobot',
    'mark_recording',
    'survey_recording',
    'surveyed',
]
