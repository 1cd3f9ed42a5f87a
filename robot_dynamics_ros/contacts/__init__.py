"""Contacts and thresholds of contacts, from recordings; no ROS, no files.

Recordings are read state by state and not filtered: with the same parameters, what is found is
what the node finds. Where velocities are not measured, the node finds nothing, and they are
derived here.

Modules::

    watched_recording   one recording, surveyed for thresholds or searched for contacts
    threshold_survey    thresholds of recordings, tested on each other's halves
    threshold_doubts    why they may not hold
    marked_recording    the contacts of a recording
    marked_contacts     how they are found
    effort_range        between which values the efforts are that the node takes
    observed_recording  the residuals of the observer along a recording
    watched_robot       the robot, its friction and its settings
    locked_joints       its joints that were not recorded
    watch_settings      these settings, by joint name
    learning            what is wanted of thresholds
    kept_peaks          the largest residuals, also of a recording with contacts
    joint_residuals     how large the residuals are
    residual_doubts     what their size tells
    drawn_residuals     what a plot shows
"""

from .learning import Learning
from .locked_joints import LockedJoints
from .marked_contacts import MarkedContact
from .marked_recording import MarkedRecording
from .threshold_doubts import threshold_doubts
from .threshold_survey import SurveyedRecording, ThresholdSurvey, surveyed
from .watch_settings import WatchSettings
from .watched_recording import mark_recording, survey_recording
from .watched_robot import WatchedRobot

__all__ = [
    'Learning',
    'LockedJoints',
    'MarkedContact',
    'MarkedRecording',
    'SurveyedRecording',
    'ThresholdSurvey',
    'WatchSettings',
    'WatchedRobot',
    'mark_recording',
    'survey_recording',
    'surveyed',
    'threshold_doubts',
]
