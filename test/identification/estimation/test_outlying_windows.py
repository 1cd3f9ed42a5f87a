"""Windows that something else has disturbed: found among the others."""

import numpy as np
import pytest

from robot_dynamics_ros.identification.estimation.disturbances import Period
from robot_dynamics_ros.identification.estimation.outlying_windows import outlying_windows
from robot_dynamics_ros.identification.estimation.period_weights import outlying_periods
from robot_dynamics_ros.identification.estimation.window_sums import WindowSums

WINDOWS, SIZE, COLUMNS, NOISE = 40, 12, 6, (0.02, 0.1)


def sums(push, *, seed=1, name=lambda window: 'bag'):
    """Two equations with the same unknowns; `push` (K,) is a constant that they do not have."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=COLUMNS)
    slow = np.sin(np.linspace(0.0, 25.0, WINDOWS * SIZE)[:, None] * random.uniform(0.5, 1.5, 12))
    rows = slow.reshape(-1, 2, COLUMNS) + 0.1
    noise = random.normal(size=rows.shape[:2]) * NOISE
    left = rows @ truth + noise + np.repeat(push, SIZE)[:, None]
    both = np.concatenate([rows, left[:, :, None]], axis=2).reshape(WINDOWS, SIZE, 2, -1)
    times = np.arange(float(WINDOWS))
    return WindowSums(
        tuple(map(name, range(WINDOWS))), times, times + 0.9,
        np.einsum('kmri,kmrj->krij', both, both), np.full((WINDOWS, 2), float(SIZE)),
    )  # fmt: skip


def pushed(*windows, size=3.0):
    return size * np.isin(np.arange(WINDOWS), windows)


@pytest.mark.parametrize('seed', range(4))
@pytest.mark.parametrize('count', [2, 8, 14])
def test_a_contact_of_up_to_a_third_of_the_data_is_found(count, seed):
    first = 9 + seed
    outlying = outlying_windows(sums(pushed(*range(first, first + count)), seed=seed))
    assert np.flatnonzero(outlying).tolist() == list(range(first, first + count))


@pytest.mark.parametrize('seed', range(4))
@pytest.mark.parametrize(
    'push',
    [pushed(), pushed(7), pushed(*range(5, 29)), 0.3 * np.sin(np.arange(WINDOWS))],
    ids=['nothing', 'one window', 'most of the data', 'an error of the model'],
)
def test_what_is_no_contact(push, seed):
    assert not outlying_windows(sums(push, seed=seed)).any()


def test_periods_are_joined_within_a_recording():
    found = outlying_periods(sums(pushed(*range(8, 12)), name=lambda window: str(window // 10)))
    assert found == (Period('0', 8.0, 9.9), Period('1', 10.0, 11.9))


def test_of_few_windows_nothing_is_concluded():
    whole = sums(pushed(2, 3))
    few = slice(None, 9)
    part = WindowSums(
        whole.recordings[few], whole.begins[few], whole.ends[few], whole.products[few],
        whole.counts[few],
    )  # fmt: skip
    assert not outlying_windows(part).any()


def test_a_joint_without_an_effort_changes_nothing(recwarn):
    """Its equation has no product and no count: the windows of the other are the same."""
    whole = sums(pushed(9, 10, 11))
    products, counts = whole.products.copy(), whole.counts.copy()
    products[:, 1], counts[:, 1] = 0.0, 0.0
    part = WindowSums(whole.recordings, whole.begins, whole.ends, products, counts)
    assert np.flatnonzero(outlying_windows(part)).tolist() == [9, 10, 11]
    assert [str(one.message) for one in recwarn] == []
