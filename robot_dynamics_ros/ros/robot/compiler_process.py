"""Compiles a robot in a process of its own, so that no cycle of this one waits for a compiler.

As a program it reads a request from stdin and writes the answer to stdout, both pickled.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from robot_dynamics_ros.core import errors
from robot_dynamics_ros.core.codegen.kernel import choose_backend
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

from .compilation import COMPILED_QUANTITIES, CompiledRobot, compile_robot

# A humanoid takes about 20 s on a busy machine.
WALL_SECONDS = 120.0
# The loop of the node comes first.
NICENESS = 10


class CompilerProcessError(RobotDynamicsError):
    """The process that compiles a robot could not be started, or ended without an answer."""


@dataclass(frozen=True)
class Answer:
    """What the process has compiled.

    Attributes:
        compiled: the robot, without what belongs to a process.
        model: of the robot.
        payload_frame: see `RobotDynamics`.
        codes: the machine code, by quantity.
    """

    compiled: CompiledRobot
    model: RobotModel
    payload_frame: str | None
    codes: Mapping[str, Any]


def compile_elsewhere(text: str, options: Mapping[str, Any]) -> CompiledRobot:
    """As `compile_robot`; in this process, machine code is loaded and nothing is compiled.

    Plain Python is compiled here.

    Args:
        text: of the URDF.
        options: the other arguments of `compile_robot`.

    Raises:
        RobotDynamicsError: as of `compile_robot`.
        CompilerProcessError: there was no answer.
    """
    if choose_backend(options.get('backend'))[0] == 'python':
        return compile_robot(text, **options)
    answer = _answer_to((text, dict(options)))
    if not isinstance(answer, Answer):
        kind, message = answer
        error = getattr(errors, kind, CompilerProcessError)
        # Its constructor may take other arguments than the message.
        raise error.__new__(error, message)
    dynamics = RobotDynamics(
        answer.model,
        gravity=options['gravity'],
        backend=options.get('backend'),
        payload_frame=answer.payload_frame,
    )
    dynamics.load(answer.codes)
    compiled = replace(answer.compiled, dynamics=dynamics)
    if compiled.report is None:
        return compiled
    return replace(compiled, pinocchio=PinocchioReference(text, answer.model))


def _answer_to(request: object) -> Any:
    folders = os.pathsep.join(folder for folder in sys.path if folder)
    try:
        ended = subprocess.run(
            [sys.executable, '-m', __spec__.name],
            input=pickle.dumps(request),
            capture_output=True,
            env=os.environ | {'PYTHONPATH': folders},
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CompilerProcessError(
            f'compiling the robot takes longer than the allowed {WALL_SECONDS:g} s: deactivate, '
            'clean up and configure the node instead'
        ) from None
    except OSError as error:
        raise CompilerProcessError(
            f'the process that compiles the robot cannot be started: {error}'
        ) from None
    if ended.returncode:
        last = ended.stderr.decode(errors='replace').strip().splitlines()[-1:]
        raise CompilerProcessError(
            'the process that compiles the robot ended without an answer (exit status '
            f'{ended.returncode}): {"".join(last) or "no message"}'
        )
    return pickle.loads(ended.stdout)


def main() -> None:
    """Answer the one request that stdin holds."""
    os.nice(NICENESS)
    output = sys.stdout.buffer
    # What other libraries print goes elsewhere.
    sys.stdout = sys.stderr
    text, options = pickle.load(sys.stdin.buffer)
    try:
        answer: object = _compiled(text, options)
    except RobotDynamicsError as error:
        answer = type(error).__name__, str(error)
    output.write(pickle.dumps(answer))
    output.flush()
    # Freeing all that takes longer than leaving it to the system.
    os._exit(0)


def _compiled(text: str, options: Mapping[str, Any]) -> Answer:
    codes: dict[str, Any] = {}

    def prepare(dynamics: RobotDynamics) -> None:
        codes.update(dynamics.object_code(*options.get('quantities', COMPILED_QUANTITIES)))
        dynamics.load(codes)

    compiled = compile_robot(text, prepare=prepare, **options)
    dynamics = compiled.dynamics
    bare = replace(compiled, dynamics=None, pinocchio=None)
    return Answer(bare, dynamics.model, dynamics.payload_frame, codes)


if __name__ == '__main__':
    # As the module of that name: what it pickles is of no module __main__.
    import_module(__spec__.name).main()
