"""The conditions of the node: one table of code, level and sentence.

`Health` looks at them a few times a second, for log and diagnostics. A sentence says what holds,
with values, and what to do; it is empty where its condition does not hold.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.estimate import PASSING
from robot_dynamics_ros.control.supervisor import State, Target
from robot_dynamics_ros.control.torque_text import torque_text, units_of
from robot_dynamics_ros.core.checks import Array

from .endpoints import names_of
from .external import contact_text
from .health import ERROR, OK, STALE, WARN, Health, Rule
from .robot import REFUSALS

# A joint at its effort limit for so long is reported [s].
SATURATED = 0.5
# The rate of the states is averaged over this time [s].
AVERAGED = 2.0
# A timeout must be longer than so many periods of the states, as one may be late or lost; so many
# are proposed.
FEWEST_PERIODS, PROPOSED_PERIODS = 2.5, 3.0


MODEL, STATES, COMMANDS = 'model', 'joint_states', 'commands'
EXTERNAL, TIMING = 'external forces', 'timing'
# The table: one row for each function below, in their order.
RULES: list[Rule] = []

Sentence = Callable[[Health], str]


def condition(code: str, status: str, level: bytes, **more: Any) -> Callable[[Sentence], Sentence]:
    """Make the decorated sentence a row of the table; arguments as of `Rule`."""

    def add(sentence: Sentence) -> Sentence:
        RULES.append(Rule(code, status, level, sentence, **more))
        return sentence

    return add


# What is commanded


@condition('refused', MODEL, ERROR, configured=False, logged=False)
def _refused(health: Health) -> str:
    if not health.holder.refusal or health.node.ended:
        return ''
    again = _transition(health, 'configure')
    return f'not configured: {health.holder.refusal}; to configure again: {again}'


@condition('unconfigured', MODEL, WARN, configured=False, waits=True)
def _unconfigured(health: Health) -> str:
    if health.holder.refusal or health.node.ended:
        return ''
    if health.description.is_given:
        return f'not configured; to configure: {_transition(health, "configure")}'
    topic = health.node.resolve_topic_name('robot_description')
    return (
        'not configured: waiting for a description: neither robot_description nor '
        f'description_file is set, and {_unheard(health, topic, "std_msgs/msg/String")}'
    )


@condition('fault', MODEL, ERROR)
def _fault(health: Health) -> str:
    fault, on_stop = health.guard.supervisor.fault, health.guard.settings.on_stop
    if not fault:
        return ''
    return f'stopped until ~/enable is called: {fault} (on_stop={on_stop})'


@condition('reaction', MODEL, ERROR)
def _reaction(health: Health) -> str:
    supervisor = health.guard.supervisor
    if supervisor.fault or not supervisor.reaction:
        return ''
    return f'REACTING until ~/enable is called: {supervisor.reaction}'


def _not_activated(code: str) -> Sentence:
    def sentence(health: Health) -> str:
        refusal = '' if health.active else health.robot.refusals().get(code)
        return f'cannot be activated: {refusal}' if refusal else ''

    return sentence


for _code in REFUSALS:
    condition(_code, MODEL, ERROR)(_not_activated(_code))


@condition('inactive', MODEL, OK)
def _inactive(health: Health) -> str:
    if health.active or health.commanding or health.robot.refusals():
        return ''
    return f'SILENT: inactive; to activate: {_transition(health, "activate")}'


@condition('no_clock', COMMANDS, ERROR, waits=True, blocks=True)
def _no_clock(health: Health) -> str:
    if health.holder.clock.ticks:
        return ''
    return f'use_sim_time is true, and {_unheard(health, "/clock", "rosgraph_msgs/msg/Clock")}'


@condition('disabled', MODEL, WARN)
def _disabled(health: Health) -> str:
    enabled = health.guard.supervisor.enabled or health.commanding
    return 'torque disabled: call ~/enable with true' if health.active and not enabled else ''


@condition('commanding', MODEL, OK)
def _commanding(health: Health) -> str:
    guard, supervisor = health.guard, health.guard.supervisor
    if not health.commanding:
        return ''
    target = ' + '.join(health.robot.feedforward.selected_terms) or 'zero'
    text = (
        f'{supervisor.state.name} ({supervisor.event.name.lower()}): '
        f'{", ".join(health.robot.joints)} on {health.loop.topic}, target '
        f'{target if guard.target is Target.TERMS else guard.target.value}'
    )
    if supervisor.state is State.TRACKING and guard.limiter.fading:
        text += f', begun at {guard.start.torque} (on_restart={guard.settings.on_restart})'
    return text


@condition('no_gravity', MODEL, WARN)
def _no_gravity(health: Health) -> str:
    selected = 'gravity' in health.robot.feedforward.selected_terms
    if not selected or np.any(health.robot.dynamics.gravity):
        return ''
    return 'parameter gravity is zero: the arm is not held; on Earth it is about 9.81 m/s^2'


# Messages


def _rejected(topic: str) -> Sentence:
    def sentence(health: Health) -> str:
        counters = health.counters[topic]
        if not (health.recent(topic, counters.rejected) or counters.last_rejected):
            return ''
        return f'message on {topic} rejected ({counters.rejected} so far): {counters.last_reason}'

    return sentence


condition('description_refused', 'robot_description', WARN, configured=None)(
    _rejected('robot_description')
)
condition('states_refused', STATES, WARN)(_rejected(STATES))
condition('reference_refused', 'reference', WARN)(_rejected('reference'))


@condition('description_unused', 'robot_description', WARN)
def _description_unused(health: Health) -> str:
    return health.description.unused()


@condition('joints_missing', STATES, STALE, blocks=True)
def _joints_missing(health: Health) -> str:
    return health.robot.never_measured()


@condition('reference_left', 'reference', WARN)
def _reference_left(health: Health) -> str:
    left = health.guard.followed.left
    return f'{left}: dropped, fading to the torque of the measured state' if left else ''


@condition('no_states', STATES, STALE, blocks=True)
def _no_states(health: Health) -> str:
    if not np.isinf(health.guard.state.times).all():
        return ''
    topic, counters = health.loop.states.topic, health.counters['joint_states']
    if reason := health.loop.states.incompatible_publishers():
        reason = f'incompatible quality of service of {reason}'
    elif counters.ignored and not counters.used:
        reason = _foreign(health)
    elif counters.last_rejected:
        reason = f'those on {topic} are rejected'
    else:
        reason = _unheard(health, topic, 'sensor_msgs/msg/JointState')
    return f'no valid joint state yet: {reason}'


@condition('stale', STATES, STALE, over='joint states are valid again', blocks=True)
def _stale(health: Health) -> str:
    guard, state, now = health.guard, health.guard.state, health.time
    indices = health.robot.feedforward.indices
    ignored = health.recent('ignored', health.counters['joint_states'].ignored)
    ages, old = np.maximum(now - state.times, 0.0)[indices], (now > state.deadlines)[indices]
    if not old.any() or np.isinf(ages).any():
        return ''
    if old.all():
        text = f'no valid joint state for {ages.max():.2g} s'
    else:
        text = (
            f'no valid position of {_chosen(health.robot.joints, old)} for {ages[old].max():.2g} s'
        )
    repeated = (now - state.repeated <= state.timeouts)[indices]
    if (old & repeated).any():
        text += ', header.stamp of the states that come stands still'
    elif ignored:
        text += f', {_foreign(health)}'
    name, target = guard.supervisor.state.name, guard.target.value
    return f'{text}: {name}, target {target} (on_stale={guard.settings.on_stale})'


@condition('joints_silent', STATES, WARN)
def _joints_silent(health: Health) -> str:
    state = health.guard.state
    silent = health.time > state.deadlines
    silent[health.robot.feedforward.indices] = False
    if state.missing.any() or not silent.any():
        return ''
    names = _chosen(health.robot.dynamics.model.joint_names, silent)
    age = (health.time - state.times[silent]).max()
    return f'{names} not measured for {age:.2g} s: taken to stay at the last position'


@condition('states_of_two', STATES, WARN)
def _states_of_two(health: Health) -> str:
    topic, counters = health.loop.states.topic, health.counters['joint_states']
    # A publisher that begins anew counts once.
    if health.growth('unordered', counters.unordered, AVERAGED)[0] < 2:
        return ''
    names = names_of(health.node.get_publishers_info_by_topic(topic))
    return (
        f'the same joints on {topic} come from several publishers, the torque is of each in turn: '
        f'stop or remap all but one of {", ".join(sorted(names))}'
    )


@condition('outside_limits', STATES, WARN)
def _outside_limits(health: Health) -> str:
    state = health.guard.state
    beyond = state.limits.phrase(state.q) if state.complete else ''
    return f'outside the position limits: {beyond}; is the unit rad?' if beyond else ''


@condition('states_slow', TIMING, WARN, after=AVERAGED)
def _states_slow(health: Health) -> str:
    """Of the joint that is measured least often; not of states that begin within the window."""
    timeout, counts = health.guard.settings.state_timeout, health.guard.state.counts
    counts = counts[health.robot.feedforward.indices]
    new, elapsed = health.growth('states', counts, AVERAGED)
    slowest = int(new.argmin())
    if elapsed < 0.9 * AVERAGED or not 0 < new[slowest] < counts[slowest]:
        return ''
    period = elapsed / float(new[slowest])
    if FEWEST_PERIODS * period <= timeout:
        return ''
    return (
        f'{health.robot.joints[slowest]} is measured every {period:.2g} s, state_timeout is '
        f'{timeout:g} s, so that one late state makes it stale: set state_timeout: '
        f'{PROPOSED_PERIODS * period:.2g}'
    )


@condition('wait_unknown', TIMING, WARN)
def _wait_unknown(health: Health) -> str:
    if health.loop.knows_wait:
        return ''
    return (
        'states that have waited longer than state_timeout are not detected: the middleware gives '
        'no time of reception, and header.stamp is not of the clock of this node'
    )


# What applies the commands


OVER = 'no other publisher of commands any more'


@condition('other_publishers', COMMANDS, ERROR, over=OVER, blocks=True)
def _other_publishers(health: Health) -> str:
    return health.controller.others_text()


def _inhibited(*, interrupts: bool) -> Sentence:
    def sentence(health: Health) -> str:
        return '; '.join(
            each.reason
            for concern, each in list(health.guard.supervisor.inhibitions.items())
            # Named by the row `other_publishers`.
            if concern != 'publishers' and each.interrupts is interrupts
        )

    return sentence


condition('interrupted', COMMANDS, WARN, blocks=True)(_inhibited(interrupts=True))
condition('inhibited', COMMANDS, ERROR, blocks=True)(_inhibited(interrupts=False))


@condition('unwatched', COMMANDS, WARN)
def _unwatched(health: Health) -> str:
    reason = health.controller.unwatched
    if not (reason and health.active):
        return ''
    return (
        f'controller {health.controller.text()}, {reason}: a controller that is activated later '
        'applies the full torque in its first cycle'
    )


@condition('nobody_listens', COMMANDS, WARN, waits=True)
def _nobody_listens(health: Health) -> str:
    sends_efforts = health.node.get_parameter('controller_action').value
    if health.controller.subscribers or sends_efforts or not health.active:
        return ''
    return (
        f'nobody subscribes to {health.loop.topic}: the commands go nowhere; load the controller, '
        'or remap ~/commands to its topic, for example '
        "--remap '~/commands:=/effort_controller/commands'"
    )


@condition('saturated', COMMANDS, WARN, after=SATURATED)
def _saturated(health: Health) -> str:
    robot, limiter = health.robot, health.guard.limiter
    wanted, limits = limiter.requested, limiter.limits
    beyond = np.flatnonzero(np.abs(wanted) > limits)
    if not (health.commanding and beyond.size):
        return ''
    units = units_of(robot.dynamics.model, robot.joints)
    joints = ', '.join(
        f'{robot.joints[index]} (wanted {torque_text(wanted[index], units[index], 4)}, limit '
        f'{torque_text(limits[index], units[index], 4)})'
        for index in beyond
    )
    text = f'at the effort limit for more than {SATURATED:g} s: {joints}'
    # Velocities in deg/s are one cause.
    indices = robot.feedforward.indices
    v, fastest = health.guard.state.v[indices], robot.dynamics.model.velocity_bounds[indices]
    fast = _chosen(robot.joints, np.abs(v) > fastest)
    return text + (f'; {fast} above the velocity limit: is the unit rad/s or m/s?' if fast else '')


@condition('friction_dropped', COMMANDS, WARN)
def _friction_dropped(health: Health) -> str:
    dropped = health.robot.feedforward.watch.dropped
    return dropped and (
        f'{dropped}: friction and torque_offset are zero until the arm rests; lower '
        'friction_share, or identify friction again'
    )


# After those that are reasons of silence.
@condition('silent', MODEL, WARN, waits=True)
def _silent(health: Health) -> str:
    reasons = '; '.join(each.text for each in health.found if each.rule.blocks)
    silent = health.guard.supervisor.running and not health.commanding and reasons
    return f'SILENT, no torque is commanded: {reasons}' if silent else ''


# The driver, external torques, Pinocchio


@condition('effort_contradicts', 'driver gravity', WARN)
def _effort_contradicts(health: Health) -> str:
    return health.guard.efforts.contradiction


@condition('no_external_torques', EXTERNAL, WARN, over='external torques are estimated again')
def _no_external_torques(health: Health) -> str:
    estimate = health.guard.external
    if estimate is None or estimate.reason in ('', *PASSING):
        return ''
    return f'no external torques are estimated: {estimate.reason}'


@condition('contact', EXTERNAL, WARN)
def _contact(health: Health) -> str:
    with health.holder.lock:
        return contact_text(health.guard, health.time)


@condition('no_detection', EXTERNAL, WARN)
def _no_detection(health: Health) -> str:
    policy, estimate = health.guard.settings.on_collision, health.guard.external
    thresholds = estimate.settings.thresholds if estimate is not None else None
    if policy == 'report' or (thresholds is not None and thresholds.detects[0]):
        return ''
    return (
        f'on_collision is {policy}, but no collision is detected: set external_observer, and '
        'contact_thresholds or collision_threshold'
    )


@condition('tare_dropped', EXTERNAL, WARN)
def _tare_dropped(health: Health) -> str:
    estimate = health.guard.external
    if estimate is None or not estimate.tare.dropped:
        return ''
    return (
        f'{estimate.tare.dropped} was changed after ~/zero_external: nothing is taken off any '
        'more, call it again at rest'
    )


@condition('disagreement', 'cross-check', ERROR, logged=False)
def _disagreement(health: Health) -> str:
    report = health.robot.report
    return '' if report is None or report.agrees else str(report)


# Phrases


def _unheard(health: Health, topic: str, message_type: str) -> str:
    """Why nothing comes on a topic: who publishes it, or the same name in other namespaces."""
    node = health.node
    if names := sorted(set(names_of(node.get_publishers_info_by_topic(topic)))):
        return f'{", ".join(names)} publishes on {topic}, but nothing arrives'
    last = topic.rpartition('/')[2]
    elsewhere = sorted(
        name
        for name, types in node.get_topic_names_and_types()
        if name.rpartition('/')[2] == last
        and message_type in types
        and node.count_publishers(name)
    )
    if not elsewhere:
        return f'{topic} has no publisher'
    return (
        f'{topic} has no publisher, but {", ".join(elsewhere)} has: start the node in that '
        f'namespace, or remap {topic}:={elsewhere[0]}'
    )


def _foreign(health: Health) -> str:
    named = ', '.join(health.counters['joint_states'].ignored_joints)
    needed = ', '.join(health.robot.dynamics.model.joint_names)
    return f'messages name only {named}, needed are {needed}'


def _chosen(names: Sequence[str], chosen: Array) -> str:
    return ', '.join(names[index] for index in np.flatnonzero(chosen))


def _transition(health: Health, name: str) -> str:
    """How to ask for a transition, in the way that this machine has."""
    node = health.node.get_fully_qualified_name()
    if shutil.which('ros2'):
        return f'ros2 lifecycle set {node} {name}'
    return f'call {node}/change_state with label {name}'
