#!/usr/bin/env python3
"""Plants wrong signs, one at a time, and tells what notices.

Every sum, difference, minus, cross product and rotation is changed in turn. In the algorithms and
the arithmetic below them, a law of test/mechanics on a robot of test/mechanics/urdf must notice,
never a remembered number; in the rooms that stand on them, one of the room's tests. Ends with 0
only if every mutant is caught, or is listed in equivalent_mutants.txt.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import dataclasses
import importlib.abc
import importlib.util
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

# Forks inherit no threads.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

# What the core imports; each mutant runs in a fork of this process, which has it already.
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'robot_dynamics_ros'
# What the laws judge.
ALGORITHMS = (
    'core/algorithms/rnea.py',
    'core/algorithms/crba.py',
    'core/algorithms/coriolis.py',
    'core/algorithms/kinematics.py',
    'core/algorithms/forward_dynamics.py',
    'core/algorithms/centroidal.py',
    'core/algorithms/derivatives.py',
    'core/algorithms/friction.py',
    'core/algorithms/observer.py',
    'core/algorithms/regressor.py',
    'core/spatial.py',
    'core/model/inertial_parameters.py',
    'core/model/tree.py',
)
# Folders, and the tests that judge their mutants: each is given those that reach the line.
ROOMS = {
    'control': 'test/control',
    'identification': 'test/identification test/report',
    'comparison': 'test/comparison test/test_joint_model.py',
    'contacts': 'test/contacts',
    'regression': 'test/regression test/identification',
    'recordings': 'test/recordings',
}
# Mutants that compute the same, each below the reason why.
EQUIVALENT, _reason = {}, ''
for _line in (ROOT / 'scripts/equivalent_mutants.txt').read_text().splitlines():
    if _line.startswith(' '):
        EQUIVALENT[_line.strip()] = _reason
    else:
        _reason = _line
# Of one test, in seconds of the processor: a sign in an index might make a loop endless.
LIMIT = 60

SUMS = ('add', 'subtract', 'add_matrices', 'subtract_matrices')
ODD = ('cross', 'cross_force', 'sin')
ROTATIONS = ('rotate', 'rotate_back', 'rotate_symmetric')


@dataclasses.dataclass
class Mutant:
    """One change of one source."""

    source: str
    line: int
    name: str
    # Of the node in the source's tree, and of what becomes of it.
    index: int
    choice: int
    # Those that reach it, the fastest first; none where the laws judge.
    tests: list[str] = dataclasses.field(default_factory=list, repr=False)


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a source."""
    tree = ast.parse((PACKAGE / source).read_text())
    functions = _enclosing_functions(tree)
    for index, node in enumerate(ast.walk(tree)):
        for choice, (what, _) in enumerate(_changes(node)):
            where = f'{source.removeprefix("core/")}: {functions.get(node, "module")}'
            name = f'{where}: {what} {ast.unparse(node)!r}'
            yield Mutant(source, node.lineno, name, index, choice)


def _changes(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """The node with a sign changed, in each way that there is."""
    match node:
        case ast.UnaryOp(ast.USub(), operand):
            return [('no minus in', operand)]
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
            return [
                ('minus left of', ast.BinOp(_call('negated', left), operator, right)),
                ('minus right of', ast.BinOp(left, operator, _call('negated', right))),
            ]
        case ast.AugAssign(target, ast.Add() | ast.Sub() as operator, value):
            return [('minus in', ast.AugAssign(target, operator, _call('negated', value)))]
        case ast.Call(ast.Name(name) as function, [left, right]) if name in SUMS:
            return [
                ('minus left of', ast.Call(function, [_call('negated', left), right], [])),
                ('minus right of', ast.Call(function, [left, _call('negated', right)], [])),
            ]
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in ODD:
            return [('minus of', _call('negated', node))]
        case ast.BinOp(left, ast.MatMult() as operator, right):
            return [('transposed in', ast.BinOp(_call('transposed', left), operator, right))]
        case ast.Call(ast.Attribute(attr='seen_from') as method, [pose]):
            return [('transposed in', ast.Call(method, [_call('transposed', pose)], []))]
        case ast.Call(ast.Name(name) as function, [matrix, other]) if name in ROTATIONS:
            turned = ast.Call(function, [_call('transposed', matrix), other], [])
            return [('transposed in', turned)]
    return []


def _call(function: str, argument: ast.AST) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [argument], [])


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, replacement: ast.AST) -> None:
        self._target, self._replacement = target, replacement

    def visit(self, node: ast.AST) -> Any:
        return self._replacement if node is self._target else self.generic_visit(node)


def _enclosing_functions(tree: ast.Module) -> dict[ast.AST, str]:
    names: dict[ast.AST, str] = {}
    # Outer functions come first, so that inner ones overwrite them.
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names.update(dict.fromkeys(ast.walk(function), function.name))
    return names


# What the mutated code calls.


def negated(x: Any) -> Any:
    """-x, of whatever the algorithms add."""
    if isinstance(x, tuple):
        return tuple(map(negated, x))
    if dataclasses.is_dataclass(x):
        fields = {f.name: negated(getattr(x, f.name)) for f in dataclasses.fields(x)}
        return dataclasses.replace(x, **fields)
    return -x


def transposed(x: Any) -> Any:
    """M^T; a pose turned or moved the other way; of what is neither, the negative."""
    if isinstance(x, tuple):
        return tuple(zip(*x, strict=True))
    if hasattr(x, 'rotation'):
        rotation, translation = transposed(x.rotation), x.translation
        same = rotation == x.rotation
        return type(x)(rotation, negated(translation) if same else translation)
    return negated(x)


class _Loader(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    """Imports the mutated tree in place of one module, everything else as it stands."""

    def __init__(self, mutant: Mutant) -> None:
        path = (PACKAGE / mutant.source).relative_to(ROOT).with_suffix('')
        self._path, self._package = str(PACKAGE / mutant.source), path.name == '__init__'
        self._name = '.'.join((path.parent if self._package else path).parts)
        self._mutant = mutant

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self._name:
            return None
        places = [str(Path(self._path).parent)] if self._package else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=self, submodule_search_locations=places
        )

    def exec_module(self, module: Any) -> None:
        tree = ast.parse(Path(self._path).read_text())
        target = list(ast.walk(tree))[self._mutant.index]
        _Replace(target, _changes(target)[self._mutant.choice][1]).visit(tree)
        ast.fix_missing_locations(tree)
        exec(compile(tree, self._mutant.source, 'exec'), module.__dict__)


def verdict(mutant: Mutant | None) -> tuple[Mutant | None, str]:
    """What caught a mutant, empty if nothing did; run in a process of its own."""
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    sys.path[:0] = [str(ROOT), str(ROOT / 'test')]
    builtins.negated, builtins.transposed = negated, transposed
    if mutant is not None:
        sys.meta_path.insert(0, _Loader(mutant))
    try:
        if mutant is not None and mutant.tests:
            return mutant, _failing_test(mutant.tests)
        return mutant, _broken_law()
    except (Exception, KeyboardInterrupt) as error:
        return mutant, f'{CRASH} {type(error).__name__}'


def _broken_law() -> str:
    from mechanics import kinetics_laws, laws, model_laws
    from mechanics.float_dynamics import FloatDynamics
    from mechanics.robots import HAND_WRITTEN

    for robot in HAND_WRITTEN:
        for state in robot.states(1):
            dynamics = FloatDynamics(robot.model)
            floats = (*laws.LAWS, *kinetics_laws.KINETICS_LAWS)
            checks = [(law, (robot, dynamics, state)) for law in floats]
            checks += [(law, (robot, state)) for law in model_laws.LAWS]
            for law, arguments in checks:
                with contextlib.suppress(AssertionError):
                    law(*arguments)
                    continue
                return f'{law.__name__} of {robot}'
    return ''


class _Tests:
    """Plugin of pytest: how long each test takes, and the first that fails."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.failed = ''

    def pytest_runtest_logstart(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, LIMIT)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid


def _run(arguments: list[str]) -> _Tests:
    import pytest

    plugin = _Tests()
    with open(os.devnull, 'w') as silence, contextlib.redirect_stdout(silence):
        code = pytest.main(['-q', '-p', 'no:cacheprovider', *arguments], plugins=[plugin])
    # A file that cannot be imported any more has no test that could fail.
    plugin.failed = plugin.failed or ('' if code in (0, 5) else f'{CRASH} pytest {code}')
    return plugin


def _failing_test(tests: list[str]) -> str:
    return _run(['-x', *tests]).failed if tests != UNREACHED else ''


def reached(room: str) -> dict[str, dict[int, list[str]]]:
    """Of each line of a room's files, the tests, the fastest first; in a process of its own."""
    import coverage

    with tempfile.TemporaryDirectory() as folder:
        os.environ['COVERAGE_FILE'] = str(Path(folder, 'coverage'))
        options = [f'--cov={PACKAGE / room}', '--cov-context=test', '--cov-report=']
        sys.path[:0] = [str(ROOT), str(ROOT / 'test')]
        tests = _run([*options, *ROOMS[room].split()])
        if tests.failed:
            raise RuntimeError(f'without a mutant: {tests.failed}')
        data = coverage.CoverageData(os.environ['COVERAGE_FILE'])
        data.read()
        return {
            str(Path(file).relative_to(PACKAGE)): {
                line: sorted(
                    # A fixture is in the first test that asks for it, and matters to its file.
                    {
                        re.split('::' if one.endswith('|setup') else r'\|', one)[0]
                        for one in contexts
                    }
                    - {''},
                    key=lambda judge: tests.seconds.get(judge, np.inf),
                )
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }


CRASH = 'crash:'
UNREACHED = ['unreached']


def mutants_of(rooms: list[str], share: slice, pool: Any) -> list[Mutant]:
    """A share of those of some rooms, each with the tests that reach it."""
    chosen: list[Mutant] = []
    if 'algorithms' in rooms:
        chosen += [mutant for source in ALGORITHMS for mutant in mutants(source)][share]
    judged = [room for room in rooms if room in ROOMS]
    for room, lines in zip(judged, pool.imap(reached, judged, chunksize=1), strict=True):
        sources = sorted(str(path.relative_to(PACKAGE)) for path in (PACKAGE / room).rglob('*.py'))
        for mutant in [mutant for source in sources for mutant in mutants(source)][share]:
            of_file = lines.get(mutant.source, {})
            # Lines that an import runs are in no test: they matter to those of the file.
            tests = of_file.get(mutant.line) or list(dict.fromkeys(chain(*of_file.values())))
            mutant.tests = tests or UNREACHED
            chosen.append(mutant)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--every', type=int, default=1, metavar='N', help='take each N-th mutant')
    parser.add_argument('--first', type=int, default=0, metavar='I', help='the first of them')
    parser.add_argument(
        'rooms', nargs='*', metavar='ROOM', help=f'of algorithms {" ".join(ROOMS)} (default: all)'
    )
    parser.add_argument('--verbose', action='store_true', help='name what caught each mutant')
    options = parser.parse_args()

    assert 'robot_dynamics_ros' not in sys.modules, 'each fork imports its own'
    # What takes too long ends as a failure: a process that a signal kills would be waited for.
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    started = time.monotonic()
    rooms = options.rooms or ['algorithms', *ROOMS]
    caught: Counter[str] = Counter()
    equivalent, survivors = 0, 0
    context = multiprocessing.get_context('fork')
    with context.Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        chosen = mutants_of(rooms, slice(options.first, None, options.every), pool)
        _, wrong = pool.apply(verdict, (None,))
        if wrong:
            print(f'mutate: without a mutant: {wrong}')
            return 1
        for mutant, by in pool.imap_unordered(verdict, chosen, chunksize=1):
            where = f'{mutant.name} (line {mutant.line})'
            if options.verbose:
                print(f'{by or "SURVIVED"}: {where}')
            if by:
                caught['a crash' if by.startswith(CRASH) else 'a test'] += 1
                # Mutants of one name may differ: another '-1' of the function may be it.
                if mutant.name in EQUIVALENT:
                    print(f'mutate: caught, though listed as equivalent: {where}')
            elif mutant.name in EQUIVALENT:
                equivalent += 1
                print(f'mutate: equivalent: {where}: {EQUIVALENT[mutant.name]}')
            else:
                survivors += 1
                print(f'mutate: SURVIVED: {where}')
    print(
        f'mutate: {len(chosen)} mutants in {time.monotonic() - started:.0f} s: {caught["a test"]} '
        f'caught by a test, {caught["a crash"]} by a crash, {equivalent} equivalent, '
        f'{survivors} survived'
    )
    return 1 if survivors else 0


if __name__ == '__main__':
    sys.exit(main())
