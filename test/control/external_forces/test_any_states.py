"""Whatever states come, the estimate raises nothing and gives no number that is not finite."""

import numpy as np
from felt_arm import NONE, FeltArm
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples

MISSING = st.lists(st.booleans(), min_size=3, max_size=3)
EVENTS = st.one_of(
    st.tuples(st.just('states'), st.integers(1, 40)),
    st.tuples(st.just('elapsed'), st.sampled_from([-5.0, 0.0, 1e-9, 0.05, 0.5, 100.0])),
    st.tuples(st.just('no effort'), MISSING),
    st.tuples(st.just('held'), MISSING),
    st.tuples(st.just('no velocity'), st.none()),
    st.tuples(st.just('huge effort'), st.sampled_from([1e6, -1e6, 1e3])),
    st.tuples(st.just('reset'), st.none()),
)


def play(arm, event, value):
    if event == 'states':
        for _ in range(value):
            arm.show()
    elif event == 'elapsed':
        arm.time += value
        arm.show()
    elif event == 'no effort':
        arm.change = lambda effort: np.where(value, np.nan, effort)
        arm.show()
    elif event == 'held':
        arm.show(held=value)
    elif event == 'no velocity':
        arm.show(has_velocity=False)
    elif event == 'huge effort':
        arm.push = np.full(3, value)
        arm.show()
        arm.push = NONE
    else:
        arm.estimate.reset()
    arm.change = lambda effort: effort


@examples(25, deadline=None)
@given(st.lists(EVENTS, max_size=8))
def test_the_estimate_is_finite_or_has_a_reason(events):
    # Without the check of gravity, which takes half a second of states before there are numbers.
    arm = FeltArm(
        driver_gravity_check=False,
        collision_threshold=(1.0, 1.0, 1.0),
        push_threshold=(1.0, 1.0, 1.0),
    )
    for event, value in events:
        play(arm, event, value)
        estimate = arm.estimate
        if not estimate.reason:
            assert np.isfinite(estimate.torque).all()
            assert np.isfinite(estimate.wrench()).all()
        if estimate.contact.state:
            assert not estimate.reason
            assert np.isfinite(estimate.contact_direction()).all()
