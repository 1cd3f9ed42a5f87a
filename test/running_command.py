"""The command `robot_dynamics`, run in this process; its JSON, and that of docs/command.md."""

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from robot_dynamics_ros.cli.command_line import main

DOCUMENT = (Path(__file__).resolve().parents[1] / 'docs' / 'command.md').read_text()


def ended(folder, *arguments):
    """What the command does in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)])
    return CompletedProcess(arguments, caught.value.code, out.getvalue(), err.getvalue())


def answered(folder, *arguments):
    """Exit code, JSON, and errors of the command in a folder."""
    found = ended(folder, *arguments, '--json', '-')
    return found.returncode, json.loads(found.stdout) if found.stdout else None, found.stderr


@pytest.fixture
def run(files):
    """Runs the command in the folder `files`."""
    return partial(ended, files)


@pytest.fixture
def answer(files):
    """The same, with its JSON."""
    return partial(answered, files)


def documented(subcommand, document=DOCUMENT):
    """The JSON that a document shows."""
    return json.loads(re.search(rf'```json {subcommand}\n(.*?)```', document, re.DOTALL)[1])


def keys(value):
    """The keys of an object and of all below it; those of the first entry stand for a list."""
    if isinstance(value, dict):
        return {key: keys(entry) for key, entry in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


def codes(result):
    """Of the findings in the JSON of a recording."""
    return [finding['code'] for finding in result['findings']]
