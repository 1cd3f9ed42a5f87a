"""The C++ of robot_dynamics_controller, compiled for tests, with exported libraries."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import re
from pathlib import Path

import numpy as np
from exported_library import WARNINGS, run

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.cli.export_c import compiled
from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

CONTROLLER = Path(__file__).resolve().parents[1] / 'robot_dynamics_controller'
SOURCES = 'src/cycle.cpp', 'src/library.cpp', 'test/driven.cpp'
MODES = 'gravity_compensation', 'feedforward', 'computed_torque'
TARGETS = 'nothing', 'terms', 'gravity', 'zero'
GRAVITY = 0.0, 0.0, -9.81


def _names(enum):
    text = (CONTROLLER / 'include/robot_dynamics_controller/transitions.hpp').read_text()
    return re.search(f'enum class {enum} {{(.*)}};', text)[1].split(', ')


STATES, EVENTS = _names('State'), _names('Event')


def hash_of(urdf):
    return hashlib.sha256(urdf.encode()).hexdigest()


def write_library(folder, urdf, name='arm', **options):
    """The path of a dynamics library."""
    files = export_c(parse_urdf(urdf), name=name, urdf=urdf, library=True, **options)
    write_folder(folder, {**files, f'{name}.so': compiled(files)})
    return folder / f'{name}.so'


@functools.cache
def driver(folder):
    """The shim of the C++ for ctypes."""
    built = folder / 'driven.so'
    sources = [CONTROLLER / path for path in SOURCES]
    run('c++', '-std=c++17', '-O1', *WARNINGS, '-fPIC', '-shared', '-Wl,-Bsymbolic',
        '-I', CONTROLLER / 'include', *sources, '-o', built, '-ldl')  # fmt: skip
    library = ctypes.CDLL(str(built))
    library.refusal.restype, library.begin.restype = ctypes.c_char_p, ctypes.c_void_p
    library.update.restype = ctypes.c_long
    library.start.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double
    return library


def strings(names):
    return (ctypes.c_char_p * max(len(names), 1))(*(name.encode() for name in names))


def doubles(values):
    array = np.ascontiguousarray(values, np.float64).ravel()
    return (ctypes.c_double * array.size)(*array)


class DrivenController:
    """The cycle of the controller; `effort`, `state` and so on are those of the last update."""

    def __init__(self, cpp, library, urdf, joints, efforts=None, **settings):
        self._cpp, self._k = cpp, len(joints)
        self._settings = settings
        efforts = np.zeros(self._k) if efforts is None else efforts
        self._driven = ctypes.c_void_p(
            cpp.begin(
                str(library).encode(), hash_of(urdf).encode(), strings(joints), self._k,
                *self._numbers(), doubles(efforts),
            )
        )  # fmt: skip
        self.effort, self.state = np.array(efforts, float), STATES[0]

    def _numbers(self):
        given = {
            'mode': 'gravity_compensation', 'terms': TERMS[:3], 'gravity': GRAVITY,
            'kp': 0.0, 'kd': 0.0, 'effort_limits': 1000.0, 'fade_time': 0.0,
            'state_timeout': 0.1, 'on_stale': 'hold', 'on_stop': 'zero',
            'friction_share': 0.3, 'reference_tolerance': 0.2, **self._settings,
        }  # fmt: skip
        rows = [np.broadcast_to(given[name], self._k) for name in ('kp', 'kd', 'effort_limits')]
        times = [given['fade_time'], given['state_timeout']]
        policies = [given[name] == 'hold' for name in ('on_stale', 'on_stop')]
        terms = (ctypes.c_int * 4)(*(term in given['terms'] for term in TERMS))
        shares = [given[name] for name in ('friction_share', 'reference_tolerance')]
        numbers = doubles(np.concatenate([given['gravity'], *rows, times, policies, shares]))
        return MODES.index(given['mode']), terms, numbers

    def use(self, **settings):
        self._settings |= settings
        self._cpp.use(self._driven, *self._numbers())

    def enable(self, enabled):
        self._cpp.enable(self._driven, int(enabled))

    def end(self):
        """Deactivate; the efforts that are left."""
        left = (ctypes.c_double * self._k)()
        self._cpp.stop(self._driven, left)
        return np.array(left)

    def start(self, efforts, pause=0.0):
        """Activate where the interfaces hold these efforts."""
        given = doubles(efforts)
        self._cpp.start(self._driven, given, pause)
        self.effort = np.array(given)

    def update(self, q, v=None, period=0.001, **reference):
        """One cycle; the reference by effort, position, velocity and acceleration."""
        v = np.zeros(self._k) if v is None else v
        rows = [
            np.broadcast_to(reference.get(name, np.nan), self._k)
            for name in ('effort', 'position', 'velocity', 'acceleration')
        ]
        efforts, state = (ctypes.c_double * self._k)(), (ctypes.c_int * 10)()
        taken = self._cpp.update(
            self._driven, doubles(q), doubles(v), doubles(rows), ctypes.c_double(period),
            efforts, state,
        )  # fmt: skip
        assert taken == 0, 'memory was allocated'
        self.effort = np.array(efforts)
        number, target, fault, lost, reacts, *joints = state
        self.state, self.target, self.fault = STATES[number], TARGETS[target], EVENTS[fault]
        self.lost, self.reacts = bool(lost), bool(reacts)
        self.concerned, self.blamed, self.silent_joint, self.dropped, self.far = joints
        return self.effort

    def run(self, seconds, *arguments, **reference):
        for _ in range(round(seconds / 0.001)):
            self.update(*arguments, **reference)
        return self.effort

    def close(self):
        self._cpp.end(self._driven)
