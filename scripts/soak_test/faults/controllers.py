"""What can happen behind the command topic: controllers and other subscribers come and go."""

from __future__ import annotations

import signal
from collections.abc import Callable

from scene import CHANGE_LIMIT, DIAGNOSTICS_LIMIT, Scene, Steps
from schedule import SEEN, Fault, verdict

# How long nothing must come until a node counts as silent [s].
SILENCE = 0.2
# A process that was killed is known until its lease ends: config/fastdds.xml [s].
LEASE = 3.0
# What a process takes to start, and to be discovered, on a busy machine [s].
START_LIMIT = 15.0


def _ends(number: signal.Signals) -> Callable[[Scene], Steps[str]]:
    """The process of the controller ends by a signal, and is started again."""

    def inject(scene: Scene) -> Steps[str]:
        began = scene.now()
        scene.controller.send(number)
        scene.robot.driven = False
        yield from scene.until(scene.controller.ended, CHANGE_LIMIT)
        missed = yield from _interrupted(scene, began, 'has ended')
        scene.controller.start()
        begun = yield from _begins_again(scene)
        return missed or begun

    return inject


def _interrupted(scene: Scene, began: int, words: str) -> Steps[str]:
    """SEEN where diagnostics give the reason, and the commands have ceased."""

    def reported() -> bool:
        return scene.observer.reported(began, 'commands', words)

    # The reason first: on a busy machine commands may pause before.
    if not (yield from scene.until(reported, LEASE + DIAGNOSTICS_LIMIT)):
        return f'diagnostics of commands do not say {words!r}'
    if not (yield from scene.silent(SILENCE, CHANGE_LIMIT)):
        return 'the commands did not cease'
    # No robot has the last command any more.
    scene.observer.rules.begin_anew()
    return SEEN


def _begins_again(scene: Scene) -> Steps[str]:
    """SEEN where commands begin from no torque, and lead to that of the state."""
    commands = scene.observer.commands
    silent_since = commands[-1].time
    yield from scene.until(lambda: commands[-1].time > silent_since, START_LIMIT)
    scene.robot.driven = True
    if not (yield from scene.recovered(START_LIMIT)):
        return 'commands did not begin again'
    first = scene.observer.since(silent_since)[0].torque
    return verdict(not first.any(), f'the first command was {first.round(3)}, not zero')


FAULTS = (
    Fault(
        'controller ends, returns',
        'silence; zero torque first when it is back',
        _ends(signal.SIGINT),
        silences=True,
    ),
    Fault(
        'controller is killed, returns',
        'silence after its lease; zero torque first',
        _ends(signal.SIGKILL),
        silences=True,
    ),
)
