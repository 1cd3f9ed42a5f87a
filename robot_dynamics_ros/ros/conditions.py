"""The conditions of the node: one table of code, level and sentence.

`Health` looks at them a few times a second. A sentence says what holds, with values, and what to
do; it is empty where its condition does not hold.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

import numpy as np

from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.control.torque_text import torque_text, units_of
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed

from .controller import ACTIVE, UNKNOWN_NAME, names_of
from .external import (
    contact_doubts,
    missing_drive_values,
    missing_reaction,
    no_estimate,
    touch_text,
)
from .health import AVERAGED, ERROR, OK, STALE, WARN, Health, Rule

# A joint at its effort limit for so long is reported [s].
SATURATED = 0.5
# A timeout must be longer than so many periods of the states, as one may be late or lost; so many
# are proposed.
FEWEST_PERIODS, PROPOSED_PERIODS = 2.5, 3.0
# At most this many topics in other namespaces are named.
NAMED = 3


# What is commanded


def _not_configured(health: Health) -> str:
    return f'not configured: {health.holder.refusal}' if health.holder.refusal else ''


def _unconfigured(health: Health) -> str:
    if health.holder.refusal:
        return ''
    if health.description.is_given:
        return f'not configured; to configure: {_transition(health, "configure")}'
    topic = health.node.resolve_topic_name('robot_description')
    text = (
        'not configured: waiting for a description: neither robot_description nor '
        'description_file is set, and '
    )
    if names := publishers_of(health, topic):
        return f'{text}{names} publishes on {topic}, but nothing has arrived'
    return (
        f'{text}topic {topic} has no publisher{_elsewhere(health, topic, "std_msgs/msg/String")}'
    )


def _fault(health: Health) -> str:
    fault, on_stop = health.guard.supervisor.fault, health.guard.settings.on_stop
    if not fault:
        return ''
    return f'stopped until ~/enable is called: {fault}; find the cause (on_stop={on_stop})'


def _reaction(health: Health) -> str:
    supervisor, on_collision = health.guard.supervisor, health.guard.settings.on_collision
    if supervisor.fault or not supervisor.collision:
        return ''
    text = f'{supervisor.collision} (on_collision={supervisor.policy})'
    if on_collision != supervisor.policy:
        text += f'; on_collision={on_collision} acts from the next collision on'
    return f'mode {supervisor.policy} until ~/enable is called: {text}'


def _no_effort_limit(health: Health) -> str:
    missing = health.robot.missing_limits()
    return f'cannot be activated: {missing}' if missing and not health.active else ''


def _inactive(health: Health) -> str:
    if health.active or health.commanding or health.robot.missing_limits():
        return ''
    return f'inactive: no torque is commanded; to activate: {_transition(health, "activate")}'


def _disabled(health: Health) -> str:
    supervisor = health.guard.supervisor
    disabled = health.active and not (supervisor.enabled or health.commanding)
    return 'torque disabled: call ~/enable with true' if disabled else ''


def _silent(health: Health) -> str:
    reasons = '; '.join(each.text for each in health.found if each.rule.blocks)
    silent = health.guard.supervisor.running and not health.commanding and reasons
    return f'silent, no torque is commanded: {reasons}' if silent else ''


def _commanding(health: Health) -> str:
    guard = health.guard
    if not (guard.supervisor.running and health.commanding):
        return ''
    terms = ' + '.join(health.robot.feedforward.selected_terms) or 'zero'
    return (
        f'commanding {", ".join(health.robot.joints)} on {health.loop.topic}: {terms}, faded in '
        f'over {guard.settings.fade_time:g} s'
    )


def _begun(health: Health) -> str:
    """Where the present commands have begun; nothing where they continue the last one."""
    start, rule = health.guard.start, health.guard.settings.on_restart
    if not (health.commanding and start.decision):
        return ''
    return f'commands begin at {start.torque} (on_restart={rule}): {start.decision}'


def _no_torque(health: Health) -> str:
    terms = health.robot.feedforward.selected_terms
    if not terms:
        return 'parameter terms is empty: every command is zero'
    if 'gravity' in terms and not np.any(health.robot.dynamics.gravity):
        return (
            'parameter gravity is zero: gravity is not compensated, an arm without brakes falls; '
            'on Earth it is [0.0, 0.0, -9.81] for a base that stands upright'
        )
    zero = _chosen(health.robot.joints, health.guard.limiter.limits == 0.0)
    return f'commands of {zero} are zero: effort_limits is 0' if zero else ''


def _large_offset(health: Health) -> str:
    feedforward, limits = health.robot.feedforward, health.guard.limiter.limits
    if 'friction' not in feedforward.selected_terms:
        return ''
    names = _chosen(health.robot.joints, np.abs(feedforward.offset) > limits)
    text = f'torque_offset of {names} is larger than the effort limit: check its unit, N m or N'
    return text if names else ''


# Messages


def _refused(topic: str) -> Callable[[Health], str]:
    def sentence(health: Health) -> str:
        counters = health.counters[topic]
        if not (health.recent(topic, counters.rejected) or counters.last_rejected):
            return ''
        return f'message on {topic} rejected ({counters.rejected} so far): {counters.last_reason}'

    return sentence


def _left(health: Health) -> str:
    left = health.guard.followed.left
    return f'{left}: dropped, fading to the torque of the measured state' if left else ''


# Joint states


def _no_states(health: Health) -> str:
    if not np.isinf(health.guard.state.times).all():
        return ''
    topic, counters = health.loop.states_topic, health.counters['joint_states']
    names = publishers_of(health, topic)
    if reason := health.loop.incompatible_publishers():
        reason = f'incompatible quality of service of {reason}'
    elif not names:
        other = _elsewhere(health, topic, 'sensor_msgs/msg/JointState')
        reason = f'{topic} has no publisher{other}'
    elif counters.ignored and not counters.used:
        reason = _foreign(health)
    elif counters.last_rejected:
        reason = f'those of {names} on {topic} are rejected'
    else:
        reason = f'{names} publishes on {topic}, but no joint state arrives'
    return f'no valid joint state yet: {reason}'


def _stale(health: Health) -> str:
    guard, state, now = health.guard, health.guard.state, health.now
    ages, old = np.maximum(now - state.times, 0.0), now > state.deadlines
    if not old.any() or np.isinf(ages).any():
        return ''
    if old[health.robot.feedforward.indices].all():
        text = f'no valid joint state for {ages[health.robot.feedforward.indices].max():.2g} s'
    else:
        names = _chosen(health.robot.dynamics.model.joint_names, old)
        text = f'no valid position of {names} for {ages[old].max():.2g} s'
    if (old & (now - state.repeated <= state.timeouts)).any():
        text += ', header.stamp of the states that come stands still'
    elif health.recent('ignored', health.counters['joint_states'].ignored):
        text += f', {_foreign(health)}'
    on_stale = guard.settings.on_stale
    if not guard.supervisor.running:
        return text
    if not health.commanding:
        doing = 'publishing no commands' if on_stale == 'stop' else 'no torque is commanded'
    else:
        terms = [
            t for t in ('gravity', 'friction') if t in health.robot.feedforward.selected_terms
        ]
        held = on_stale == 'hold' and guard.mode is not Mode.ZERO and terms
        doing = (
            f'holding {" and ".join(terms)} of the last one' if held else 'commanding zero torque'
        )
    return f'{text}: {doing} (on_stale={on_stale})'


def _outside(health: Health) -> str:
    state = health.guard.state
    beyond = health.robot.limits.phrase(state.q) if state.complete else ''
    return f'outside the position limits: {beyond}; is the unit rad?' if beyond else ''


def _slow(health: Health) -> str:
    timeout, period = health.guard.settings.state_timeout, 1.0 / health.rate
    if not FEWEST_PERIODS * period > timeout:
        return ''
    return (
        f'{health.slowest} is measured every {period:.2g} s, state_timeout is {timeout:g} s, so '
        'that one late state makes it stale: set state_timeout: '
        f'{PROPOSED_PERIODS * period:.2g}'
    )


def _late(health: Health) -> str:
    new = health.recent('late', health.counters['joint_states'].late)
    return f'{new} joint states waited longer than state_timeout in the last second' if new else ''


def _wait_unknown(health: Health) -> str:
    if health.loop.knows_wait:
        return ''
    return (
        'states that have waited longer than state_timeout are not detected: the middleware gives '
        'no time of reception, and header.stamp is not of the clock of this node'
    )


# What applies the commands


def _inhibited(*, interrupts: bool) -> Callable[[Health], str]:
    def sentence(health: Health) -> str:
        return '; '.join(
            each.reason
            for concern, each in list(health.guard.supervisor.inhibitions.items())
            # Named by the row `other_publishers`.
            if concern != 'publishers' and each.interrupts is interrupts
        )

    return sentence


def _controller_active(health: Health) -> str:
    questions = health.controller.questions
    active = health.active and questions is not None and questions.state == ACTIVE
    return f'controller {health.controller.text()}' if active else ''


def _unwatched(health: Health) -> str:
    reason = health.controller.unwatched
    if not (reason and health.active):
        return ''
    return (
        f'controller {health.controller.text()}, {reason}: a controller that is activated later '
        'applies the full torque in its first cycle'
    )


def _receivers(health: Health) -> str:
    if not health.active:
        return ''
    names = sorted({name for name in health.controller.subscribers if UNKNOWN_NAME not in name})
    received = f', received by {", ".join(names)}' if names else ''
    return f'active: torques go to {health.loop.topic}{received}'


def _nobody_listens(health: Health) -> str:
    if health.controller.subscribers or not health.active:
        return ''
    return (
        f'nobody subscribes to {health.loop.topic}: the commands go nowhere; load the controller, '
        'or remap ~/commands to its topic, for example '
        "--remap '~/commands:=/effort_controller/commands'"
    )


def _saturated(health: Health) -> str:
    robot, limiter = health.robot, health.guard.limiter
    wanted, limits = limiter.requested, limiter.limits
    beyond = np.flatnonzero(np.abs(wanted) > limits)
    if not (health.commanding and beyond.size):
        return ''
    units, indices = units_of(robot.dynamics.model, robot.joints), robot.feedforward.indices
    joints = ', '.join(
        f'{robot.joints[index]} (wanted {torque_text(wanted[index], units[index], 4)}, limit '
        f'{torque_text(limits[index], units[index], 4)})'
        for index in beyond
    )
    text = f'at the effort limit for more than {SATURATED:g} s: {joints}'
    # Velocities in deg/s are one cause.
    v, fastest = health.guard.state.v[indices], robot.dynamics.model.velocity_bounds[indices]
    fast = ', '.join(
        f'{robot.joints[index]} {v[index]:.4g} (limit {fastest[index]:.4g})'
        for index in np.flatnonzero(np.abs(v) > fastest)
    )
    question = f'; velocity of {fast}: is the unit rad/s (or m/s), not deg/s (or mm/s)?'
    return text + (question if fast else '')


# The driver, external torques, Pinocchio


def _double_gravity(health: Health) -> str:
    seen = health.guard.double_compensation
    if not (seen.is_gravity and 'gravity' in health.robot.feedforward.selected_terms):
        return ''
    return (
        f'the measured effort exceeds the command by {seen.share:.2f} times gravity: the driver '
        'appears to add gravity too; remove gravity from parameter terms'
    )


def _efforts_missing(health: Health) -> str:
    estimate = health.guard.external
    if estimate is None:
        return ''
    seen, _ = health.growth('efforts', estimate.drives.seen, AVERAGED)
    return missing_drive_values(health.robot.joints, seen)


def _tare_dropped(health: Health) -> str:
    estimate = health.guard.external
    if estimate is None or not estimate.tare.dropped:
        return ''
    return (
        f'{estimate.tare.dropped} was changed after ~/zero_external: nothing is taken off any '
        'more, call it again at rest'
    )


def _still_touched(health: Health) -> str:
    """A collision that no reaction follows: it began before activation or ~/enable."""
    guard = health.guard
    if guard.supervisor.collision or not guard.supervisor.active:
        return ''
    with health.holder.lock:
        clause = missing_reaction(guard)
        touch = touch_text(guard) if clause else ''
    return f'the arm is still touched: {touch}{clause}' if touch else ''


def _disagreement(health: Health) -> str:
    report = health.robot.report
    return '' if report is None or report.agrees else str(report)


# A row `silent` comes after those that are reasons of silence.
RULES = (
    Rule('refused', 'model', ERROR, _not_configured, configured=False, logged=False),
    Rule('unconfigured', 'model', WARN, _unconfigured, configured=False, waits=True),
    Rule('fault', 'model', ERROR, _fault),
    Rule('reaction', 'model', ERROR, _reaction),
    Rule('no_effort_limit', 'model', ERROR, _no_effort_limit),
    Rule('disabled', 'model', WARN, _disabled),
    Rule('no_torque', 'model', WARN, _no_torque),
    Rule('large_offset', 'model', WARN, _large_offset),
    Rule(
        'description_refused',
        'robot_description',
        WARN,
        _refused('robot_description'),
        configured=None,
    ),
    Rule(
        'description_unused', 'robot_description', WARN, lambda health: health.description.unused()
    ),
    Rule('states_refused', 'joint_states', WARN, _refused('joint_states')),
    Rule('no_states', 'joint_states', STALE, _no_states, blocks=True),
    Rule(
        'joints_missing',
        'joint_states',
        STALE,
        lambda health: health.robot.never_measured(),
        blocks=True,
    ),
    Rule('stale', 'joint_states', STALE, _stale, 'joint states are valid again', blocks=True),
    Rule('outside_limits', 'joint_states', WARN, _outside),
    Rule('reference_refused', 'reference', WARN, _refused('reference')),
    Rule('reference_left', 'reference', WARN, _left),
    Rule(
        'other_publishers',
        'commands',
        ERROR,
        lambda health: health.publishers.text(),
        'no other publisher of commands any more',
        blocks=True,
    ),
    Rule('interrupted', 'commands', WARN, _inhibited(interrupts=True), blocks=True),
    Rule('inhibited', 'commands', ERROR, _inhibited(interrupts=False), blocks=True),
    Rule('nobody_listens', 'commands', WARN, _nobody_listens, waits=True),
    Rule('saturated', 'commands', WARN, _saturated, after=SATURATED),
    Rule('unwatched', 'commands', WARN, _unwatched),
    Rule('silent', 'model', WARN, _silent, waits=True),
    Rule('double_gravity', 'driver gravity', WARN, _double_gravity),
    Rule(
        'no_external_torques',
        'external forces',
        WARN,
        lambda health: no_estimate(health.robot),
        'external torques are estimated again',
    ),
    Rule('tare_dropped', 'external forces', WARN, _tare_dropped),
    Rule(
        'contact_settings',
        'external forces',
        WARN,
        lambda health: '; '.join(contact_doubts(health.robot, health.rate)),
    ),
    Rule('efforts_missing', 'external forces', WARN, _efforts_missing, after=AVERAGED),
    Rule('still_touched', 'external forces', WARN, _still_touched),
    # Logged by who has compared.
    Rule('disagreement', 'cross-check', ERROR, _disagreement, logged=False),
    Rule('states_slow', 'timing', WARN, _slow, after=AVERAGED),
    Rule('states_late', 'timing', WARN, _late),
    Rule('wait_unknown', 'timing', WARN, _wait_unknown),
    Rule('inactive', 'model', OK, _inactive),
    Rule('receivers', '', OK, _receivers),
    Rule('controller_active', '', OK, _controller_active),
    Rule('commanding', 'model', OK, _commanding),
    Rule('begun', 'model', OK, _begun),
)


# Phrases


def publishers_of(health: Health, topic: str) -> str:
    """The nodes that publish a topic; empty for none."""
    return ', '.join(sorted(set(names_of(health.node.get_publishers_info_by_topic(topic)))))


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


def _elsewhere(health: Health, topic: str, message_type: str) -> str:
    """Topics of the same name in other namespaces that have a publisher, and what to do."""
    last = topic.rpartition('/')[2]
    found = sorted(
        name
        for name, types in health.node.get_topic_names_and_types()
        if name != topic
        and name.rpartition('/')[2] == last
        and message_type in types
        and health.node.count_publishers(name)
    )
    if not found:
        return ''
    verb, namespace = 'has' if len(found) == 1 else 'have', found[0].rpartition('/')[0]
    start = f'start the node in namespace {namespace}, or ' if namespace else ''
    return f'; {listed(found[:NAMED])} {verb} a publisher: {start}remap {topic}:={found[0]}'
