"""Contacts and thresholds of contacts, from recordings; no ROS, no files.

Recordings are read state by state and not filtered: with the same parameters, what is found is
what the node finds. Where velocities are not measured, the node finds nothing, and they are
derived here.

Modules::

    residuals           how large residuals are, and the largest of short times
    observed_recording  the residuals along a recording, and what is known of it
    threshold_learning  thresholds of residuals: how they are learned
    threshold_survey    thresholds of recordings, tested on each other's halves, and doubts
    marked_recording    the contacts of a recording, and what a plot shows
"""

from .marked_recording import MarkedContact, MarkedRecording, mark_recording
from .observed_recording import WatchedRobot, WatchSettings
from .threshold_survey import SurveyedRecording, ThresholdSurvey, survey_recording, surveyed

__all__ = [
    'MarkedContact',
    'MarkedRecording',
    'SurveyedRecording',
    'ThresholdSurvey',
    'WatchSettings',
    'WatchedRobot',
    'mark_recording',
    'survey_recording',
    'surveyed',
]
