"""The objects that call a compiled kernel: what they refuse, and how long they live."""

import copy
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest

X, Y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25])
PRODUCTS = np.outer(X, Y)


class Engine:
    """Owner of machine code."""


def test_a_kernel_that_cannot_be_called_is_refused(machine_code):
    from robot_dynamics_ros.core.compiler._entry import make_entry

    address, scratch = machine_code
    for arguments, error in (
        ((0, None, (3, 2), (3, 2), scratch, 1), ValueError),
        ((2**64, None, (3, 2), (3, 2), scratch, 1), OverflowError),
        (('text', None, (3, 2), (3, 2), scratch, 1), TypeError),
        ((address, None, [3, 2], (3, 2), scratch, 1), ValueError),
        ((address, None, (3,) * 17, (3, 2), scratch, 1), ValueError),
        ((address, None, (3, 2), (1,) * 17, scratch, 1), ValueError),
        ((address, None, (3, 2), (3, 2.5), scratch, 1), TypeError),
        ((address, None, (3, 2), (3, 2**70), scratch, 1), OverflowError),
        ((address, None, (3, 2), (3, 2)), TypeError),
    ):
        with pytest.raises(error):
            make_entry(*arguments)
    with pytest.raises(TypeError, match='batches'):
        make_entry(address, None, (3, 2), (3, 2), scratch, 4).with_fallback(print)


def test_the_extension_counts_the_arrays(new_code):
    code = new_code()
    with pytest.raises(TypeError, match=r'step.* 3 .* 2'):
        code.step(print, X, Y)
    with pytest.raises(TypeError, match='tuple, not list'):
        code.entry.with_fallback(print, [X, Y, PRODUCTS])
    with pytest.raises(TypeError):
        code.entry.with_fallback()
    with pytest.raises(TypeError):
        code.entry(X, Y, None)


def rows_of(*shapes):
    return [np.zeros(shape) for shape in shapes]


def test_rows_that_cannot_be_read_are_refused(new_code):
    """By the extension too, whatever `Batch` checks before."""
    entry = new_code().entry
    x, y, out = rows_of((5, 3), (5, 2), (5, 3, 2))
    assert (
        entry.rows(
            (
                x,
                y,
            ),
            out,
            False,
        )
        == 5
    )
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
        ((x, y), out[0]),
        ((x, y), np.zeros(())),
        ((x, y), read_only),
        ([x, y], out),
    ):
        with pytest.raises(TypeError):
            entry.rows(inputs, output, False)


def test_objects_of_the_extension_cannot_be_changed_made_or_copied(new_code):
    code = new_code()
    for thing in (code.entry, code.call(print), code.step(print, X, Y, PRODUCTS)):
        kind = type(thing)
        with pytest.raises(AttributeError):
            thing.attribute = 1
        with pytest.raises(AttributeError):
            del thing.fallback
        with pytest.raises(TypeError, match='immutable type'):
            kind.__call__ = print
        with pytest.raises(TypeError, match='cannot create'):
            kind()
        with pytest.raises(TypeError, match=r'not safe|cannot create'):
            object.__new__(kind)
        with pytest.raises(TypeError, match='base type'):
            type('Mine', (kind,), {})
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match='cannot pickle'):
                pickle.dumps(thing, protocol)
        for copied in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match='cannot pickle'):
                copied(thing)


def test_the_engine_lives_as_long_as_a_function_can_be_called(new_code, fallback):
    engine = Engine()
    gone = weakref.ref(engine)
    code = new_code(engine)
    functions = [code.call(fallback), code.step(fallback, X, Y, PRODUCTS), code.entry]
    del engine, code
    while functions:
        assert gone() is not None
        functions.pop()
    assert gone() is None


def test_a_dead_cycle_is_collected(new_code):
    for make in (
        lambda code, fallback: code.call(fallback),
        lambda code, fallback: code.step(fallback, X, Y, np.zeros((3, 2))),
    ):
        engine, cycle = Engine(), []
        gone = weakref.ref(engine)
        cycle.append(make(new_code(engine), cycle.append))
        del engine
        gc.collect()
        assert gone() is not None
        cycle[0]
        del cycle
        gc.collect()
        assert gone() is None


def test_the_collector_finalises_no_engine_that_can_still_be_called(new_code):
    """Objects of a dead cycle are finalised in any order."""
    order = []

    class Finalised:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            order.append(('engine', self.number))

    class Caller:
        def __init__(self, code, number):
            self.itself, self.number = self, number
            self.step = code.step(self.fall, X, Y, np.zeros((3, 2)))

        def fall(self):
            raise AssertionError('handed over')

        def __del__(self):
            self.step()
            order.append(('caller', self.number))

    for number in range(10):
        # The engine is older: it would be finalised first.
        Caller(new_code(Finalised(number)), number)
    gc.collect()
    assert len(order) == 20
    for number in range(10):
        assert order.index(('caller', number)) < order.index(('engine', number))


CALLS = 100_000


def test_calls_are_neutral(new_code):
    """Each way through a function, many times: no reference and no block is left."""
    code, out, bad = new_code(), np.zeros((3, 2)), np.full(3, np.nan)

    def fallback(*arguments, **names):
        return None

    call = code.call(fallback)
    step, bad_step = code.step(fallback, X, Y, out), code.step(fallback, bad, Y, out)
    ways = (
        lambda: call(X, Y, None),
        lambda: call(X, Y, out),
        lambda: call(bad, Y, out),
        lambda: call(bad, Y, None),
        lambda: call(X, Y),
        lambda: call(X, Y, out=out),
        step,
        bad_step,
        lambda: code.entry.rows((X, Y), out[None], False),
        lambda: code.call(fallback),
        lambda: code.step(fallback, X, Y, out),
    )
    watched = (X, Y, out, bad, code.entry, call, step, fallback, type(call), None)
    for way in ways:
        way()
        before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
        for _ in range(CALLS):
            way()
        after = [sys.getrefcount(x) for x in watched]
        # Caches of the interpreter come and go; one reference a call would be CALLS.
        assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 100
        assert abs(sys.getallocatedblocks() - blocks) < 100


def test_refused_kernels_leave_nothing(new_code):
    engine = Engine()
    count = sys.getrefcount(engine)
    for _ in range(1000):
        new_code(engine)
    assert sys.getrefcount(engine) == count


def test_threads_use_one_function_at_once(new_code, fallback):
    call, wrong = new_code().call(fallback), []

    def work(factor):
        x = factor * X
        results = [call(x, Y, None) for _ in range(5000)]
        wrong.extend(result for result in results if not np.array_equal(result, factor * PRODUCTS))

    threads = [threading.Thread(target=work, args=(2.0**i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert not fallback.calls
