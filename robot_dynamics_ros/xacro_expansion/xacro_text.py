"""Xacro in a description, expanded from its text alone: no files, no environment, no code.

xacro evaluates Python, and its own guard can be got around; a description may come from anyone.
So every expression is read first, and only arithmetic, comparisons and the functions of `math`
are let through. What needs more is for the `xacro` command.
"""

from __future__ import annotations

import ast
import math
import re
import threading
from typing import Any

from robot_dynamics_ros.core.description.urdf_text import read_xml
from robot_dynamics_ros.core.errors import UrdfError

COMMAND = 'expand it with the command `xacro robot.urdf.xacro`, and pass the result'
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

# xacro keeps what it reads in the variables of its module.
_one_at_a_time = threading.Lock()


def expand_xacro(text: str) -> str:
    """The URDF that a xacro text stands for.

    Properties, macros, conditions, blocks, arguments with defaults, and expressions of arithmetic
    and `math` are expanded. Includes, `$(find ...)`, `$(env ...)`, `load_yaml` and the like would
    read files or the environment: they are refused, but for what names meshes, materials and
    plugins, which is left out with them.

    Raises:
        UrdfError: the package `xacro` is not installed, the text needs more than itself, or xacro
            cannot expand it.
    """
    try:
        import xacro
    except ImportError:
        raise UrdfError(
            'the description is xacro, and the package xacro is not installed: '
            f'`pip install xacro`, or {COMMAND}'
        ) from None
    with _one_at_a_time:
        return _expand(xacro, text)


def _expand(xacro: Any, text: str) -> str:
    read_xml(text)
    document = xacro.parse(text)
    _check(document.documentElement)
    try:
        xacro.process_doc(document, verbosity=0)
    # What xacro raises depends on what the text makes it do; all of it is the text's fault.
    except Exception as error:
        raise UrdfError(f'xacro cannot expand the description: {error}') from None
    expanded: str = document.toxml()
    return expanded


def _check(element: Any) -> None:
    if element.tagName in REFUSED_ELEMENTS:
        name = element.getAttribute('filename')
        raise UrdfError(f'<{element.tagName} filename={name!r}> needs files: {COMMAND}')
    for value in dict(element.attributes.items()).values():
        _check_words(value)
    for child in list(element.childNodes):
        if child.nodeType == child.ELEMENT_NODE and child.tagName not in IRRELEVANT_ELEMENTS:
            _check(child)
        elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE):
            _check_words(child.data)
        else:
            # Comments go too: xacro evaluates them when one of them says so.
            element.removeChild(child)


def _check_words(words: str) -> None:
    for expression, extension in EXPRESSION.findall(words):
        if extension and not re.fullmatch(r'\s*arg\s+[\w.-]+\s*', extension):
            raise UrdfError(f'xacro: $({extension}) reads more than the text: {COMMAND}')
        if expression:
            _check_expression(expression)
    # A dollar that stands alone could join with what follows once all is put together.
    if '$' in EXPRESSION.sub('', words):
        raise UrdfError(f'xacro: {words!r} has a $ outside of ${{}}: {COMMAND}')


def _check_expression(body: str) -> None:
    try:
        # A $ in a string would be expanded before the expression is read.
        tree = ast.parse(body.strip() if '$' not in body else '', mode='eval')
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UrdfError(f'xacro: ${{{body}}} is not an expression') from None
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED_NODES) or not _is_harmless(node):
            raise UrdfError(
                f'xacro: ${{{body}}} is more than arithmetic and mathematics: {COMMAND}'
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
