"""Configuration of Sphinx, for scripts/docs and for rosdoc2."""

import re
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy.typing
from sphinx.ext.autodoc.mock import mock
from sphinx.ext.napoleon import Config, GoogleDocstring

# What they stand for fills half a page.
numpy.typing.ArrayLike = type('ArrayLike', (), {'__module__': 'numpy.typing'})
numpy.typing.NDArray = defaultdict(lambda: numpy.ndarray)

# Sphinx runs this file in its own folder. rosdoc2 copies that below the package.
ROOT = next(
    folder
    for folder in Path.cwd().parents
    if (folder / 'robot_dynamics_ros' / '__init__.py').is_file()
)
sys.path.insert(0, str(ROOT))

project = 'robot_dynamics_ros'
author = 'robot_dynamics_ros maintainers'
release = version = ElementTree.parse(ROOT / 'package.xml').findtext('version')

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'sphinx.ext.autosummary',
]
templates_path = ['_templates']
# What rosdoc2 adds, and index.rst and api/ hold already.
exclude_patterns = ['__readme_include.rst', 'modules.rst', 'robot_dynamics_ros*.rst', 'standard*']
default_role = 'code'
myst_fence_as_directive = ['math']
myst_heading_anchors = 3

html_theme = 'furo'
html_title = 'robot_dynamics_ros'
html_show_copyright = False
html_static_path = ['_static']
html_css_files = ['wide.css']

autosummary_generate = True
autodoc_member_order = 'bysource'
autodoc_mock_imports = [
    'ament_index_python', 'backports', 'builtin_interfaces', 'coal', 'diagnostic_msgs',
    'distributed',
    'geometry_msgs', 'llvmlite', 'lz4', 'matplotlib', 'mcap', 'mujoco', 'pinocchio', 'plotly',
    'pyarrow',
    'rcl_interfaces', 'rclpy', 'robot_dynamics_interfaces', 'rosbags', 'rosgraph_msgs', 'ruamel',
    'scipy', 'sensor_msgs', 'std_msgs', 'std_srvs', 'trajectory_msgs', 'trimesh',
    'viser', 'xacro',
]  # fmt: skip
# The adapter registers classes of it, which a mock object is not.
casadi = sys.modules['casadi'] = ModuleType('casadi')
for name in ('Function', 'MX', 'SX'):
    setattr(casadi, name, type(name, (), {'__module__': 'casadi'}))
casadi.sin = casadi.cos = casadi.sqrt = abs
autodoc_typehints_format = 'short'
# Other projects' documents are not read: the build needs no network.
nitpick_ignore_regex = [
    (
        'py:.*',
        r'(casadi|coal|collections|contextlib|datetime|io|enum|matplotlib|mujoco|numbers|numpy|pathlib|'
        r'rclpy|rosbags|scipy|trimesh|'
        r'xml|zlib|\w+_msgs)\..*',
    ),
    # Aliases and type variables of signatures, and types of attributes in pieces.
    (
        'py:class',
        r'Arguments|Array|Bytes|Color|Curve|Flags|Framed|Key|Labels|Law|Level|Matrix|Numbers|Opens|Out|Severity|Times|Vector',
    ),
    (
        'py:class',
        r'robot_dynamics_ros\.(core\.(spatial\.Moved|algorithms\.record\.Algorithm)|ros\.listener\.Listener)',
    ),
    ('py:class', r'Path|(dict|list|tuple)\[.*'),
    ('py:obj', r"typing\.Literal\['\w+'"),
    # A function that has the name of its module.
    ('py:obj', r'robot_dynamics_ros\.inspection\.audit\.audit'),
    # Of one of two modules, by the version of Python.
    ('py:exc', 'ZstdError'),
]
# Two classes have the name Comparison; signatures show it without its module.
suppress_warnings = ['ref.python']
# Types are counted with their modules, which are not shown.
python_maximum_signature_line_length = 160
rosdoc2_settings = {'enable_autodoc': False}

CODE_OR_BAR = re.compile(r'(`[^`]*`)|\|')
QUANTITIES_MARK = '<!-- The table of core/quantity.py, where the documents are built. -->'
MARKDOWN_LINK = re.compile(r'\[([^]]*)\]\(([^)\s]+)\)')


def relink(app, name, source):
    """Make links that hold in the repository hold in the built documents, or plain words."""

    def relinked(link):
        words, target = link.groups()
        if target.startswith(('http', '#')):
            return link.group()
        # README.md and CONTRIBUTING.md stand one folder above.
        target = target.removeprefix('docs/')
        file = Path(app.srcdir) / target.partition('#')[0]
        if file.is_symlink():
            return f'{{doc}}`{words} <{file.stem}>`'
        if '..' not in target and file.is_file():
            return f'[{words}]({target})'
        return words

    if Path(app.env.doc2path(name)).suffix == '.md':
        text = source[0].replace(QUANTITIES_MARK, quantities_table())
        source[0] = MARKDOWN_LINK.sub(relinked, text)


def quantities_table():
    """One row for each quantity of `RobotDynamics`, from its record."""
    with mock(autodoc_mock_imports):
        from robot_dynamics_ros.core.quantity import QUANTITIES
    rows = ['| method | result |', '|---|---|']
    for quantity in QUANTITIES.values():
        options = ['frame'] * quantity.of_frame + ['axes'] * quantity.takes_axes
        call = f'{quantity.name}({", ".join([*quantity.arguments, *options])})'
        rows.append(f'| `{call}` | {quantity.summary} |'.replace('R | p', r'R \| p'))
    return '\n'.join(rows)


def read_google_style(app, what, name, obj, options, lines):
    """Turn the sections of a docstring into reStructuredText.

    Not those of attributes: napoleon would take what stands before a colon for their type.
    |x| is a magnitude, not a substitution.
    """
    lines[:] = [CODE_OR_BAR.sub(lambda match: match[1] or r'\|', line) for line in lines]
    if what not in ('attribute', 'data', 'property'):
        style = Config(napoleon_use_ivar=True)
        lines[:] = GoogleDocstring(lines, style, app, what, name, obj, options).lines()


def setup(app):
    """Connect what this file adds to Sphinx."""
    app.connect('source-read', relink)
    app.connect('autodoc-process-docstring', read_google_style)
