"""Which elements and expressions of a xacro text are let through to xacro: none that runs code.

xacro evaluates Python, and its own guard can be got around; a description may come from anyone.
So every expression is read first, and only arithmetic, comparisons and the functions of `math`
are let through.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

COMMAND = 'expand it with the command `xacro robot.urdf.xacro`, and pass the result'
NESTED_TOO_DEEPLY = (
    'xacro: elements, macros, properties or expressions of the description are nested too deeply, '
    'or one of them contains itself: nest them less deeply'
)
# As xacro finds them.
EXPRESSION = re.compile(r'\$\{([^}]*)\}|\$\(([^)]*)\)')
# They name files that the dynamics does not need.
IRRELEVANT_ELEMENTS = ('gazebo', 'material', 'mesh', 'ros2_control', 'transmission')
REFUSED_ELEMENTS = ('include', 'xacro:include', 'xacro:element', 'xacro:call')

ALLOWED_NODES = (
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call, ast.Attribute, ast.Subscript,
    ast.List, ast.Tuple, ast.IfExp, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.cmpop,
    ast.UnaryOp, ast.unaryop, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
    ast.Pow,
)  # fmt: skip
FUNCTIONS = {'abs', 'bool', 'float', 'int', 'len', 'max', 'min', 'round', 'str'}
# factorial, comb and perm of large numbers take for ever.
MATHEMATICS = {name for name in vars(math) if not name.startswith('_')} - {
    'comb', 'factorial', 'perm',
}  # fmt: skip
HIGHEST_POWER = 16


class Refused(Exception):
    """The text is not expanded; the message names what is refused and what to do."""


def check_element(element: Any) -> None:
    """Check a minidom element and all below it; remove comments and what names files.

    Raises:
        Refused: an element needs files, or an expression is more than arithmetic.
    """
    if element.tagName in REFUSED_ELEMENTS:
        name = element.getAttribute('filename')
        raise Refused(f'<{element.tagName} filename={name!r}> needs files: {COMMAND}')
    for value in dict(element.attributes.items()).values():
        _check_words(value)
    for child in list(element.childNodes):
        if child.nodeType == child.ELEMENT_NODE and child.tagName not in IRRELEVANT_ELEMENTS:
            check_element(child)
        elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE):
            _check_words(child.data)
        else:
            # Comments go too: xacro evaluates them when one of them says so.
            element.removeChild(child)


def _check_words(words: str) -> None:
    for expression, extension in EXPRESSION.findall(words):
        if extension and not re.fullmatch(r'\s*arg\s+[\w.-]+\s*', extension):
            raise Refused(f'xacro: $({extension}) reads more than the text: {COMMAND}')
        if expression:
            _check_expression(expression)
    # A dollar that stands alone could join with what follows once all is put together.
    if '$' in EXPRESSION.sub('', words):
        raise Refused(f'xacro: {words[:80]!r} has a $ outside of ${{}}: {COMMAND}')


def _check_expression(body: str) -> None:
    shown = body if len(body) <= 80 else f'{body[:80]}...'
    try:
        # A $ in a string would be expanded before the expression is read.
        tree = ast.parse(body.strip() if '$' not in body else '', mode='eval')
    except (SyntaxError, ValueError):
        raise Refused(f'xacro: ${{{shown}}} is not an expression') from None
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED_NODES) or not _is_harmless(node):
            raise Refused(
                f'xacro: ${{{shown}}} is more than arithmetic and mathematics: {COMMAND}'
            )


def _is_harmless(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return not name.startswith('__')
        case ast.Attribute(value=ast.Name(id='math'), attr=name):
            return name in MATHEMATICS
        case ast.Attribute():
            return False
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in FUNCTIONS | MATHEMATICS
        case ast.Call(func=ast.Attribute(), keywords=[]):
            return True
        case ast.Call():
            return False
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int() | float() as power)):
            return power <= HIGHEST_POWER
        case ast.BinOp(op=ast.Pow()):
            return False
    return True
