"""What rosbag2 says of a bag inside an MCAP file, joined for the messages of several files.

Source: rosbag2_storage_mcap, record `rosbag2` with the key `serialized_metadata`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Any

from ruamel.yaml import YAML


def joined_metadata(texts: Sequence[str]) -> str:
    """The metadata of one file that has the messages of all.

    Args:
        texts: metadata of each file as YAML, one at least; their topics are the same.
    """
    yaml = YAML(typ='safe')
    yaml.default_flow_style = False
    parts = [yaml.load(text) for text in texts]
    whole = {**parts[0], **_extent(parts)}
    counts = Counter[str]()
    for part in parts:
        for topic in part['topics_with_message_count']:
            counts[topic['topic_metadata']['name']] += topic['message_count']
    whole['topics_with_message_count'] = [
        {**topic, 'message_count': counts[topic['topic_metadata']['name']]}
        for topic in _topics(parts)
    ]
    whole['files'] = [{**file, **_extent(parts)} for file in parts[0]['files']]
    text = StringIO()
    yaml.dump(whole, text)
    return text.getvalue().strip()


def _topics(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each topic once; a file without torques has none for their parts."""
    topics = {
        topic['topic_metadata']['name']: topic
        for part in parts
        for topic in part['topics_with_message_count']
    }
    return list(topics.values())


def _extent(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """First time, duration and number of the messages."""
    filled = [part for part in parts if part['message_count']] or parts[:1]
    spans = [
        (part['starting_time']['nanoseconds_since_epoch'], part['duration']['nanoseconds'])
        for part in filled
    ]
    start = min(begin for begin, _ in spans)
    end = max(begin + duration for begin, duration in spans)
    return {
        'starting_time': {'nanoseconds_since_epoch': start},
        'duration': {'nanoseconds': end - start},
        'message_count': sum(part['message_count'] for part in parts),
    }
