"""`robot_dynamics view`: a robot in a browser, as described, as it runs, or as recorded."""

from __future__ import annotations

from contextlib import closing
from importlib import import_module
from typing import Any

import click

from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.recordings.sources import BAGS
from robot_dynamics_ros.view.model_view import ModelView
from robot_dynamics_ros.view.recording_view import RecordingView
from robot_dynamics_ros.view.server import LOOPBACK, show, start_server

from .compare import compare_recording
from .description_file import Vector, files_and_arguments, robot_of_words
from .output import Output, output_options
from .recordings import OPTIONS, Recordings, recordings_of

RECORDED = (*BAGS, '.csv')


def server_options(command: Any) -> Any:
    """Give a subcommand --host and --port."""
    host = click.option(
        '--host',
        default=LOOPBACK,
        show_default=True,
        metavar='ADDRESS',
        help='Address to listen on; 0.0.0.0 lets every machine of the network press the buttons.',
    )
    port = click.option(
        '--port', type=click.IntRange(1, 65535), default=8080, show_default=True,
        help='Port, or the next one that is free.')  # fmt: skip
    return host(port(command))


@click.command('view')
@click.argument('words', nargs=-1, metavar='[FILE | BAG] [NAME:=VALUE]...')
@click.option('--ros', is_flag=True, help='Show a running dynamics_node.')
@click.option('--node', default='/robot_dynamics', show_default=True, metavar='NAME',
              help='Full name of the node of --ros.')  # fmt: skip
@OPTIONS['urdf']
@click.option('--topic', metavar='TOPIC', help='Topic of the description without '
              'FILE [default: /robot_description], or of the joint states in BAG.')  # fmt: skip
@OPTIONS['rename']
@OPTIONS['gravity']
@OPTIONS['cutoff']
@OPTIONS['parameters']
@server_options
@output_options
def view_command(
    words: tuple[str, ...],
    ros: bool,
    node: str,
    topic: str | None,
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

    Exit code 0: it was ended by Ctrl-C.
    """
    if output.json_file is not None:
        raise ParameterError('--json: nothing is computed; inspect and compare write JSON')
    files, _ = files_and_arguments(words)
    recorded = [file for file in files if file.is_dir() or file.name.endswith(RECORDED)]
    if of_recordings['urdf'] or recorded:
        if ros:
            raise ParameterError('--ros shows a running node: name no recording')
        recordings = recordings_of(words=words, topic=topic, gravity=gravity, **of_recordings)
        return view_recording(recordings, host, port, output)
    space = node.strip('/').rpartition('/')[0] if ros else ''
    described = topic or (None if words else f'/{space}/robot_description'.replace('//', '/'))
    model, urdf, source = robot_of_words(words, described)
    if not model.size:
        raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
    folder = source and source.parent
    if not ros:
        server = start_server(host, port)
        view = ModelView(server, model, urdf, folder, gravity or STANDARD_GRAVITY)
        return show(server, view.update, output.line)
    live = import_module('robot_dynamics_ros.view.live_view')  # it imports ROS
    with closing(live.Listener(node)) as listener:
        server = start_server(host, port)
        live_view = live.LiveView(server, listener, model, urdf, folder)
        return show(server, live_view.update, output.line)


def view_recording(recordings: Recordings, host: str, port: int, output: Output) -> int:
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
