"""Tables on terminals of any width: each name and number is there, whole."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from report.synthetic import arm
from rich.console import Console

from robot_dynamics_ros.cli.compare import joint_table, share_table
from robot_dynamics_ros.cli.table import FittedTable


def shown(table, width):
    """The lines that a terminal of a width shows."""
    console = Console(width=width, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    console.print(table, soft_wrap=False)
    return console.file.getvalue().splitlines()


def cells_of(table):
    """Headers and cells, as a wide terminal shows them between two spaces or more."""
    return {part.strip() for line in shown(table, 1000) for part in line.split('  ') if part}


@pytest.fixture(scope='module')
def comparison():
    return arm(joints=2, robot='arm')


@pytest.mark.parametrize('make', [joint_table, share_table])
@pytest.mark.parametrize('width', [40, 60, 80, 120])
def test_no_name_and_no_number_of_a_comparison_is_cut(comparison, make, width):
    lines = shown(make(comparison), width)
    assert all(len(line) <= width for line in lines)
    assert '…' not in ''.join(lines)
    # The header of the names has no place in blocks: each begins with a name.
    for cell in cells_of(make(comparison)) - {'joint', 'shares of'}:
        assert any(cell in line for line in lines), cell


def test_where_it_fits_it_is_a_table_of_one_line_a_row():
    table = FittedTable('joint', 'effort')
    table.add_row('elbow', '12.5 N m')
    assert shown(table, 15) == ['joint    effort', 'elbow  12.5 N m']
    assert shown(FittedTable('joint', 'effort'), 15) == ['joint  effort']


def test_a_first_cell_that_says_nothing_alone_has_its_header_in_blocks():
    table = FittedTable('begin', 'end', heads=True)
    table.add_row('0.5 s', '1.5 s')
    assert shown(table, 12) == ['begin    end', '0.5 s  1.5 s']
    assert shown(table, 11) == ['begin 0.5 s', '  end 1.5 s']


def test_where_it_does_not_fit_each_row_is_a_block_and_their_cells_are_below_each_other():
    table = FittedTable('joint', 'effort', 'bias', 'delay')
    table.add_row('a_long_name', '12.5 N m', '-0.25 N m', '1 ms')
    table.add_row('other', '3 N m', '-', '-')
    assert shown(table, 34) == [
        'a_long_name',
        '  effort 12.5 N m  bias -0.25 N m',
        '  delay 1 ms',
        'other',
        '  effort    3 N m  bias         -',
        '  delay    -',
    ]


words = st.text(st.characters(codec='ascii', categories=['L', 'N']), min_size=1, max_size=30)


@examples(60)
@given(st.lists(st.lists(words, min_size=3, max_size=3), min_size=1, max_size=4),
       st.integers(5, 90))  # fmt: skip
def test_no_letter_is_lost_at_any_width(rows, width):
    table = FittedTable('joint', 'bias', 'delay')
    for row in rows:
        table.add_row(*row)
    lines = shown(table, width)
    assert all(len(line) <= width for line in lines)
    text = ''.join(''.join(lines).split())
    for row in rows:
        assert all(cell in text for cell in row)
