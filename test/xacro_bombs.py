"""Xacro texts that would fill the memory or never end, and how each is refused."""

from __future__ import annotations

from robot_dynamics_ros.xacro_expansion.sandbox.limits import LONGEST_RESULT, LONGEST_TEXT

HEAD = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'
MEMORY = ' 256 MiB of memory'
TIME = r' 0\.8 s of processor time'
MEMORY_OR_TIME = f'({MEMORY})|({TIME})'
NESTED = 'nested too deeply'
ARITHMETIC = 'arithmetic and mathematics'


def robot(content):
    return f'{HEAD}<link name="base"/>{content}</robot>'


def expression(body):
    return robot(f'<link name="${{{body}}}"/>')


def property_(name, value):
    return f'<xacro:property name="{name}" value="{value}"/>'


def nested_powers(depth):
    body = '9'
    for _ in range(depth):
        body = f'({body})**16'
    return body


def doubling_properties(count):
    doubled = [property_(f'p{i + 1}', f'${{p{i}}}${{p{i}}}') for i in range(count)]
    return robot(property_('p0', 'ha') + ''.join(doubled) + f'<link name="${{p{count}}}"/>')


def doubling_macros(count):
    macros = ['<xacro:macro name="m0" params=""><link name="a"/></xacro:macro>']
    for i in range(count):
        call = f'<xacro:m{i}/>'
        macros.append(f'<xacro:macro name="m{i + 1}" params="">{call}{call}</xacro:macro>')
    return robot(''.join(macros) + f'<xacro:m{count}/>')


def two_macros_that_call_each_other():
    macros = [
        f'<xacro:macro name="{name}" params="n"><xacro:{other} n="${{n + 1}}"/>'
        f'<xacro:{other} n="${{n + 1}}"/></xacro:macro>'
        for name, other in (('one', 'two'), ('two', 'one'))
    ]
    return robot(''.join(macros) + '<xacro:one n="0"/>')


def branching_macro(depth):
    """Ends, but after 2**depth calls."""
    call = '<xacro:m n="${n - 1}"/>'
    return robot(
        f'<xacro:macro name="m" params="n"><xacro:if value="${{n > 0}}">{call}{call}</xacro:if>'
        f'</xacro:macro><xacro:m n="{depth}"/>'
    )


def entities(count):
    lines = [f'<!ENTITY e{i + 1} "&e{i};&e{i};">' for i in range(count)]
    return f'<!DOCTYPE robot [<!ENTITY e0 "ha">{"".join(lines)}]>' + robot(f'<a>&e{count};</a>')


def wide_attribute():
    parts = property_('a', 'x' * (LONGEST_TEXT // 2))
    return robot(parts + '<link name="' + '${a}' * 1000 + '"/>')


BOMBS = {
    'a list times a number': (expression('[0]*10**10'), MEMORY),
    'a string times a number': (expression("'ha'*10**10"), MEMORY),
    'a string of a long list': (expression('str([[0]*10**4]*10**4)'), MEMORY_OR_TIME),
    'powers of powers': (expression(nested_powers(9)), MEMORY_OR_TIME),
    'a power that is computed': (expression('9**9**9**9'), ARITHMETIC),
    'digits of a large number': (expression(f'str({nested_powers(5)})'), 'cannot expand|' + TIME),
    'a number of many digits': (expression("int('9'*10**8)"), 'cannot expand|' + MEMORY_OR_TIME),
    'a shift': (expression('1 &lt;&lt; 10**10'), ARITHMETIC),
    'a long range': (expression('list(range(10**10))'), ARITHMETIC),
    'a comparison of long lists': (expression('[0]*10**8 == [0]*10**8'), MEMORY),
    'a million sums': (expression('1' + '+1' * 400_000), NESTED + '|' + MEMORY_OR_TIME),
    'many expressions': (robot(f'<a>{"${1}" * 250_000}</a>'), MEMORY_OR_TIME),
    'properties that double': (doubling_properties(60), MEMORY_OR_TIME),
    'macros that double': (doubling_macros(60), MEMORY_OR_TIME),
    'a macro that branches': (branching_macro(60), MEMORY_OR_TIME),
    'a macro that calls itself': (
        robot('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>'),
        NESTED,
    ),
    'two macros that call each other': (two_macros_that_call_each_other(), NESTED),
    'a macro many calls deep': (branching_macro(10_000), NESTED + '|' + MEMORY_OR_TIME),
    'elements in elements': (robot('<a>' * 100_000 + '</a>' * 100_000), NESTED),
    'many elements': (robot('<a/>' * 250_000), MEMORY_OR_TIME),
    'an attribute many times': (wide_attribute(), MEMORY_OR_TIME),
    'a text that is too long': (
        robot(f'<link name="{"x" * LONGEST_TEXT}"/>'),
        rf'\d+ characters.* {LONGEST_TEXT} ',
    ),
    'a URDF that is too long': (
        doubling_properties(22),
        rf'\d+ characters.* {LONGEST_RESULT} ',
    ),
    'entities that double': (entities(60), 'declares a document type'),
}
