"""Calls of a compiled kernel: what is computed, and what is handed over to the fallback."""

import numpy as np
import pytest

X, Y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25])
PRODUCTS = np.outer(X, Y)


def test_a_call_computes_into_a_new_array_or_that_given(new_code, fallback):
    call, out = new_code().call(fallback), np.zeros((3, 2))
    result = call(X, Y, None)
    assert type(result) is np.ndarray
    assert (result.dtype, result.flags.c_contiguous) == (np.float64, True)
    assert np.array_equal(result, PRODUCTS)
    assert call(X, Y, out) is out
    assert np.array_equal(out, PRODUCTS)
    assert np.array_equal(call(*[X, Y, None]), PRODUCTS)
    assert not fallback.calls


def test_a_step_computes_where_its_arrays_lie(new_code, fallback):
    x, y, out = X.copy(), Y.copy(), np.zeros((3, 2))
    step = new_code().step(fallback, x, y, out)
    assert step() is None
    x *= 2.0
    step()
    assert np.array_equal(out, 2.0 * PRODUCTS)
    assert not fallback.calls


def test_an_input_may_be_read_only(new_code, fallback):
    x = X.copy()
    x.flags.writeable = False
    assert np.array_equal(new_code().call(fallback)(x, Y, None), PRODUCTS)


class Array(np.ndarray):
    """A subclass."""


def misaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    result = memory[1:].view(np.float64).reshape(array.shape)
    result[...] = array
    assert not result.flags.aligned
    return result


def strided(array):
    result = np.zeros((*array.shape, 2))[..., 1]
    result[...] = array
    return result


def read_only(array):
    array.flags.writeable = False
    return array


# Of an input and of an output alike.
NOT_PLAIN = {
    'None in a list': lambda array: [None],
    'a list': lambda array: array.tolist(),
    'a number': lambda array: 1.0,
    'text': lambda array: 'text',
    'the type of arrays': lambda array: np.ndarray,
    'a subclass': lambda array: array.view(Array),
    'a masked array': np.ma.masked_array,
    'float32': lambda array: array.astype(np.float32),
    'long double': lambda array: array.astype(np.longdouble),
    'int64': lambda array: array.astype(np.int64),
    'complex': lambda array: array.astype(complex),
    'objects': lambda array: array.astype(object),
    'records': lambda array: np.zeros(array.shape, [('x', 'f8')]),
    'dates': lambda array: np.zeros(array.shape, 'M8[s]'),
    'the other byte order': lambda array: array.astype(array.dtype.newbyteorder()),
    'one more entry': lambda array: np.zeros((array.shape[0] + 1, *array.shape[1:])),
    'one entry less': lambda array: np.zeros((array.shape[0] - 1, *array.shape[1:])),
    'no entry': lambda array: np.zeros(0),
    'another axis': lambda array: array[np.newaxis],
    'no axis': lambda array: np.array(1.0),
    'sixteen axes': lambda array: np.zeros((1,) * 16),
    'misaligned': misaligned,
    'strided': strided,
    'backwards': lambda array: array[::-1],
}


def is_left_to(fallback, function, *arguments, **names):
    """Whether a call gives the very same arguments to the fallback, and its answer back."""
    before = len(fallback.calls)
    answer = function(*arguments, **names)
    if answer is not fallback:
        return False
    (got, got_names), *more = fallback.calls[before:]
    assert not more
    assert got_names == names
    assert len(got) == len(arguments)
    assert all(one is other for one, other in zip(got, arguments, strict=True))
    return True


@pytest.mark.parametrize('change', NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_is_not_a_plain_array_is_handed_over(new_code, fallback, change):
    code, out = new_code(), np.full((3, 2), 7.0)
    call = code.call(fallback)
    x, y, other = change(X.copy()), change(Y.copy()), change(np.zeros((3, 2)))
    for arguments in ((x, Y, None), (x, Y, out), (X, y, out), (X, Y, other), (x, y, other)):
        assert is_left_to(fallback, call, *arguments)
        before = len(fallback.calls)
        bound = [np.array([]) if array is None else array for array in arguments]
        code.step(fallback, *bound)()
        assert fallback.calls[before:] == [((), {})]
    assert (out == 7.0).all()


def test_a_read_only_output_is_handed_over(new_code, fallback):
    out = read_only(np.full((3, 2), 7.0))
    assert is_left_to(fallback, new_code().call(fallback), X, Y, out)
    assert (out == 7.0).all()


@pytest.mark.parametrize('start', range(-3, 7))
def test_an_output_that_overlaps_an_input_does_not_disturb_it(new_code, start):
    """Memory beside them may be adjacent."""
    memory = np.arange(20.0)
    out, x = memory[6:12].reshape(3, 2), memory[6 + start : 9 + start]
    values = x.copy()
    expected = np.outer(values, Y)

    def copying(x, y, out):
        out[...] = np.outer(x.copy(), y)
        return out

    assert new_code().call(copying)(x, Y, out) is out
    assert np.array_equal(out, expected)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf, 2.0**30, -(2.0**30), 1e300, -1e308])
def test_values_out_of_range_are_handed_over_wherever_they_are(new_code, fallback, bad):
    call, out = new_code().call(fallback), np.full((3, 2), 7.0)
    for index in range(5):
        values = [X.copy(), Y.copy()]
        values[index // 3][index % 3] = bad
        assert is_left_to(fallback, call, *values, None)
        assert is_left_to(fallback, call, *values, out)
        before = len(fallback.calls)
        new_code().step(fallback, *values, out)()
        assert len(fallback.calls) == before + 1
    assert (out == 7.0).all()


@pytest.mark.parametrize('good', [0.0, -0.0, 5e-324, -1e-310, 2.0**29, -(2.0**29)])
def test_values_in_range_are_computed(new_code, fallback, good):
    y = np.array([good, 1.0])
    assert np.array_equal(new_code().call(fallback)(X, y, None), np.outer(X, y))


def test_no_result_leaves_the_output_and_is_handed_over(new_code, fallback):
    code, x, out = new_code(), np.array([-101.0, 1.0, 1.0]), np.full((3, 2), 7.0)
    assert is_left_to(fallback, code.call(fallback), x, Y, out)
    assert is_left_to(fallback, code.call(fallback), x, Y, None)
    assert (out == 7.0).all()


@pytest.mark.parametrize('count', [0, 1, 2, 4, 5, 40])
def test_a_wrong_number_of_arguments_is_handed_over(new_code, fallback, count):
    assert is_left_to(fallback, new_code().call(fallback), *[X] * count)


def test_arguments_by_name_are_handed_over(new_code, fallback):
    call = new_code().call(fallback)
    assert is_left_to(fallback, call, X, Y, out=None)
    assert is_left_to(fallback, call, X, Y, None, more=1)
    assert is_left_to(fallback, call, x=X, y=Y, out=None)


def test_a_step_takes_no_arguments(new_code):
    step = new_code().step(lambda: None, X, Y, np.zeros((3, 2)))
    with pytest.raises(TypeError, match='takes 0 positional arguments but 1 was given'):
        step(X)
    with pytest.raises(TypeError, match='unexpected keyword argument'):
        step(out=None)


def test_what_the_fallback_raises_is_raised(new_code):
    def refuse(*arguments):
        raise KeyError('refused')

    code = new_code()
    for function in (code.call(refuse), code.step(refuse, X, Y, X)):
        with pytest.raises(KeyError, match='refused'):
            function()
