"""Writes docs/closed_forms.md: the algorithms of the core, run with SymPy symbols.

    python scripts/closed_forms.py [path]

A test compares the file with the output of this script.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.polys.rings import ring

from robot_dynamics_ros.core import scalar
from robot_dynamics_ros.core.algorithms import coriolis, crba, rnea
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Coordinate, Joint
from robot_dynamics_ros.core.spatial import Inertia, Transform
from robot_dynamics_ros.textbook import christoffel, lagrange

DOCUMENT = Path(__file__).resolve().parents[1] / 'docs/closed_forms.md'

scalar.sin.register(sp.Expr, sp.sin)
scalar.cos.register(sp.Expr, sp.cos)

Q = sp.symbols('q1:4')
V = sp.symbols(r'\dot{q}_1 \dot{q}_2 \dot{q}_3')
A = sp.symbols(r'\ddot{q}_1 \ddot{q}_2 \ddot{q}_3')

ALONG_Z = (0.0, 0.0, 1.0)
# Rz, then a quarter turn: table 1 of document 004, alpha = -pi/2.
DOWN = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))


def body(mass: Any, x: Any, inertia: Sequence[Any]) -> Inertia:
    """A link whose centre of mass lies at x along its own x, with principal inertias."""
    xx, yy, zz = inertia
    rotational = ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))
    return Inertia.at_center_of_mass(mass, rotational, Transform(translation=(x, 0.0, 0.0)))


def chain(name: str, placements: Sequence[Transform], bodies: Sequence[Inertia]) -> RobotModel:
    joints = tuple(
        Joint(f'q{i + 1}', 'revolute', i - 1, placement, ALONG_Z, inertia, Coordinate(i))
        for i, (placement, inertia) in enumerate(zip(placements, bodies, strict=True))
    )
    return RobotModel(name, joints)


def planar(lengths: Sequence[Any], bodies: Sequence[Inertia]) -> RobotModel:
    shifts = (0.0, *lengths[: len(bodies) - 1])
    return chain('planar', [Transform(translation=(x, 0.0, 0.0)) for x in shifts], bodies)


def harmonics(entry: Any) -> dict[tuple[int, ...], tuple[Any, Any]]:
    """The entry as a sum of a_k cos(k q) + b_k sin(k q): one form for all equal expressions."""
    exact = sp.sympify(entry)
    exact = exact.xreplace({number: sp.Rational(number) for number in exact.atoms(sp.Float)})
    ahead, back = sp.symbols('e1:4'), sp.symbols('f1:4')
    waves = {}
    for wave in exact.atoms(sp.sin, sp.cos):
        counts = [int(wave.args[0].coeff(q)) for q in Q]
        # e^(i k q) with e_i for e^(i q_i) and f_i for its inverse.
        turn = sp.prod(_power(e, f, k) for e, f, k in zip(ahead, back, counts, strict=True))
        turn_back = sp.prod(_power(f, e, k) for e, f, k in zip(ahead, back, counts, strict=True))
        both = turn + turn_back if isinstance(wave, sp.cos) else -sp.I * (turn - turn_back)
        waves[wave] = both / 2
    constants = sorted(exact.free_symbols - set(Q), key=str)
    # Polynomials are multiplied out much faster than expressions.
    polynomials = ring((*ahead, *back, *constants), sp.QQ_I)[0]
    terms: dict[tuple[int, ...], Any] = {}
    for powers, number in polynomials.from_expr(exact.xreplace(waves)).terms():
        k = tuple(e - f for e, f in zip(powers[:3], powers[3:6], strict=True))
        letters = sp.prod(x**n for x, n in zip(constants, powers[6:], strict=True))
        terms[k] = terms.get(k, 0) + sp.QQ_I.to_sympy(number) * letters
    found = {}
    for k in sorted(terms, key=lambda k: (sum(map(abs, k)), [-x for x in k])):
        opposite = tuple(-x for x in k)
        if opposite not in found:
            other = terms.get(opposite, 0) if any(k) else 0
            even = sp.factor(sp.expand(terms[k] + other))
            odd = sp.factor(sp.expand(sp.I * (terms[k] - other))) if any(k) else 0
            if even != 0 or odd != 0:
                found[k] = even, odd
    return found


def _power(e: Any, f: Any, count: int) -> Any:
    return e**count if count >= 0 else f**-count


def latex(entry: Any) -> str:
    """In LaTeX, with c_12 for cos(q_1 + q_2)."""
    terms = []
    for k, coefficients in harmonics(entry).items():
        for letter, coefficient in zip('cs', coefficients, strict=True):
            if coefficient != 0:
                terms.append(_term(coefficient, _wave(letter, k)))
    return ' + '.join(terms).replace('+ -', '-') or '0'


def _term(coefficient: Any, wave: str) -> str:
    if coefficient in (1, -1) and wave:
        return wave if coefficient == 1 else f'- {wave}'
    text = re.sub(r'I(\d)(xx|yy|zz)', r'I_{\1\2}', sp.latex(coefficient))
    if isinstance(coefficient, sp.Add) and wave:
        text = rf'\left({text}\right)'
    return f'{text} {wave}'.strip()


def _wave(letter: str, k: Sequence[int]) -> str:
    if not any(k):
        return ''
    digits = ''.join(str(i + 1) for i, count in enumerate(k) if count)
    if set(k) <= {0, 1} and digits in '123':
        return f'{letter}_{{{digits}}}'
    angle = sp.latex(sum(count * q for count, q in zip(k, Q, strict=True)))
    return rf'\{"cos" if letter == "c" else "sin"}({angle})'


def equations(pairs: Sequence[tuple[str, Any]]) -> list[str]:
    lines = []
    for name, entry in pairs:
        lines += ['```math', f'{name} = {latex(entry)}', '```']
    return [*lines, '']


def entries(letter: str, matrix: Sequence[Sequence[Any]], lower: bool = True) -> list[Any]:
    return [
        (f'{letter}_{{{i + 1}{j + 1}}}', entry)
        for i, row in enumerate(matrix)
        for j, entry in enumerate(row)
        if lower or j >= i
    ]


def vector(letter: str, values: Sequence[Any]) -> list[Any]:
    return [(f'{letter}_{i + 1}', value) for i, value in enumerate(values)]


def planar_2r() -> list[str]:
    l1, lg1, lg2, m1, m2, I1, I2, g = sp.symbols('l1 l_g1 l_g2 m1 m2 I1 I2 g', positive=True)
    q, v = Q[:2], V[:2]
    model = planar((l1,), (body(m1, lg1, (0, 0, I1)), body(m2, lg2, (0, 0, I2))))
    symbols = christoffel.christoffel_symbols(christoffel.mass_matrix_slopes(model, q))
    nonzero = [
        (f'b_{{{i + 1}{j + 1}{k + 1}}}', symbols[i, j, k])
        for i in range(2)
        for j in range(2)
        for k in range(j, 2)
        if latex(symbols[i, j, k]) != '0'
    ]
    return [
        '## Planar 2R arm, distributed mass (document 000, 4.3.3 to 4.3.8)',
        '',
        'The mass matrix (`crba.py`), the nonzero Christoffel symbols by dual numbers of SymPy',
        'expressions (`christoffel.py`), C (`coriolis.py`), and the gravity torque',
        '(`lagrange.py`) for gravity along -y.',
        '',
        *equations(entries('m', crba.mass_matrix(model, q), lower=False)),
        *equations(nonzero),
        *equations(entries('C', coriolis.coriolis_matrix(model, q, v))),
        *equations(vector('G', lagrange.gravity_torque(model, q, (0.0, -g, 0.0)))),
    ]


def point_masses() -> list[str]:
    L1, L2, m1, m2, g = sp.symbols('L1 L2 m1 m2 g', positive=True)
    q, v, a = Q[:2], V[:2], A[:2]
    model = planar((L1,), (body(m1, L1, (0, 0, 0)), body(m2, L2, (0, 0, 0))))
    tau = rnea.inverse_dynamics(model, q, v, a, (0.0, -g, 0.0))
    return [
        '## Planar 2R arm, point masses (document 003)',
        '',
        'The torques of `rnea.py`.',
        '',
        *equations(vector(r'\tau', tau)),
    ]


def planar_3r() -> list[str]:
    lengths, q = sp.symbols('l1:4', positive=True), Q
    model = planar(lengths, [body(1, length, (0, 0, 0)) for length in lengths])
    link = lagrange.link_states(model, q)[2]
    rows = [[link.linear[i][k] for i in range(3)] for k in range(2)]
    rows.append([link.angular[i][2] for i in range(3)])
    return [
        '## Planar 3R arm (document 002, 3.3.1)',
        '',
        'Rows x, y and alpha of the Jacobian of the tip, from the columns of `lagrange.py`.',
        '',
        *equations(entries('J', rows)),
    ]


def three_link_model() -> RobotModel:
    """Its parameters are the symbols l0, l1, r0, ..., m3, I1xx, ..., I3zz."""
    l0, l1, r0, r1, r2, m1, m2, m3 = sp.symbols('l0 l1 r0 r1 r2 m1 m2 m3')
    I1xx, I1yy, I1zz = sp.symbols('I1xx I1yy I1zz')
    placements = [
        Transform(),
        Transform(DOWN, (0.0, 0.0, l0)),
        Transform(translation=(l1, 0.0, 0.0)),
    ]
    # I1 is given in the axes of table 1, of which y points down along our z.
    first = ((I1xx, 0.0, 0.0), (0.0, I1zz, 0.0), (0.0, 0.0, I1yy))
    bodies = [
        Inertia.at_center_of_mass(m1, first, Transform(translation=(0.0, 0.0, r0))),
        body(m2, r1, sp.symbols('I2xx I2yy I2zz')),
        body(m3, r2, sp.symbols('I3xx I3yy I3zz')),
    ]
    return chain('three_link', placements, bodies)


def three_link() -> list[str]:
    model, g = three_link_model(), sp.Symbol('g')
    return [
        '## Three-link arm (document 004, equations 64 to 69)',
        '',
        'M, C and g, by `crba.py`, `coriolis.py` and `rnea.py`. The forms as the paper prints',
        'them are in [closed_forms.py](../examples/three_link_arm/closed_forms.py).',
        '',
        *equations(entries('M', crba.mass_matrix(model, Q), lower=False)),
        *equations(entries('C', coriolis.coriolis_matrix(model, Q, V))),
        *equations(vector('g', rnea.gravity_torque(model, Q, (0.0, 0.0, -g)))),
    ]


def document() -> str:
    lines = [
        '# Closed forms',
        '',
        'This file is generated by `python scripts/closed_forms.py`, which runs the algorithms of',
        'the core with SymPy symbols instead of numbers. Do not edit it: a test compares it with',
        'the output of the script.',
        '',
        '`c_12` is the cosine of q_1 + q_2, `s_12` its sine. Products of sines and cosines are',
        'written as sums over multiple angles: equal expressions then have the same form.',
        '',
        *planar_2r(),
        *point_masses(),
        *planar_3r(),
        *three_link(),
    ]
    return '\n'.join(lines).rstrip() + '\n'


if __name__ == '__main__':
    (Path(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENT).write_text(document())
