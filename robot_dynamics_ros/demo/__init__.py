"""The demo: a simulated arm, the dynamics node and an observer, in three processes over DDS.

Modules::

    observer           the main program of `scripts/demo`: start, measure, report
    run                one run: starts arm and node, records the scenario, evaluates it
    plan               the start position of the arm, and the trajectory that it follows
    scenario           the phases: fall, hold, track three times, touch, matrices
    client             the observer's topics and services
    message_readers    the content of the messages that it records
    received_messages  the received messages with their times
    measurements       the quantities that are computed from them
    figures            these quantities with their bounds
    verdict            passed or failed, as text and JSON
    picture            the same as a PNG
    panels             the panels of the picture
    touch_panels       those of the fourth act
    processes          child processes that end with their parent
    ros_domain         a ROS domain of its own
    default_arm        the UR5 of example-robot-data
"""


class DemoError(Exception):
    """The demo cannot go on; the message is for its user."""
