"""Reads the matrices of responses."""

import numpy as np


def matrix(message):
    rows, columns = message.layout.dim
    assert (rows.label, columns.label) == ('row', 'column')
    assert rows.stride == rows.size * columns.size
    assert columns.stride == columns.size
    return np.array(message.data).reshape(rows.size, columns.size)
