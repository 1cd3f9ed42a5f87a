"""`robot_dynamics view`: a robot in a browser, as described, as it runs, or as recorded."""

from __future__ import annotations

from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.recordings.sources import BAGS
from robot_dynamics_ros.view.model_view import ModelView
from robot_dynamics_ros.view.recording_view import RecordingView
from robot_dynamics_ros.view.server import LOOPBACK, show, start_server

from .compare import compare_recording
from .description_file import Vector, files_and_arguments, robot_of_text, robot_of_words
from .options import subcommand
from .output import Output
from .recordings import Recordings, given_recordings

RECORDED = (*BAGS, '.csv')
PORT = 8080


@subcommand('view', 'file', 'urdf', 'gravity', 'parameters')
@click.option('--ros', is_flag=True, help='Show a running dynamics_node.')
@click.option('--node', default='/robot_dynamics', show_default=True, metavar='NAME',
              help='Full name of the node of --ros.')  # fmt: skip
@click.option(
    '--host',
    default=LOOPBACK,
    show_default=True,
    metavar='ADDRESS',
    help='Address to listen on; 0.0.0.0 lets every machine of the network press the buttons.',
)
@click.option('--port', type=click.IntRange(1, 65535), default=PORT, show_default=True,
              help='Port, or the next one that is free.')  # fmt: skip
def view_command(
    words: tuple[str, ...],
    ros: bool,
    node: str,
    gravity: Vector | None,
    host: str,
    port: int,
    output: Output,
    **of_recordings: Any,
) -> int:
    """Show a robot in a browser: its description, a running node, or a recording.

    FILE is a URDF, or a xacro file with its arguments; without one, the topic /robot_description
    of a running robot. BAG is a recording, which is compared with --urdf as by `compare`.

    Examples:
      robot_dynamics view arm.urdf
      robot_dynamics view --ros --node /left/robot_dynamics
      robot_dynamics view bag/ --urdf arm.urdf
    """
    if output.json_file is not None:
        raise ParameterError('--json: nothing is computed; inspect and compare write JSON')
    files, _ = files_and_arguments(words)
    recorded = [file for file in files if file.is_dir() or file.name.endswith(RECORDED)]
    if of_recordings['urdf'] or recorded:
        if ros:
            raise ParameterError('--ros shows a running node: name no recording')
        recordings = given_recordings(words, rename=(), gravity=gravity, **of_recordings)
        return view_recording(recordings, output, host, port)
    if words:
        model, urdf, file = robot_of_words(words)
        folder: Path | None = file.parent
    else:
        space = node.strip('/').rpartition('/')[0] if ros else ''
        topic, folder = f'/{space}/robot_description'.replace('//', '/'), None
        urdf = import_module('robot_dynamics_ros.ros.description').read_description(topic)
        model = robot_of_text(urdf, topic)
    if not model.size:
        raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
    if not ros:
        server = start_server(host, port)
        view = ModelView(server, model, urdf, folder, gravity or STANDARD_GRAVITY)
        return show(server, view.update, output.line)
    live = import_module('robot_dynamics_ros.view.live_view')  # it imports ROS
    with closing(live.Listener(node)) as listener:
        server = start_server(host, port)
        live_view = live.LiveView(server, listener, model, urdf, folder)
        return show(server, live_view.update, output.line)


def view_recording(
    recordings: Recordings, output: Output, host: str = LOOPBACK, port: int = PORT
) -> int:
    """Play back the first of some recordings beside the torques of their model."""
    name = next(iter(recordings.files))
    if len(recordings.files) > 1:
        output.warning(f'{name} is shown; {len(recordings.files) - 1} more are not')
    compared = compare_recording(recordings, name)
    if compared.error:
        raise RecordingError(compared.error)
    urdf, model, _ = recordings.robot(name)
    server = start_server(host, port)
    folder = recordings.urdf_file and recordings.urdf_file.parent
    view = RecordingView(server, model, urdf, folder, compared)
    return show(server, view.update, output.line)
