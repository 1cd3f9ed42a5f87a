"""A table of parameters as text: a parameter file in YAML, and a table in Markdown."""

from __future__ import annotations

import textwrap

from robot_dynamics_ros.parameter_yaml import yaml_value

from .parameter import Parameter
from .table import ParameterTable

WIDTH = 99
INDENT = '    '


def parameter_file(table: ParameterTable, head: str) -> str:
    """A parameter file with every default, for nodes of any name.

    Args:
        table: the parameters.
        head: first lines, without comment signs.
    """
    lines = [f'# {line}'.rstrip() for line in head.splitlines()]
    lines += ['/**:', '  ros__parameters:']
    for group in table.groups:
        if group.heading:
            lines += [f'{INDENT}# --- {group.heading}', '']
        for row in group.rows:
            lines += [*_comment(row), _line(row), '']
    return '\n'.join(lines).rstrip() + '\n'


def _line(row: Parameter) -> str:
    """The line of a parameter; an empty map as a comment, for ROS reads none from a file."""
    if row.is_map:
        return f'{INDENT}# {row.name}: {{some_joint: 0.02}}'
    return f'{INDENT}{row.name}: {yaml_value(row.default)}'


def markdown_table(table: ParameterTable) -> str:
    """A Markdown table with one row for each parameter."""
    live = any(row.live for row in table.rows.values())
    columns = ['name', 'default', 'unit', 'allowed', *(['live'] if live else []), 'meaning']
    lines = [columns, ['---'] * len(columns)]
    for row in table.rows.values():
        empty = f'; empty: {row.empty}' if row.empty else ''
        lines.append(
            [
                f'`{row.name}`',
                f'`{yaml_value(row.default)}`',
                row.unit,
                _allowed(row),
                *([('yes' if row.live else 'no')] if live else []),
                f'{row.description.rstrip(".")}{empty}',
            ]
        )
    return ''.join(f'| {" | ".join(cells)} |\n' for cells in lines)


def between_markers(document: str, marker: str, text: str) -> str:
    """A document whose lines between two markers are replaced.

    Args:
        document: holds `<!-- marker -->` and `<!-- end of marker -->`, each once.
        marker: name of the markers.
        text: new lines between them.

    Raises:
        ValueError: a marker is missing, or there twice.
    """
    begin, end = f'<!-- {marker} -->\n', f'<!-- end of {marker} -->\n'
    if document.count(begin) != 1 or document.count(end) != 1:
        raise ValueError(f'{begin.strip()} and {end.strip()} are needed, each once')
    before, _, rest = document.partition(begin)
    return f'{before}{begin}{text}{end}{rest.partition(end)[2]}'


def _comment(row: Parameter) -> list[str]:
    """The comment lines above a parameter."""
    facts = ['live'] if row.live else []
    if row.unit:
        facts.append(f'unit: {row.unit}')
    if row.empty:
        facts.append(f'empty: {row.empty}')
    facts += row.constraints()
    sentences = ''.join(f'{fact[0].upper()}{fact[1:]}. ' for fact in facts).rstrip('. ')
    if sentences:
        sentences += ':' if row.choices else '.'
    lines = _wrapped(f'{row.description} {row.details}') + _wrapped(sentences)
    widest = max(map(len, row.choices), default=0)
    for choice, meaning in row.choices.items():
        lines += _wrapped(f'  {choice:{widest}}  {meaning}', hanging=widest + 4)
    return lines


def _wrapped(text: str, hanging: int = 0) -> list[str]:
    sign = f'{INDENT}# '
    return textwrap.wrap(
        text.rstrip(), WIDTH, initial_indent=sign, subsequent_indent=sign + ' ' * hanging
    )


def _allowed(row: Parameter) -> str:
    if row.choices:
        each = 'any of' if row.is_array else 'one of'
        return f'{each} {", ".join(f"`{choice}`" for choice in row.choices)}'
    return ', '.join(row.constraints())
