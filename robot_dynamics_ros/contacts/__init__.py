"""Contacts and thresholds of contacts, from recordings; no ROS, no files.

Recordings are read state by state and not filtered: what is found is what the node would find.

Modules::

    watched_recording   one recording, surveyed for thresholds or searched for contacts
    threshold_survey    thresholds of recordings, and how well they hold
    marked_contacts     the contacts of a recording
    observed_recording  the residuals of the observer along a recording
    watched_robot       the robot, its friction and its settings
    watch_settings      these settings, by joint name
    kept_peaks          the largest residuals, also of a recording with contacts
    joint_residuals     how large the residuals are
    drawn_residuals     what a plot shows
"""

from .marked_contacts import MarkedContact
from .threshold_survey import SurveyedRecording, ThresholdSurvey, surveyed
from .watch_settings import WatchSettings
from .watched_recording import MarkedRecording, mark_recording, survey_recording
from .watched_robot import WatchedRobot

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
