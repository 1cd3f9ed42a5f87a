"""What can be wrong with joint states."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager

from robot import Alteration, Robot
from scene import FADE_TIME, STATE_TIMEOUT, Scene, Steps, close
from schedule import Fault, verdict
from sensor_msgs.msg import JointState

# As long as a fade takes, and some more to see what comes then [s].
PAUSE = STATE_TIMEOUT + FADE_TIME + 0.3
# Beside the timeout and two cycles: a node looks some hundred times a second [s].
LOOK = 0.03
# How long bad states come: shorter than what makes them stale [s].
BURST = 0.03
# In this time diagnostics come at least once [s].
REPORTED = 1.5
# How far one position leaps [rad]: more than any speed explains in that time.
LEAP = 1.0
# By how much a stamp runs back, less than what makes a state stale [ns]: no other has that one.
BACKWARDS = 50_000_500


def _pause(
    on_stale: str, quiet: Callable[[Robot], AbstractContextManager[None]]
) -> Callable[[Scene], Steps[str]]:
    """No good states for a while."""

    def inject(scene: Scene) -> Steps[str]:
        if refused := (yield from scene.set(on_stale=on_stale)):
            return f'on_stale: {refused}'
        with quiet(scene.robot):
            yield from scene.seconds(PAUSE)
            missed = _missed_in_pause(scene, on_stale)
        yield from scene.set(on_stale='hold')
        return missed

    return inject


def _states_of_a_gripper(robot: Robot) -> AbstractContextManager[None]:
    return robot.altered(_name_the_gripper_only)


def _name_the_gripper_only(message: JointState) -> None:
    for field in (message.name, message.position, message.velocity):
        del field[1:]
    message.effort = []


def _missed_in_pause(scene: Scene, on_stale: str) -> str:
    robot = scene.robot
    due = robot.last_sent + int(1e9 * (STATE_TIMEOUT + 2 * scene.period + LOOK))
    # What answers the last state itself is no command of the pause.
    commands = scene.observer.since(robot.last_sent + int(0.5e9 * STATE_TIMEOUT))
    if on_stale == 'stop':
        late = sum(command.time > due for command in commands)
        return verdict(late == 0, f'{late} commands after the states were stale')
    if not commands or commands[0].time > due:
        return 'no command when the states were stale'
    end = scene.nominal.gravity(robot.last_good)
    last = commands[-1].torque
    return verdict(close(last, end), f'ended at {last.round(3)}, not {end.round(3)}')


def _bad(
    alteration: Alteration, words: str, burst: Callable[[Scene, Alteration], Steps[None]]
) -> Callable[[Scene], Steps[str]]:
    """Bad states, which the node reports."""

    def inject(scene: Scene) -> Steps[str]:
        began = scene.now()
        yield from burst(scene, alteration)
        reported = yield from scene.until_reported(began, 'joint_states', words, REPORTED)
        return verdict(reported, f'diagnostics of joint_states do not say {words!r}')

    return inject


def _many(scene: Scene, alteration: Alteration) -> Steps[None]:
    with scene.robot.altered(alteration):
        yield from scene.seconds(BURST)


def _single(scene: Scene, alteration: Alteration) -> Steps[None]:
    """Not two in a row: the second would be believed, for the robot may really be there."""
    for _ in range(3):
        with scene.robot.altered(alteration):
            yield
        yield from scene.seconds(BURST)


def _not_a_number(message: JointState) -> None:
    message.position[2] = math.nan


def _missing_joint(message: JointState) -> None:
    for field in (message.name, message.position, message.velocity):
        del field[-1]
    message.effort = []


def _no_velocity(message: JointState) -> None:
    message.velocity = [math.nan] * len(message.name)


def _gravity_only(scene: Scene) -> Steps[str]:
    """Position-only hardware: each state is answered, with NaN in place of velocities."""
    if refused := (yield from scene.set(terms=['gravity'])):
        return f'terms: {refused}'
    with scene.robot.altered(_no_velocity, trusted=True):
        answered = yield from scene.until_commanded(lambda a: scene.nominal.gravity(a.q))
        yield from scene.seconds(REPORTED)
    yield from scene.set(terms=['gravity', 'coriolis', 'inertial'])
    return verdict(answered, 'the torque is not that of gravity')


def _one_joint_ceases(scene: Scene) -> Steps[str]:
    """Until the node says so: it holds the arm meanwhile."""
    began = scene.now()
    with scene.robot.altered(_missing_joint, trusted=True):
        reported = yield from scene.until_reported(began, 'joint_states', 'no valid position of')
    return verdict(reported, 'diagnostics of joint_states do not name the joint')


def _in_two_messages(scene: Scene) -> Steps[str]:
    """Each half is answered, and none leaves the joints of the other stale."""
    since = scene.now()
    with scene.robot.halved():
        yield from scene.seconds(REPORTED)
        stale = scene.observer.reported(since, 'joint_states', 'no valid')
    return verdict(not stale, 'states in two messages were stale')


def _leap(message: JointState) -> None:
    message.position[1] += LEAP


def _older(message: JointState) -> None:
    stamp = message.header.stamp
    stamp.sec, stamp.nanosec = divmod(stamp.sec * 10**9 + stamp.nanosec - BACKWARDS, 10**9)


FAULTS = (
    Fault(
        'states pause, on_stale hold',
        'gravity torque of the last state',
        _pause('hold', Robot.silenced),
    ),
    Fault(
        'states pause, on_stale stop',
        'no commands after state_timeout',
        _pause('stop', Robot.silenced),
        silences=True,
    ),
    Fault(
        'states of other joints only',
        'gravity torque of the last state',
        _pause('hold', _states_of_a_gripper),
    ),
    Fault('position NaN', 'diagnostics: finite', _bad(_not_a_number, 'finite', _many)),
    Fault('velocity NaN, gravity only', 'gravity torque, each state answered', _gravity_only),
    Fault(
        'one joint missing',
        'diagnostics: no valid position of it',
        _one_joint_ceases,
        silences=True,
    ),
    Fault('states in two messages', 'diagnostics: not stale', _in_two_messages),
    # What follows a leap is a leap as well: one good state goes without an answer.
    Fault('position jumps', 'diagnostics: jump', _bad(_leap, 'jump', _single), silences=True),
    Fault('stamps backwards', 'diagnostics: stamp', _bad(_older, 'stamp', _single)),
)
