"""Messages of any type with anything in them, and some that are nearly right."""

from importlib import import_module

from hypothesis import strategies as st
from rosidl_parser.definition import AbstractSequence, Array, BasicType, NamespacedType
from sensor_msgs.msg import JointState
from three_joints import JOINTS

LINKS = ('base', 'shoulder', 'slider', 'hand')
WORDS = (*JOINTS, *LINKS, 'LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED', '', 'gripper')
MODERATE = st.floats(-3.0, 3.0)
NUMBERS = MODERATE | st.floats() | st.sampled_from([0.0, 1e-308, 1e200, -1e308])


def strings():
    return st.sampled_from(WORDS) | st.text(max_size=12)


def _integers(typename):
    unsigned = typename.startswith('u')
    bits = int(typename.removeprefix('u').removeprefix('int'))
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return st.sampled_from([0, 1]) | st.integers(low, high)


def values(slot):
    """What a field of that type can hold."""
    if isinstance(slot, AbstractSequence):
        each = values(slot.value_type)
        return st.lists(each, max_size=5) | st.lists(each, min_size=3, max_size=3)
    if isinstance(slot, Array):
        return st.lists(values(slot.value_type), min_size=slot.size, max_size=slot.size)
    if isinstance(slot, NamespacedType):
        return messages(getattr(import_module('.'.join(slot.namespaces)), slot.name))
    if not isinstance(slot, BasicType):
        return strings()
    if slot.typename == 'boolean':
        return st.booleans()
    return NUMBERS if slot.typename in ('double', 'float') else _integers(slot.typename)


def messages(kind):
    """Messages, or requests, of that type."""
    if kind is JointState:
        return joint_states()
    return anything(kind)


def anything(kind):
    fields = zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True)
    return st.builds(kind, **{name: values(slot) for name, slot in fields})


@st.composite
def _nearly_right(draw):
    # Any of the joints, as one of several drivers sends them.
    count = draw(st.sampled_from([4, 4, 3, 2, 1]))
    message = JointState(name=list(draw(st.permutations([*JOINTS, 'gripper'])))[:count])
    numbers = MODERATE | st.just(float('nan'))
    for field, each in (('position', MODERATE), ('velocity', numbers), ('effort', numbers)):
        setattr(message, field, draw(st.lists(each, min_size=count, max_size=count)))
    for _ in range(draw(st.integers(0, 2))):
        field = draw(st.sampled_from(['name', 'position', 'velocity', 'effort']))
        entries = list(getattr(message, field))
        spoilt = draw(st.sampled_from(['drop', 'add', 'replace', 'empty']))
        entry = draw(strings() if field == 'name' else NUMBERS)
        if spoilt == 'empty':
            entries = []
        elif spoilt == 'add':
            entries.append(entry)
        elif entries:
            index = draw(st.integers(0, len(entries) - 1))
            entries[index : index + 1] = [entry] if spoilt == 'replace' else []
        setattr(message, field, entries)
    message.header.stamp.sec = draw(st.sampled_from([0, 0, 1, 10, -1, 2**31 - 1]))
    return message


def joint_states():
    return _nearly_right() | anything(JointState)
