"""Which topic of a recording holds the joint states."""

from __future__ import annotations

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted

from .sources.state_rows import StateSource

DEFAULT_TOPIC = '/joint_states'
# At most so many topics are named.
NAMED = 8


def chosen_topic(source: StateSource, asked: str | None) -> str:
    """The topic to read.

    Args:
        source: that has topics.
        asked: by the user, with or without the first slash; None: /joint_states, or the one topic
            of a CSV file.

    Raises:
        RecordingError: there is none of that name, it has another type or no messages; the message
            offers the topics of joint states that are there.
    """
    topic = DEFAULT_TOPIC if asked is None else '/' + asked.strip('/')
    if source.topics.get(topic):
        return topic
    if topic in source.topics:
        problem = f'{topic} has 0 messages'
    elif topic in source.other_topics:
        kind = source.other_topics[topic]
        problem = f'{topic} has messages of {kind}, sensor_msgs/msg/JointState is needed'
    else:
        problem = f'there is no topic {topic}'
    raise RecordingError(f'{source.name}: {problem}; {_offer(source)}')


def _offer(source: StateSource) -> str:
    """What to do instead."""
    filled = {topic: count for topic, count in sorted(source.topics.items()) if count}
    if not filled:
        return 'no topic of the recording has joint states'
    named = [
        f'{topic} ({counted(count, "message")})' for topic, count in list(filled.items())[:NAMED]
    ]
    more = ', ...' if len(filled) > NAMED else ''
    return f'joint states are on {", ".join(named)}{more}: --topic {next(iter(filled))}'
