"""What Python can do to the arrays of a bound step, and to the step: an error, never a crash."""

import subprocess
import sys

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

CHANGES = {
    'resized input': (lambda q, out: q.resize(2, refcheck=False), 'q .* 2 .* 4 '),
    'emptied input': (lambda q, out: q.resize(0, refcheck=False), 'q .* 0 .* 4 '),
    'resized output': (lambda q, out: out.resize((2, 2), refcheck=False), r'out has shape \(2, 2'),
    'emptied output': (lambda q, out: out.resize((0, 4), refcheck=False), r'out has shape \(0, 4'),
    'shape of an input': (lambda q, out: set_shape(q, (2, 2)), r'q has shape \(2, 2\)'),
    'shape of the output': (lambda q, out: set_shape(out, (16,)), r'out has shape \(16,\)'),
    'type of an input': (lambda q, out: set_type(q, np.complex64), 'q holds complex64 values'),
    'type of the output': (lambda q, out: set_type(out, np.int64), 'out is a int64 array'),
    'read-only output': (lambda q, out: out.setflags(write=False), 'out is read-only'),
}


def set_shape(array, shape):
    array.shape = shape


def set_type(array, dtype):
    array.dtype = dtype


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('change', CHANGES)
def test_an_array_that_was_changed_after_bind_is_refused(dynamics, change):
    change, message = CHANGES[change]
    q, out = np.array([0.1, 0.2, 0.3, 0.4]), np.full((4, 4), 7.0)
    step = dynamics.bind('mass_matrix', q, out=out)
    change(q, out)
    before = out.tobytes()
    with pytest.raises(StateError, match=message):
        step()
    assert out.tobytes() == before


# Everything of ours that can be reached by attributes and items from a step and a call is changed
# in every way that it allows; then all is called again. Only errors may come of it.
TAMPER = """
import gc, sys, types
import numpy as np
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

MODEL = parse_urdf(sys.stdin.read())
N = MODEL.size
VALUES = (None, 0, 12345, (), np.zeros(0), '<f4', (1, -1), print)
METHODS = ('clear', 'close', 'detach', '_dispose', 'release', '__del__', 'pop', '__exit__')

def attempt(function, *arguments):
    try:
        return function(*arguments)
    except Exception:
        return None

def subjects():
    dynamics = RobotDynamics(MODEL, backend='native')
    arrays = np.full(N, 0.1), np.zeros(N), np.zeros(N)
    step = dynamics.bind('bias_torque', *arrays[:2], out=arrays[2])
    call = dynamics._call['bias_torque']
    return dynamics._call.kernel('bias_torque'), step, call

def names(thing):
    ours = [name for name in dir(thing) if not name.startswith('__')]
    return [*ours, '__self__', '__func__', '__closure__', '__dict__', '__module__', '__wrapped__']

def reached(roots):
    found, level, seen = [], list(roots), set()
    for _ in range(4):
        below = []
        for thing in level:
            builtin = isinstance(thing, types.BuiltinFunctionType)
            if id(thing) in seen or isinstance(thing, (str, int, float, type, types.ModuleType)):
                continue
            if builtin and type(thing.__self__).__name__ != 'Entry':
                continue
            if '.model' in type(thing).__module__ or 'expression' in type(thing).__module__:
                continue
            seen.add(id(thing))
            found.append(thing)
            below += [attempt(getattr, thing, name) for name in names(thing)]
            if isinstance(thing, (tuple, list)) and len(thing) < 20:
                below += thing
            elif isinstance(thing, dict):
                below += thing.values()
            elif isinstance(thing, np.ndarray) and thing.dtype == object:
                below += thing.ravel().tolist()
        level = below
    return found

def use(kernel, step, call):
    good = [np.full(N, 0.1), np.zeros(N), np.array([0.0, 0.0, -9.81])]
    for _ in range(3):
        attempt(step)
        attempt(call, *good, None)
        attempt(call, *good, np.zeros(N))
        attempt(call, None, 1, 'x', None)
        attempt(call)
        attempt(lambda: kernel.bind(good, np.zeros(N))())
        attempt(lambda: kernel.call(*good, None))
        rows = [np.tile(vector, (9, 1)) for vector in good[:2]]
        attempt(lambda: kernel.call(*rows, good[2], None))

def changes(thing):
    for value in (*VALUES, [1, 2], 1e300):
        yield lambda: [thing.__setitem__(index, value) for index in range(len(thing))]
    for method in METHODS:
        yield lambda: getattr(thing, method)()
    for size in (0, 1, 3, 10**6):
        yield lambda: thing.resize(size, refcheck=False)
    yield lambda: thing.setflags(write=False)
    for name in names(thing):
        for value in VALUES:
            yield lambda: setattr(thing, name, value)
        yield lambda: delattr(thing, name)
    if isinstance(thing, types.BuiltinFunctionType):
        # The method of compiled code, which makes functions that are then used.
        for value in (None, (), object(), thing, np.zeros(N), np.zeros(9), np.zeros((1, 1, 1))):
            for count in range(7):
                yield lambda: use_result(thing(*(value,) * count))

def use_result(result):
    if callable(result):
        attempt(result)
        attempt(result, None)

tried = 0
for index in range(len(reached(subjects()))):
    mine = subjects()
    things = reached(mine)
    if index < len(things):
        for change in changes(things[index]):
            attempt(change)
            tried += 1
        gc.collect()
        use(*mine)
        del change
    del mine, things
    gc.collect()
methods = {thing.__name__ for thing in reached(subjects()) if hasattr(thing, '__self__')}
print('alive after', tried, *sorted(methods & {'rows', 'with_fallback'}))
"""


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_nothing_that_can_be_reached_crashes_the_process():
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-W', 'ignore', '-c', TAMPER],
        input=hand_written('pendulum').text,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    answer = result.stdout.split()
    assert answer[:2] == ['alive', 'after'], f'{result.returncode}: {result.stderr[-3000:]}'
    assert int(answer[2]) > 1000
    assert answer[3:] == ['rows', 'with_fallback']
