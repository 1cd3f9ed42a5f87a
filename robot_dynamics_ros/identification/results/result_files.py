"""The files of an identified robot, as texts by their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.parameter_yaml import yaml_comment

from ..identification import ParameterRow
from ..identified_model import IdentifiedModel
from .friction_file import friction_file, has_springs
from .identified_bodies import identified_bodies
from .identified_urdf import identified_urdf
from .model_json import model_json
from .parameter_file import parameter_file
from .written_friction import written_friction
from .xacro_files import inertials_by_link, unified_patch

URDF = 'identified.urdf'
FRICTION = 'friction.yaml'
PARAMETERS = 'dynamics_node.yaml'
JSON = 'identification.json'
PATCH = 'identified.patch'
INERTIALS = 'inertials.yaml'

NOT_NEGATIVE = ('armature', 'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')


def result_files(
    text: str,
    nominal: RobotModel,
    identified: IdentifiedModel,
    report: Mapping[str, Any],
    *,
    rows: Sequence[ParameterRow] = (),
    objections: Sequence[str] = (),
    xacro: bool = False,
    unknown: Collection[str] = (),
) -> dict[str, str]:
    """The text of each file by its name, to be written as a whole.

    Args:
        text: of the URDF; of a xacro file, its expansion.
        nominal: model before the identification: of the text, or reduced to recorded joints.
        identified: the same model with identified parameters.
        report: what else identification.json is to hold, by key.
        rows: parameters of the joints, whose intervals friction.yaml is to have.
        objections: why the model is not to be loaded; they stand at the head of the YAML files.
        xacro: whether the text is the expansion of a xacro file, which stays as it is: a patch of
            the expansion and the values by link are written too.
        unknown: joints of which the recordings tell nothing: comments say it.

    Raises:
        ModelError: the text cannot be used.
        ParameterError: the models do not belong to the text, a URDF cannot hold a body, or a
            value of a joint is one that dynamics_node refuses.
    """
    urdf = written_urdf(text, nominal, identified)
    described, written = parse_urdf(text), parse_urdf(urdf)
    values = {**report, 'model': model_json(described, written, identified)}
    files = {
        URDF: urdf,
        FRICTION: _objected(objections) + friction_file(identified, rows, unknown),
        PARAMETERS: _objected(objections)
        + parameter_file(
            identified,
            described,
            PARAMETERS,
            FRICTION,
            springs=has_springs(rows),
            unknown=unknown,
        ),
        JSON: json_text(values),
    }
    if xacro:
        files[PATCH] = unified_patch(text, urdf, URDF)
        files[INERTIALS] = inertials_by_link(written)
    return files


def written_urdf(text: str, nominal: RobotModel, identified: IdentifiedModel) -> str:
    """The text of the URDF alone, see `result_files`.

    Raises:
        ModelError: the text cannot be used.
        ParameterError: the models do not belong to the text, a URDF cannot hold a body, or a
            value of a joint is one that dynamics_node refuses.
    """
    _check_joints(identified)
    described = parse_urdf(text)
    bodies = identified_bodies(described, nominal, identified.model)
    return identified_urdf(text, bodies, written_friction(described, identified))


def _objected(objections: Sequence[str]) -> str:
    """The comment at the head of a file of a model that was written with --force."""
    return yaml_comment(
        'Written with --force, although this model is not to be loaded:', objections
    )


def _check_joints(identified: IdentifiedModel) -> None:
    """Whether dynamics_node takes the values of the joints.

    Raises:
        ParameterError: one is not finite, or it is negative and not an offset.
    """
    for name in ('offset', *NOT_NEGATIVE):
        smallest = -np.inf if name == 'offset' else 0.0
        values = np.asarray(getattr(identified, name))
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= smallest)))
        if bad.size:
            joint, value = identified.model.joint_names[bad[0]], values[bad[0]]
            allowed = 'finite' if name == 'offset' else 'finite and not negative'
            raise ParameterError(
                f'{name} of joint {joint!r} is {value:g}, it must be {allowed}: take the '
                'physically consistent estimate'
            )
