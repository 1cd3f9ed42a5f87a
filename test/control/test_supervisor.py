"""The table of transitions: the laws of safety hold over all states and conditions."""

from itertools import product

from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Inhibition, State, Supervisor, Target

MISAPPLIED = Inhibition('other joints', misapplied=True)
INACTIVE = Inhibition('inactive', interrupts=True)
UNKNOWN = Inhibition('not known')
CONDITIONS = {
    'active': (False, True),
    'enabled': (False, True),
    'fault': ('', 'a fault'),
    'collision': ('', 'a collision'),
    'policy': ('hold', 'zero'),
    'double_gravity': ('', 'twice'),
    'inhibition': (None, UNKNOWN, INACTIVE, MISAPPLIED),
    'fresh': (False, True),
    'lost': (False, True),
    'finished': (False, True),
    'on_stale': ('hold', 'zero', 'stop'),
    'on_stop': ('hold', 'zero'),
}


def cases():
    """Every state under all conditions, and what it goes over to."""
    for state, *values in product(State, *CONDITIONS.values()):
        case = dict(zip(CONDITIONS, values, strict=True))
        supervisor = Supervisor()
        if case['collision']:
            supervisor.react(case['collision'], case['policy'])
        for name in ('active', 'enabled', 'fault', 'double_gravity'):
            setattr(supervisor, name, case[name])
        supervisor.state = state
        supervisor.inhibitions.put('test', case['inhibition'])
        settings = Settings(on_stale=case['on_stale'], on_stop=case['on_stop'])
        before = supervisor.target(settings)
        event = supervisor.find(
            settings, fresh=case['fresh'], lost=case['lost'], finished=case['finished']
        )
        running = supervisor.running
        supervisor.enter(event)
        yield case, running, before, supervisor, supervisor.target(settings)


CASES = tuple(cases())


def test_silence_ends_only_where_all_conditions_hold():
    for case, running, before, _, after in CASES:
        if before is not Target.NOTHING or after is Target.NOTHING:
            continue
        assert case['inhibition'] is None
        assert running
        assert case['fresh']


def test_the_terms_are_commanded_only_where_torque_is_wanted_and_the_state_is_fresh():
    for case, running, _, supervisor, after in CASES:
        if after is Target.TERMS:
            assert running
            assert case['fresh']
            assert not supervisor.reaction
            assert not supervisor.double_gravity


def test_nothing_is_commanded_where_nothing_applies_it_and_zero_where_other_joints_get_it():
    for case, _, before, supervisor, after in CASES:
        if case['inhibition'] is INACTIVE:
            assert after is Target.NOTHING
        if case['inhibition'] is MISAPPLIED:
            assert after in (Target.ZERO, Target.NOTHING)
            if before is not Target.NOTHING and after is not Target.NOTHING:
                assert supervisor.fault or not (case['active'] and case['enabled'])


def test_an_end_of_torque_goes_through_the_final_command():
    for case, running, before, _, after in CASES:
        ends = before is not Target.NOTHING and after is Target.NOTHING
        if not ends or case['inhibition'] is INACTIVE:
            continue
        silenced = case['on_stale'] == 'stop' and not case['fresh']
        assert silenced or (case['finished'] and not running)


def test_zero_torque_after_a_collision_stays_zero():
    for case, running, before, _, after in CASES:
        if case['collision'] and case['policy'] == 'zero' and before is Target.ZERO and running:
            assert after in (Target.ZERO, Target.NOTHING)


def test_states_that_are_lost_end_the_terms_and_the_torque_stays_off():
    for case, running, before, supervisor, after in CASES:
        if case['lost'] and before is not Target.NOTHING:
            assert after is not Target.TERMS
            assert supervisor.fault or not running or after is Target.NOTHING


def test_gravity_that_is_compensated_twice_leads_to_zero():
    for case, running, before, supervisor, after in CASES:
        if case['double_gravity'] and before is not Target.NOTHING:
            assert after in (Target.ZERO, Target.NOTHING)
            assert supervisor.fault or not running or after is Target.NOTHING
