"""The properties of test/fuzz, tried by atheris: it breeds inputs by the code that they reach.

    python scripts/bred_inputs.py joint_states -runs=25000

Arguments after the name go to libFuzzer: a file that it has left behind tries that input again.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import atheris
from hypothesis import given, settings

TESTS = Path(__file__).parents[1] / 'test'
NAMES = tuple(sorted(path.stem.removeprefix('test_') for path in TESTS.glob('fuzz/test_*.py')))


def main() -> None:
    """Fuzz the properties of one file; libFuzzer ends the process, its exit code says how."""
    name, *options = sys.argv[1:] or ['']
    if name not in NAMES:
        sys.exit(f'bred_inputs: no properties {name!r}, allowed are {", ".join(NAMES)}')
    sys.path[:0] = [str(TESTS), str(TESTS / 'fuzz')]
    with atheris.instrument_imports(include=['robot_dynamics_ros', 'rosbags']):
        module = import_module(f'test_{name}')
        fed_node = import_module('fed_node').fed_node
    tests = [value for key, value in vars(module).items() if key.startswith('test_')]
    checks = [test.hypothesis.inner_test for test in tests]
    with ExitStack() as stack:
        if any('node' in signature(check).parameters for check in checks):
            node = stack.enter_context(fed_node())
            checks = [partial(check, node) for check in checks]

        @settings(database=None)
        @given(module.INPUTS)
        def holds(value: Any) -> None:
            for check in checks:
                check(value)

        arguments = [sys.argv[0], '-len_control=0', '-max_len=4096', '-timeout=20', *options]
        atheris.Setup(arguments, holds.hypothesis.fuzz_one_input)
        atheris.Fuzz()


if __name__ == '__main__':
    main()
