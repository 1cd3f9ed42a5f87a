"""The result of an identification: parameters with intervals, and the judgement of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .judgement import Judgement


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, before and after.

    Attributes:
        name: such as 'panda_joint2 coulomb', or the sum that a base parameter is.
        unit: of the values.
        nominal: of the description.
        value: of the identified model.
        low: begin of the 95 % interval; NaN where the data do not determine the parameter.
        high: its end.
    """

    name: str
    unit: str
    nominal: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Identification:
    """What an identification has found.

    Attributes:
        judgement: of the model on data that were not fitted.
        method: of the estimate that is written: 'weighted', 'robust' or 'consistent'.
        rank: number of base parameters that the data determine.
        structural_rank: the number that the best data of this robot would determine.
        condition: of the equations, their columns scaled to unit length.
        joint_rows: friction, rotor and offset of the joints.
        body_rows: inertial parameters of the bodies.
        base_rows: base parameters.
        undetermined: sentences about bodies that stay as the description says, and why.
        objections: why the model is not to be loaded, a sentence each.
        equations: numbers of fitted equations by joint: used, and left out for each reason.
        prior_weight: how many equations the prior of a parameter is worth.
        effort_delay: by which the efforts were shifted before the fit [s].
        remarks: on the recordings, which do not weaken the result.
    """

    judgement: Judgement
    method: str
    rank: int
    structural_rank: int
    condition: float
    joint_rows: tuple[ParameterRow, ...]
    body_rows: tuple[ParameterRow, ...]
    base_rows: tuple[ParameterRow, ...]
    undetermined: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    equations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    prior_weight: float = 1.0
    effort_delay: float = 0.0
    remarks: tuple[str, ...] = ()

    @property
    def unknown_joints(self) -> tuple[str, ...]:
        """Joints without a fitted equation: no value of their friction is a result."""
        numbers = self.equations
        return tuple(
            name for name in self.judgement.joints if name in numbers and not numbers[name]['used']
        )

    @property
    def method_words(self) -> str:
        """The method, with the weight of its prior where it is not the usual one."""
        if self.prior_weight == 1.0:
            return self.method
        return f'{self.method}, the prior of each parameter worth {self.prior_weight:g} equations'

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics identify --json`, see docs/identification.md.

        SI units; null where a number is not known.
        """
        return {
            'robot': self.judgement.robot,
            **self.judgement.as_json(),
            'method': self.method,
            'rank': self.rank,
            'structural_rank': self.structural_rank,
            'condition': self.condition,
            'prior_weight': self.prior_weight,
            'effort_delay': self.effort_delay,
            'equations': {name: dict(numbers) for name, numbers in self.equations.items()},
            'joint_parameters': [vars(row) for row in self.joint_rows],
            'body_parameters': [vars(row) for row in self.body_rows],
            'base_parameters': [vars(row) for row in self.base_rows],
            'undetermined': list(self.undetermined),
            'objections': list(self.objections),
            'remarks': list(self.remarks),
        }
