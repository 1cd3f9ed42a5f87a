"""Parameters by FIGAROH, in the environment of figaroh.txt.

Usage: run_figaroh.py FOLDER fit|physical_fit raw|states [weighted]

`raw`: FIGAROH filters the samples; `states`: it gets the filtered states of the judge. Writes
FOLDER/figaroh_*.json.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import yaml
from figaroh.identification.base_identification import BaseIdentification
from figaroh.tools.robot import load_robot


class Identification(BaseIdentification):
    """FIGAROH's identification of arrays; torques pass the filter of the positions.

    So do those of the subclasses in its examples.
    """

    def __init__(self, robot, config, data, states):
        self._data, self._states = data, states
        super().__init__(robot, config)
        self.identif_config['act_idxq'] = list(range(self.model.nq))
        self.identif_config['act_idxv'] = list(range(self.model.nv))

    def load_trajectory_data(self, data_source=None):
        part = 'fitted' if self._states else 'raw'
        names = {'positions': 'positions', 'velocities': 'velocities', 'torques': 'efforts'}
        arrays = {theirs: self._data[f'{part}_{ours}'] for theirs, ours in names.items()}
        accelerations = self._data['fitted_accelerations'] if self._states else None
        times = self._data[f'{part}_times'].reshape(-1, 1)
        return {'timestamps': times, 'accelerations': accelerations, **arrays}

    def filter_kinematics_data(self, filter_config=None):
        if self._states:
            self.processed_data = {name: np.array(one) for name, one in self.raw_data.items()}
        else:
            super().filter_kinematics_data(filter_config)

    def process_torque_data(self, **options):
        torques = self.raw_data['torques']
        if not self._states:
            torques = self._apply_filters(torques, **self.filter_config['filter_params'])
        self.processed_data['torques'] = torques
        return torques


def config(data, stage):
    """Its configuration: friction, rotors and offsets; the cutoff of the judge."""
    joints = [str(joint) for joint in data['joints']]
    zeros = [0.0] * len(joints)
    mechanics = {
        'reduction_ratios': [1.0] * len(joints),
        'friction_coefficients': {'viscous': zeros, 'static': zeros},
        'actuator_inertias': zeros,
        'joint_offsets': zeros,
    }
    properties = {
        'joints': {'active_joints': joints, 'joint_limits': {}},
        'mechanics': mechanics,
        'coupling': {'has_coupled_wrist': False},
    }
    components = {'friction': True, 'joint_offset': True, 'actuator_inertia': True}
    task = {
        'enabled': True,
        'problem': {
            'include_external_forces': False,
            'use_joint_torques': True,
            'model_components': components,
        },
        'signal_processing': {
            'sampling_frequency': float(data['rate']),
            'cutoff_frequency': float(data['cutoff']),
            'filter_type': 'butterworth',
            'filter_order': 4,
        },
    }
    if stage == 'physical_fit':
        task |= {'select_stage': stage, 'physical_fit': {'enabled': True}}
    robot = {'name': 'robot', 'properties': properties}
    return {'robot': robot, 'tasks': {'identification': task}}


def parameters(found, stage):
    """By name: bodies, then for each joint viscous, Coulomb, rotor and offset, zero if absent."""
    names = list(found.standard_parameter)
    values = np.zeros(len(names))
    if stage == 'physical_fit':
        for name, value in zip(found.selected.names, np.ravel(found.selected.values), strict=True):
            values[names.index(name)] = value
        return values
    kept = [index for index in range(len(names)) if index not in set(found._idx_eliminated)]
    for index, value in zip(found._base_indices, np.ravel(found.phi_base), strict=True):
        values[kept[index]] = value
    return values


def main(folder: str, stage: str, filtered: str, weights: str = '') -> None:
    folder = Path(folder)
    data = np.load(folder / 'data.npz')
    robot = load_robot(str(folder / 'robot.urdf'), load_by_urdf=True, package_dirs=str(folder))
    with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
        yaml.safe_dump(config(data, stage), file)
        file.flush()
        found = Identification(robot, file.name, data, filtered == 'states')
        found.initialize()
        # Its default, decimation by 10, suits slow recordings badly.
        found.solve(decimate=False, plotting=False, save_results=False, wls=weights == 'weighted')
    values, n = parameters(found, stage), len(data['joints'])
    terms = ('viscous', 'coulomb', 'armature', 'offset')
    result = {
        'sign': 'sign',
        'bodies': values[: 10 * n].tolist(),
        **{term: values[(10 + k) * n : (11 + k) * n].tolist() for k, term in enumerate(terms)},
    }
    name = '_'.join(filter(None, ['figaroh', stage, filtered, weights]))
    (folder / f'{name}.json').write_text(json.dumps(result))


if __name__ == '__main__':
    main(*sys.argv[1:])
