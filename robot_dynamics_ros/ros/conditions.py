"""The conditions of the node: one table of code, level and more, and the sentence of each.

`Health` looks at them a few times a second, for log and diagnostics. A sentence says what holds,
with values, and what to do; it is empty where its condition does not hold.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.external.estimate import PASSING
from robot_dynamics_ros.control.supervisor import State, Target
from robot_dynamics_ros.control.torque_text import torque_text, units_of
from robot_dynamics_ros.core.checks import Array

from .endpoints import names_of
from .external import contact_text
from .health import ERROR, OK, STALE, WARN, Health, Row
from .robot import REFUSALS

# A joint at its effort limit for so long is reported [s].
SATURATED = 0.5
# The rate of the states is averaged over this time [s].
AVERAGED = 2.0
# A timeout must be longer than so many periods of the states, as one may be late or lost; so many
# are proposed.
FEWEST_PERIODS, PROPOSED_PERIODS = 2.5, 3.0

MODEL, DESCRIPTION, STATES, REFERENCE = 'model', 'robot_description', 'joint_states', 'reference'
COMMANDS, EXTERNAL, TIMING = 'commands', 'external forces', 'timing'
TABLE: dict[str, Row] = {
    'refused': Row(MODEL, ERROR, logged=False),
    'unconfigured': Row(MODEL, WARN, waits=True),
    'fault': Row(MODEL, ERROR),
    'reaction': Row(MODEL, ERROR),
    **dict.fromkeys(REFUSALS, Row(MODEL, ERROR)),
    'inactive': Row(MODEL, OK),
    'no_clock': Row(COMMANDS, ERROR, waits=True, blocks=True),
    'disabled': Row(MODEL, WARN),
    'commanding': Row(MODEL, OK),
    'no_gravity': Row(MODEL, WARN),
    'description_refused': Row(DESCRIPTION, WARN),
    'states_refused': Row(STATES, WARN),
    'reference_refused': Row(REFERENCE, WARN),
    'description_unused': Row(DESCRIPTION, WARN),
    'joints_missing': Row(STATES, STALE, blocks=True),
    'reference_left': Row(REFERENCE, WARN),
    'no_states': Row(STATES, STALE, blocks=True),
    'stale': Row(STATES, STALE, over='joint states are valid again', blocks=True),
    'joints_silent': Row(STATES, WARN),
    'states_of_two': Row(STATES, WARN),
    'outside_limits': Row(STATES, WARN),
    'states_slow': Row(TIMING, WARN, after=AVERAGED),
    'wait_unknown': Row(TIMING, WARN),
    'other_publishers': Row(
        COMMANDS, ERROR, over='no other publisher of commands any more', blocks=True
    ),
    'interrupted': Row(COMMANDS, WARN, blocks=True),
    'inhibited': Row(COMMANDS, ERROR, blocks=True),
    'unwatched': Row(COMMANDS, WARN),
    'nobody_listens': Row(COMMANDS, WARN, waits=True),
    'saturated': Row(COMMANDS, WARN, after=SATURATED),
    'friction_dropped': Row(COMMANDS, WARN),
    'silent': Row(MODEL, WARN, waits=True),
    'effort_contradicts': Row('driver gravity', WARN),
    'no_external_torques': Row(EXTERNAL, WARN, over='external torques are estimated again'),
    'contact': Row(EXTERNAL, WARN),
    'no_detection': Row(EXTERNAL, WARN),
    'tare_dropped': Row(EXTERNAL, WARN),
    'disagreement': Row('cross-check', ERROR, logged=False),
}

# By code; empty where the condition does not hold.
Sentences = dict[str, str]


def sentences(health: Health) -> Sentences:
    """The sentence of each condition that may hold, reasons of silence first."""
    found = {'description_refused': _rejected(health, DESCRIPTION)}
    if not health.configured:
        return found if health.node.ended else found | _unconfigured(health)
    blocking = _blocking(health)
    reasons = '; '.join(filter(None, blocking.values()))
    silent = health.guard.supervisor.running and not health.commanding and reasons
    found['silent'] = f'SILENT, no torque is commanded: {reasons}' if silent else ''
    for subject in (_commands, _messages, _external):
        found |= subject(health)
    return blocking | found


def _unconfigured(health: Health) -> Sentences:
    if refusal := health.holder.refusal:
        again = _transition(health, 'configure')
        return {'refused': f'not configured: {refusal}; to configure again: {again}'}
    text = f'not configured; to configure: {_transition(health, "configure")}'
    if not health.description.is_given:
        topic = health.node.resolve_topic_name('robot_description')
        text = (
            'not configured: waiting for a description: neither robot_description nor '
            f'description_file is set, and {_unheard(health, topic, "std_msgs/msg/String")}'
        )
    return {'unconfigured': text}


def _blocking(health: Health) -> Sentences:
    """Reasons why nothing is commanded."""
    found: Sentences = {}
    if not health.holder.clock.ticks:
        unheard = _unheard(health, '/clock', 'rosgraph_msgs/msg/Clock')
        found['no_clock'] = f'use_sim_time is true, and {unheard}'
    found['joints_missing'] = health.robot.never_measured()
    found['no_states'] = _no_states(health)
    found['stale'] = _stale(health)
    found['other_publishers'] = health.controller.others_text()
    inhibitions = list(health.guard.supervisor.inhibitions.items())
    for code, interrupts in (('interrupted', True), ('inhibited', False)):
        found[code] = '; '.join(
            each.reason
            for concern, each in inhibitions
            # Named by the row `other_publishers`.
            if concern != 'publishers' and each.interrupts is interrupts
        )
    return found


def _commands(health: Health) -> Sentences:
    found: Sentences = {}
    guard, robot, supervisor = health.guard, health.robot, health.guard.supervisor
    if supervisor.fault:
        on_stop = guard.settings.on_stop
        found['fault'] = (
            f'stopped until ~/enable is called: {supervisor.fault} (on_stop={on_stop})'
        )
    elif supervisor.reaction:
        found['reaction'] = f'REACTING until ~/enable is called: {supervisor.reaction}'
    refusals = {} if health.active else robot.refusals()
    for code, refusal in refusals.items():
        found[code] = f'cannot be activated: {refusal}'
    if not (health.active or health.commanding or refusals):
        found['inactive'] = f'SILENT: inactive; to activate: {_transition(health, "activate")}'
    if health.active and not (supervisor.enabled or health.commanding):
        found['disabled'] = 'torque disabled: call ~/enable with true'
    terms = robot.feedforward.selected_terms
    if 'gravity' in terms and not np.any(robot.dynamics.gravity):
        found['no_gravity'] = (
            'parameter gravity is zero: the arm is not held; on Earth it is about 9.81 m/s^2'
        )
    if health.commanding:
        whole = ' + '.join(terms) or 'zero'
        text = (
            f'{supervisor.state.name} ({supervisor.event.name.lower()}): '
            f'{", ".join(robot.joints)} on {health.loop.topic}, target '
            f'{whole if guard.target is Target.TERMS else guard.target.value}'
        )
        if supervisor.state is State.TRACKING and guard.limiter.fading:
            text += f', begun at {guard.start.torque} (on_restart={guard.settings.on_restart})'
        found['commanding'] = text
        found['saturated'] = _saturated(health)
    if dropped := robot.feedforward.watch.dropped:
        found['friction_dropped'] = (
            f'{dropped}: friction and torque_offset are zero until the arm rests; lower '
            'friction_share, or identify friction again'
        )
    reason = health.controller.unwatched
    if reason and health.active:
        found['unwatched'] = (
            f'controller {health.controller.text()}, {reason}: a controller that is activated '
            'later applies the full torque in its first cycle'
        )
    sends_efforts = health.node.get_parameter('controller_action').value
    if health.active and not (health.controller.subscribers or sends_efforts):
        found['nobody_listens'] = (
            f'nobody subscribes to {health.loop.topic}: the commands go nowhere; load the '
            'controller, or remap ~/commands to its topic, for example '
            "--remap '~/commands:=/effort_controller/commands'"
        )
    return found


def _messages(health: Health) -> Sentences:
    found: Sentences = {}
    state, commanded = health.guard.state, health.robot.feedforward.indices
    found['states_refused'] = _rejected(health, STATES)
    found['reference_refused'] = _rejected(health, REFERENCE)
    found['description_unused'] = health.description.unused()
    if left := health.guard.followed.left:
        found['reference_left'] = f'{left}: dropped, fading to the torque of the measured state'
    silent = health.time > state.deadlines
    silent[commanded] = False
    if silent.any() and not state.missing.any():
        names = _chosen(health.robot.dynamics.model.joint_names, silent)
        age = (health.time - state.times[silent]).max()
        found['joints_silent'] = (
            f'{names} not measured for {age:.2g} s: taken to stay at the last position'
        )
    # A publisher that begins anew counts once.
    topic, unordered = health.loop.states.topic, health.counters[STATES].unordered
    if health.growth('unordered', unordered, AVERAGED)[0] >= 2:
        names = ', '.join(sorted(names_of(health.node.get_publishers_info_by_topic(topic))))
        found['states_of_two'] = (
            f'the same joints on {topic} come from several publishers, the torque is of each in '
            f'turn: stop or remap all but one of {names}'
        )
    if beyond := state.limits.phrase(state.q) if state.complete else '':
        found['outside_limits'] = f'outside the position limits: {beyond}; is the unit rad?'
    # Of the joint that is measured least often; not of states that begin within the window.
    timeout, counts = health.guard.settings.state_timeout, state.counts[commanded]
    new, elapsed = health.growth('states', counts, AVERAGED)
    slowest = int(new.argmin())
    if elapsed >= 0.9 * AVERAGED and 0 < new[slowest] < counts[slowest]:
        period = elapsed / float(new[slowest])
        if FEWEST_PERIODS * period > timeout:
            found['states_slow'] = (
                f'{health.robot.joints[slowest]} is measured every {period:.2g} s, state_timeout '
                f'is {timeout:g} s, so that one late state makes it stale: set state_timeout: '
                f'{PROPOSED_PERIODS * period:.2g}'
            )
    if not health.loop.knows_wait:
        found['wait_unknown'] = (
            'states that have waited longer than state_timeout are not detected: the middleware '
            'gives no time of reception, and header.stamp is not of the clock of this node'
        )
    return found


def _external(health: Health) -> Sentences:
    """The driver, external torques, Pinocchio."""
    found: Sentences = {}
    guard, estimate, report = health.guard, health.guard.external, health.robot.report
    found['effort_contradicts'] = guard.efforts.contradiction
    thresholds = None
    if estimate is not None:
        thresholds = estimate.settings.thresholds
        if estimate.reason not in ('', *PASSING):
            found['no_external_torques'] = f'no external torques are estimated: {estimate.reason}'
        with health.holder.lock:
            found['contact'] = contact_text(guard, health.time)
        if dropped := estimate.tare.dropped:
            found['tare_dropped'] = (
                f'{dropped} was changed after ~/zero_external: nothing is taken off any more, '
                'call it again at rest'
            )
    policy = guard.settings.on_collision
    if policy != 'report' and not (thresholds is not None and thresholds.detects[0]):
        found['no_detection'] = (
            f'on_collision is {policy}, but no collision is detected: set external_observer, and '
            'contact_thresholds or collision_threshold'
        )
    if report is not None and not report.agrees:
        found['disagreement'] = str(report)
    return found


def _rejected(health: Health, topic: str) -> str:
    counters = health.counters[topic]
    if not (health.recent(topic, counters.rejected) or counters.last_rejected):
        return ''
    return f'message on {topic} rejected ({counters.rejected} so far): {counters.last_reason}'


def _no_states(health: Health) -> str:
    if not np.isinf(health.guard.state.times).all():
        return ''
    topic, counters = health.loop.states.topic, health.counters[STATES]
    if reason := health.loop.states.incompatible_publishers():
        reason = f'incompatible quality of service of {reason}'
    elif counters.ignored and not counters.used:
        reason = _foreign(health)
    elif counters.last_rejected:
        reason = f'those on {topic} are rejected'
    else:
        reason = _unheard(health, topic, 'sensor_msgs/msg/JointState')
    return f'no valid joint state yet: {reason}'


def _stale(health: Health) -> str:
    guard, state, now = health.guard, health.guard.state, health.time
    indices = health.robot.feedforward.indices
    ignored = health.recent('ignored', health.counters[STATES].ignored)
    ages, old = np.maximum(now - state.times, 0.0)[indices], (now > state.deadlines)[indices]
    if not old.any() or np.isinf(ages).any():
        return ''
    whose = 'joint state' if old.all() else f'position of {_chosen(health.robot.joints, old)}'
    text = f'no valid {whose} for {ages[old].max():.2g} s'
    repeated = (now - state.repeated <= state.timeouts)[indices]
    if (old & repeated).any():
        text += ', header.stamp of the states that come stands still'
    elif ignored:
        text += f', {_foreign(health)}'
    name, target = guard.supervisor.state.name, guard.target.value
    return f'{text}: {name}, target {target} (on_stale={guard.settings.on_stale})'


def _saturated(health: Health) -> str:
    robot, limiter = health.robot, health.guard.limiter
    wanted, limits = limiter.requested, limiter.limits
    beyond = np.flatnonzero(np.abs(wanted) > limits)
    if not beyond.size:
        return ''
    units = units_of(robot.dynamics.model, robot.joints)
    joints = ', '.join(
        f'{robot.joints[index]} (wanted {torque_text(wanted[index], units[index], 4)}, limit '
        f'{torque_text(limits[index], units[index], 4)})'
        for index in beyond
    )
    # Velocities in deg/s are one cause.
    indices = robot.feedforward.indices
    v, fastest = health.guard.state.v[indices], robot.dynamics.model.velocity_bounds[indices]
    fast = _chosen(robot.joints, np.abs(v) > fastest)
    fast = fast and f'; {fast} above the velocity limit: is the unit rad/s or m/s?'
    return f'at the effort limit for more than {SATURATED:g} s: {joints}{fast}'


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
    return f'dynamics_client {name} --node {node}'
