"""Parameters by FloBaRoID, in the environment of flobaroid.txt.

Usage: run_flobaroid.py FOLDER physical|least_squares raw|states SOURCES

`raw`: its preprocessing filters the samples; `states`: it gets the filtered states of the judge.
SOURCES is a clone of FloBaRoID. Writes FOLDER/flobaroid_*.json.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import yaml

# Of its parameters of a body, m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz, in the order of ours.
ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


def zeroed_accelerations():
    """Give idyntree an acceleration of the base that is zero.

    `identification/model.py` hands it a vector that is never set: its regressor changes from run
    to run.
    """
    from idyntree import bindings

    vector = bindings.Vector6

    def zero():
        one = vector()
        one.zero()
        return one

    bindings.Vector6 = zero


def options(sources, folder, estimate, count):
    """Those of its Kuka LWR 4, without what is of that robot: meshes, overall mass, start."""
    chosen = yaml.safe_load((sources / 'configs/kuka_lwr4.yaml').read_text())
    chosen.update(
        num_dofs=count,
        urdf=str(folder / 'robot.urdf'),
        startOffset=0,
        skipSamples=0,
        restrictCOMtoHull=0,
        limitOverallMass=0,
        createPlots=0,
        exciteMethod=None,
        verbose=0,
    )
    if estimate == 'least_squares':
        chosen.update(constrainToConsistent=0, estimateWith='base')
    return chosen


def measurements(data, chosen, filtered):
    """Arrays as its measurement files have them."""
    from identification.data import Data

    if filtered == 'states':
        names = ('positions', 'velocities', 'accelerations', 'times')
        arrays = {name: data[f'fitted_{name}'] for name in names}
        arrays['torques'] = data['fitted_efforts']
    else:
        names = {'positions': 'positions', 'torques': 'efforts', 'times': 'times'}
        arrays = {theirs: data[f'raw_{ours}'].copy() for theirs, ours in names.items()}
        made = ('velocities', 'accelerations', 'torques_raw', 'velocities_raw', 'positions_raw')
        arrays |= {name: np.zeros_like(arrays['positions']) for name in made}
        Data(chosen).preprocess(
            Q=arrays['positions'], V=arrays['velocities'], Vdot=arrays['accelerations'],
            Tau=arrays['torques'], Tau_raw=arrays['torques_raw'], T=arrays['times'],
            Fs=float(data['rate']), Q_raw=arrays['positions_raw'], V_raw=arrays['velocities_raw'],
        )  # fmt: skip
    return {**arrays, 'frequency': float(data['rate']), 'contacts': np.array({})}


def parameters(model, estimate):
    """All of its parameters; those that it has not identified are zero."""
    values = np.zeros(model.num_all_params)
    if estimate == 'least_squares':
        independent = [model.identified_params[column] for column in model.independent_cols]
        values[independent] = model.xBase
    elif len(model.xStd) == len(values):
        values[:] = model.xStd
    else:
        values[model.identified_params] = model.xStd
    return values


def main(folder: str, estimate: str, filtered: str, sources: str) -> None:
    folder, sources = Path(folder).resolve(), Path(sources).resolve()
    os.environ['MPLBACKEND'] = 'Agg'
    sys.path.insert(0, str(sources))
    zeroed_accelerations()
    import identifier

    data = np.load(folder / 'data.npz')
    joints = [str(joint) for joint in data['joints']]
    chosen = options(sources, folder, estimate, len(joints))
    name = f'flobaroid_{estimate}_{filtered}'
    file = folder / f'{name}.npz'
    np.savez(file, **measurements(data, chosen, filtered))
    found = identifier.Identification(chosen, chosen['urdf'], None, [[str(file)]], None, None)
    found.estimateParameters()
    model, n = found.model, len(joints)
    assert list(model.jointNames) == joints, model.jointNames
    values, first = parameters(model, estimate), model.friction_params_start
    bodies = [
        values[10 * model.linkNames.index(f'body_{joint}') + place]
        for joint in joints
        for place in ORDER
    ]
    terms = ('coulomb', 'viscous', 'offset')
    result = {
        'sign': 'tanh',
        'bodies': [float(value) for value in bodies],
        'armature': [0.0] * n,
        **{
            term: values[first + k * n : first + (k + 1) * n].tolist()
            for k, term in enumerate(terms)
        },
    }
    (folder / f'{name}.json').write_text(json.dumps(result))


if __name__ == '__main__':
    main(*sys.argv[1:])
