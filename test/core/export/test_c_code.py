"""Exported code is legal whatever a description calls its parts, and has a program's bits."""

import ctypes
import re
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from exported_library import ExportedDynamics, compile_as_cpp, compile_c, needs_compilers, run
from three_joints import URDF as THREE_JOINTS

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.compiler.program import OPERATIONS, evaluate
from robot_dynamics_ros.core.compiler.sine import sine_and_cosine
from robot_dynamics_ros.core.export import export_c
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import traced

MALICIOUS = [
    'int', '9 lives', '*/ int x; /*', 'a backslash\\', '??/', '"); system("true"); ("', '%s%n',
    'Gelenk für Ärger', '関節', '// comment', '/* open', "'", '#define double int',
    '$ENV{PATH} $<0:x> ]==] ;', '</description><x/>&amp;', '__attribute__((constructor))',
]  # fmt: skip
LINK = """<link name={link}><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name={joint} type="revolute"><parent link={parent}/><child link={link}/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>"""


def urdf(names, robot):
    """A chain whose links and joints have these names."""
    parents = ['base', *(f'link {name}' for name in names)]
    links = ''.join(
        LINK.format(
            link=quoteattr(f'link {name}'), joint=quoteattr(name), parent=quoteattr(parent)
        )
        for name, parent in zip(names, parents, strict=False)
    )
    return f'<robot name={quoteattr(robot)}><link name="base"/>{links}</robot>'


@needs_compilers
def test_joints_with_malicious_names(tmp_path):
    model = parse_urdf(urdf(MALICIOUS, MALICIOUS[3]))
    assert list(model.joint_names) == MALICIOUS
    frame = f'link {MALICIOUS[3]}'
    exported = ExportedDynamics(
        model, tmp_path, quantities=['gravity_torque', 'forward_dynamics', 'jacobian'],
        frame=frame,
    )  # fmt: skip
    names = (ctypes.c_char_p * model.size).in_dll(exported.library, 'robot_joint_names')
    assert [name.decode() for name in names] == MALICIOUS
    compile_as_cpp(tmp_path)
    # Trigraphs count in strict C.
    compile_c(tmp_path, 'check/check.c', '-trigraphs', '-fsyntax-only')
    for file in tmp_path.rglob('*.[chp]*'):
        assert file.suffix == '.so' or file.read_bytes().isascii(), file


@pytest.mark.parametrize('robot', MALICIOUS)
def test_robots_with_malicious_names(robot):
    files = export_c(parse_urdf(urdf(['turn'], robot)), quantities=['gravity_torque'])
    package = ElementTree.fromstring(files['package.xml'])
    assert re.fullmatch('[a-z][a-z0-9_]*_dynamics', package.findtext('name'))
    assert len(package) == 7
    assert f'project({package.findtext("name")} ' in files['CMakeLists.txt']
    # It has no text of the description at all.
    name = package.findtext('name').removesuffix('_dynamics')
    same = export_c(parse_urdf(urdf(['turn'], 'r')), name=name, quantities=['gravity_torque'])
    assert files['CMakeLists.txt'] == same['CMakeLists.txt']


@needs_compilers
def test_words_of_the_code_as_prefix(tmp_path):
    """None is a reserved word, or another name of the code, with what follows it."""
    model = parse_urdf(urdf(['turn'], 'r'))
    for name in ('int', 'std', 'main', 'e1', 'check', 'gravity_torque', 'size', 'x_dynamics'):
        folder = tmp_path / name
        write_folder(folder, export_c(model, name=name, quantities=['gravity_torque']))
        for source in (f'src/{name}_dynamics.c', 'check/check.c'):
            compile_c(folder, source, '-fsyntax-only')
        header = folder / 'include' / f'{name}_dynamics' / f'{name}_dynamics.hpp'
        run('c++', '-std=c++17', '-fsyntax-only', '-x', 'c++', '-I', folder / 'include', header)


@pytest.mark.parametrize(
    'name', ['', 'UR5', '5ur', 'ur-5', 'ur__5', '_ur', 'ur_', 'ä', 'u' * 41, 'a b', 5]
)
def test_illegal_prefixes_are_refused(name):
    with pytest.raises(ParameterError, match='lower-case'):
        export_c(parse_urdf(urdf(['turn'], 'r')), name=name)


def test_names_that_compilers_need_not_take_are_refused():
    with pytest.raises(ParameterError, match='1001'):
        export_c(parse_urdf(urdf(['x' * 1001], 'r')))


@needs_compilers
@pytest.mark.parametrize(
    'options',
    [['-Os', '-ffreestanding'], ['-O3', '-march=native', '-funroll-loops']],
    ids=' '.join,
)
def test_the_bits_are_those_of_plain_python_however_it_is_compiled(options, tmp_path):
    """With the same sine: large angles, too."""
    model = parse_urdf(THREE_JOINTS)
    own = {
        **OPERATIONS,
        'sin': lambda angle: sine_and_cosine(angle)[0],
        'cos': lambda angle: sine_and_cosine(angle)[1],
    }
    quantities = ['bias_torque', 'coriolis_matrix', 'forward_dynamics']
    exported = ExportedDynamics(model, tmp_path, quantities=quantities, options=options)
    for exponent, state in enumerate(random_states(model, 20), start=-11):
        inputs = {'q': 10.0**exponent * state.q, 'v': state.v, 'tau': state.a}
        inputs['gravity'] = exported.gravity
        for quantity in quantities:
            program, _ = traced(model, quantity)
            given = {name: inputs[name].tolist() for name in program.inputs}
            expected, _ = evaluate(program, given, own)
            code, found = exported.call(quantity, *given.values(), size=len(expected))
            assert code == 0
            assert found.tobytes() == np.array(expected).tobytes()
