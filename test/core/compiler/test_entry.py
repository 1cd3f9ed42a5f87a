"""Calls of a compiled kernel from Python: whatever is passed, an answer or an error, no crash."""

import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.scalar import require_positive

needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

X, Y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25])
PRODUCTS = np.outer(X, Y)


@pytest.fixture(autouse=True, scope='module')
def few_objects_to_search():
    """Tests search for garbage: they need not visit what the tests before them have left."""
    gc.freeze()


def products(x, y):
    require_positive(x[0], x[0] + 100.0, 'x is too small')
    return [[a * b for b in y] for a in x]


@pytest.fixture(scope='module')
def machine_code():
    """Of the products of the entries of x (3,) and y (2,), (3, 2): its address and scratch."""
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    from robot_dynamics_ros.core.compiler.llvm import compile_program

    engine, address, scratch = compile_program(trace('products', products, {'x': 3, 'y': 2}))
    yield address, scratch
    engine.close()


@pytest.fixture
def new_entry(machine_code):
    """`new_entry(engine)`: an entry; its `with_fallback` makes calls, and steps of arrays."""
    from robot_dynamics_ros.core.compiler._entry import make_entry

    address, scratch = machine_code
    return lambda engine=None: make_entry(address, engine, (3, 2), (3, 2), scratch, 1)


class Fallback:
    """Records how it is called."""

    def __init__(self):
        self.calls = []

    def __call__(self, *arguments, **names):
        self.calls.append((arguments, names))
        return self


@pytest.fixture
def fallback():
    return Fallback()


# What is computed, and what is handed over.


def test_a_call_computes_into_a_new_array_or_that_given(new_entry, fallback):
    call, out, x = new_entry().with_fallback(fallback), np.zeros((3, 2)), X.copy()
    x.flags.writeable = False
    result = call(x, Y, None)
    assert type(result) is np.ndarray
    assert (result.dtype, result.flags.c_contiguous) == (np.float64, True)
    assert np.array_equal(result, PRODUCTS)
    assert call(X, Y, out) is out
    assert np.array_equal(out, PRODUCTS)
    step = new_entry().with_fallback(fallback, (2.0 * X, Y, out))
    assert step() is None
    assert np.array_equal(out, 2.0 * PRODUCTS)
    y = np.array([5e-324, -(2.0**29)])
    assert np.array_equal(call(X, y, None), np.outer(X, y))
    assert not fallback.calls


class Array(np.ndarray):
    """A subclass."""


def misaligned(array):
    result = np.zeros(array.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(array.shape)
    result[...] = array
    return result


# Of an input and of an output alike.
NOT_PLAIN = {
    'a list': lambda array: array.tolist(),
    'a number': lambda array: 1.0,
    'text': lambda array: 'text',
    'the type of arrays': lambda array: np.ndarray,
    'a subclass': lambda array: array.view(Array),
    'a masked array': np.ma.masked_array,
    'float32': lambda array: array.astype(np.float32),
    'complex': lambda array: array.astype(complex),
    'objects': lambda array: array.astype(object),
    'records': lambda array: np.zeros(array.shape, [('x', 'f8')]),
    'the other byte order': lambda array: array.astype(array.dtype.newbyteorder()),
    'one more entry': lambda array: np.zeros((array.shape[0] + 1, *array.shape[1:])),
    'one entry less': lambda array: np.zeros((array.shape[0] - 1, *array.shape[1:])),
    'no entry': lambda array: np.zeros(0),
    'another axis': lambda array: array[np.newaxis],
    'no axis': lambda array: np.array(1.0),
    'sixteen axes': lambda array: np.zeros((1,) * 16),
    'misaligned': misaligned,
    'strided': lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    'backwards': lambda array: array[::-1],
}


def is_left_to(fallback, function, *arguments, **names):
    """Whether a call gives the very same arguments to the fallback, and its answer back."""
    before = len(fallback.calls)
    if function(*arguments, **names) is not fallback:
        return False
    ((got, got_names),) = fallback.calls[before:]
    return got_names == names and [*map(id, got)] == [*map(id, arguments)]


@pytest.mark.parametrize('change', NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_is_not_a_plain_array_is_handed_over(new_entry, fallback, change):
    entry, out = new_entry(), np.full((3, 2), 7.0)
    call = entry.with_fallback(fallback)
    x, y, other = change(X.copy()), change(Y.copy()), change(np.zeros((3, 2)))
    for arguments in ((x, Y, None), (x, Y, out), (X, y, out), (X, Y, other), (x, y, other)):
        assert is_left_to(fallback, call, *arguments)
        before = len(fallback.calls)
        entry.with_fallback(fallback, tuple(arguments))()
        assert fallback.calls[before:] == [((), {})]
    out.flags.writeable = False
    assert is_left_to(fallback, call, X, Y, out)
    assert (out == 7.0).all()


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf, 2.0**30, -(2.0**30), 1e300])
def test_values_out_of_range_are_handed_over_wherever_they_are(new_entry, fallback, bad):
    entry, out = new_entry(), np.full((3, 2), 7.0)
    for index in range(5):
        values = [X.copy(), Y.copy()]
        values[index // 3][index % 3] = bad
        assert is_left_to(fallback, entry.with_fallback(fallback), *values, None)
        assert is_left_to(fallback, entry.with_fallback(fallback, (*values, out)))
    assert is_left_to(fallback, entry.with_fallback(fallback), np.full(3, -101.0), Y, out)
    assert (out == 7.0).all()


@pytest.mark.parametrize('start', range(-3, 7))
def test_an_output_that_overlaps_an_input_does_not_disturb_it(new_entry, start):
    """Memory beside them may be adjacent."""
    memory = np.arange(20.0)
    out, x = memory[6:12].reshape(3, 2), memory[6 + start : 9 + start]
    expected = np.outer(x, Y)

    def copying(x, y, out):
        out[...] = np.outer(x.copy(), y)
        return out

    assert new_entry().with_fallback(copying)(x, Y, out) is out
    assert np.array_equal(out, expected)


def test_other_arguments_are_handed_over(new_entry, fallback):
    call = new_entry().with_fallback(fallback)
    for count in (0, 1, 2, 4, 5, 40):
        assert is_left_to(fallback, call, *[X] * count)
    assert is_left_to(fallback, call, X, Y, out=None)
    assert is_left_to(fallback, call, X, Y, None, more=1)
    step = new_entry().with_fallback(lambda: None, (X, Y, np.zeros((3, 2))))
    for names in ({'out': None}, {'x': X}):
        with pytest.raises(TypeError):
            step(**names)
    with pytest.raises(TypeError):
        step(X)


# What the extension itself refuses.


def test_a_kernel_that_cannot_be_called_is_refused(machine_code, new_entry):
    from robot_dynamics_ros.core.compiler._entry import make_entry

    address, scratch = machine_code
    for arguments, error in (
        ((0, None, (3, 2), (3, 2), scratch, 1), ValueError),
        ((2**64, None, (3, 2), (3, 2), scratch, 1), OverflowError),
        (('text', None, (3, 2), (3, 2), scratch, 1), TypeError),
        ((address, None, [3, 2], (3, 2), scratch, 1), ValueError),
        ((address, None, (3,) * 17, (3, 2), scratch, 1), ValueError),
        ((address, None, (3, 2), (3, 2**70), scratch, 1), OverflowError),
        ((address, None, (3, 2), (3, 2)), TypeError),
    ):
        with pytest.raises(error):
            make_entry(*arguments)
    of_batches = make_entry(address, None, (3, 2), (3, 2), scratch, 4)
    for call in (
        lambda: of_batches.with_fallback(print),
        lambda: new_entry().with_fallback(print, (X, Y)),
        lambda: new_entry().with_fallback(print, [X, Y, PRODUCTS]),
        lambda: new_entry().with_fallback(),
        lambda: new_entry()(X, Y, None),
    ):
        with pytest.raises(TypeError):
            call()


def test_rows_that_cannot_be_read_are_refused(new_entry):
    """By the extension too, whatever `Batch` checks before."""
    entry = new_entry()
    x, y, out = (np.zeros(shape) for shape in ((5, 3), (5, 2), (5, 3, 2)))
    assert entry.rows((x, y), out, False) == 5
    read_only = out.copy()
    read_only.flags.writeable = False
    for inputs, output in (
        ((x,), out),
        ((x, y[:4]), out),
        ((x, y[:, :1]), out),
        ((x, y[:, ::-1]), out),
        ((x, y.astype(int)), out),
        ((x, np.zeros((5, 2, 1))), out),
        ((x, np.zeros(())), out),
        ((x, None), out),
        ((x, y), out[:4]),
        ((x, y), out[:0]),
        ((x, y), out[::-1]),
        ((x, y), np.zeros(())),
        ((x, y), read_only),
        ([x, y], out),
    ):
        with pytest.raises(TypeError):
            entry.rows(inputs, output, False)


# How long they live.


class Engine:
    """Owner of machine code."""


def test_the_engine_lives_as_long_as_a_function_can_be_called(new_entry, fallback):
    engine = Engine()
    gone, entry = weakref.ref(engine), new_entry(engine)
    functions = [
        entry.with_fallback(fallback),
        entry.with_fallback(fallback, (X, Y, PRODUCTS)),
        entry,
    ]
    del engine, entry
    while functions:
        assert gone() is not None
        functions.pop()
    assert gone() is None


@pytest.mark.parametrize('arrays', [(), ((X, Y, PRODUCTS),)], ids=['call', 'step'])
def test_a_dead_cycle_is_collected(new_entry, arrays):
    engine, cycle = Engine(), []
    gone = weakref.ref(engine)
    cycle.append(new_entry(engine).with_fallback(cycle.append, *arrays))
    del engine
    gc.collect()
    assert gone() is not None
    del cycle
    gc.collect()
    assert gone() is None


def test_the_collector_finalises_no_engine_that_can_still_be_called(new_entry):
    """Objects of a dead cycle are finalised in any order."""
    order = []

    class Finalised:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            order.append(('engine', self.number))

    class Caller:
        def __init__(self, entry, number):
            self.itself, self.number = self, number
            self.step = entry.with_fallback(self.fall, (X, Y, np.zeros((3, 2))))

        def fall(self):
            raise AssertionError('handed over')

        def __del__(self):
            self.step()
            order.append(('caller', self.number))

    for number in range(10):
        # The engine is older: it would be finalised first.
        Caller(new_entry(Finalised(number)), number)
    gc.collect()
    assert len(order) == 20
    for number in range(10):
        assert order.index(('caller', number)) < order.index(('engine', number))


CALLS = 10_000


def test_calls_are_neutral(new_entry):
    """Each way through a function, many times: no reference and no block is left."""
    entry, out, bad, engine = new_entry(), np.zeros((3, 2)), np.full(3, np.nan), Engine()

    def fallback(*arguments, **names):
        return None

    call = entry.with_fallback(fallback)
    ways = (
        lambda: call(X, Y, None),
        lambda: call(X, Y, out),
        lambda: call(bad, Y, None),
        lambda: call(X, Y, out=out),
        entry.with_fallback(fallback, (X, Y, out)),
        entry.with_fallback(fallback, (bad, Y, out)),
        lambda: entry.rows((X, Y), out[None], False),
        lambda: entry.with_fallback(fallback, (X, Y, out)),
        lambda: new_entry(engine),
    )
    watched = (X, Y, out, bad, entry, call, fallback, type(call), engine, None)
    for way in ways:
        way()
        before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
        for _ in range(CALLS):
            way()
        after = [sys.getrefcount(x) for x in watched]
        # Caches of the interpreter come and go; one reference a call would be CALLS.
        assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 100
        assert abs(sys.getallocatedblocks() - blocks) < 100


# The same for users.

# The allocator fills what is freed: whoever reads it afterwards crashes.
COLLECT = """
import gc, sys
import numpy as np
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
model = parse_urdf(sys.stdin.read())
q = np.zeros(model.size)
for _ in range(20):
    dynamics = RobotDynamics(model)
    step = dynamics.bind('mass_matrix', q, out=dynamics.mass_matrix(q))
    dynamics.inverse_dynamics(q, q, q)
    del dynamics
    gc.collect()
    step()
    del step
    gc.collect()
print('alive')
"""
# In a subinterpreter, of which NumPy's C API and LLVM know nothing.
SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
from robot_dynamics_ros.core.compiler import _entry

CODE = '''
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
try:
    loader = ExtensionFileLoader('_entry', {path!r})
    loader.exec_module(module_from_spec(spec_from_loader('_entry', loader)))
except ImportError as error:
    assert 'subinterpreters' in str(error), error
else:
    raise AssertionError('it loads')
'''
failure = interpreters.run_string(interpreters.create(), CODE.format(path=_entry.__file__))
assert failure is None, failure
assert _entry.make_entry
print('alive')
"""


@needs_native
@pytest.mark.parametrize('code', [COLLECT, SUBINTERPRETER], ids=['collected', 'subinterpreter'])
def test_nothing_reads_what_is_freed(code):
    """Not after a robot is gone; and subinterpreters are refused."""
    environment = dict(os.environ, PYTHONMALLOC='malloc', MALLOC_PERTURB_='255')
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', code],
        input=hand_written('pendulum').text,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == 'alive', f'{result.returncode}: {result.stderr[-2000:]}'


@pytest.mark.parametrize('loaded', [False, True])
def test_an_unused_robot_is_freed_at_once(backend, loaded):
    """A node exchanges robots while it runs: none may wait for the garbage collector."""
    model = parse_urdf(hand_written('pendulum').text)
    frame = model.frames[-1].name if loaded else None
    dynamics = RobotDynamics(model, backend=backend, payload_frame=frame)
    if loaded:
        dynamics = dynamics.with_payload(frame, 0.1)
    q = np.zeros(dynamics.model.size)
    dynamics.mass_matrix(q)
    step = dynamics.bind('gravity_torque', q, out=np.zeros(dynamics.model.size))
    step()
    gone = weakref.ref(dynamics._call.kernel('gravity_torque'))
    gc.disable()
    try:
        del dynamics
        step()
        assert gone() is not None
        del step
        assert gone() is None
    finally:
        gc.enable()
