"""Topics that are probably meant, where a subscribed topic has no publisher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.node import Node

# Of a node one of whose endpoints has been discovered before the node itself.
UNKNOWN_NAME = '_NODE_NAME_UNKNOWN_'
# At most this many topics are named.
NAMED = 3


def publishers_of(node: Node, topic: str) -> list[str]:
    """Full names of the nodes that publish a topic, each once."""
    return _names(node.get_publishers_info_by_topic(topic))


def subscribers_of(node: Node, topic: str) -> list[str]:
    """Full names of the nodes that subscribe to a topic, each once; without unknown names."""
    endpoints = node.get_subscriptions_info_by_topic(topic)
    return _names([each for each in endpoints if each.node_name != UNKNOWN_NAME])


def near_misses(node: Node, topic: str, message_type: str) -> list[str]:
    """Other topics of the type and the last name of a topic that have a publisher.

    Args:
        node: that asks the graph.
        topic: resolved name, such as /joint_states.
        message_type: such as 'sensor_msgs/msg/JointState'.
    """
    last = topic.rpartition('/')[2]
    return sorted(
        name
        for name, types in node.get_topic_names_and_types()
        if name != topic
        and name.rpartition('/')[2] == last
        and message_type in types
        and node.count_publishers(name)
    )


def advice(topic: str, found: Sequence[str]) -> str:
    """What to do about near misses, as the end of a sentence; empty if there are none.

    Args:
        topic: resolved name that is subscribed.
        found: the topics of `near_misses`.
    """
    if not found:
        return ''
    named = ', '.join(found[:NAMED]) + (', ...' if len(found) > NAMED else '')
    verb = 'has' if len(found) == 1 else 'have'
    namespace = found[0].rpartition('/')[0]
    start = f'start the node in namespace {namespace}, or ' if namespace else ''
    return f'; {named} {verb} a publisher: {start}remap {topic}:={found[0]}'


def _names(endpoints: Sequence[Any]) -> list[str]:
    return sorted({f'{each.node_namespace.rstrip("/")}/{each.node_name}' for each in endpoints})
