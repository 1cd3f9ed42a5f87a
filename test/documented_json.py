"""The JSON of commands, as docs/command.md shows it."""

import json
import re
from pathlib import Path

DOCUMENT = (Path(__file__).resolve().parents[1] / 'docs' / 'command.md').read_text()


def documented(subcommand):
    return json.loads(re.search(rf'```json {subcommand}\n(.*?)```', DOCUMENT, re.DOTALL)[1])


def keys(value):
    """The keys of an object and of all below it; those of the first entry stand for a list."""
    if isinstance(value, dict):
        return {key: keys(entry) for key, entry in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None
