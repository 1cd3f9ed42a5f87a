"""The inertia of a body as the numbers of a URDF's <inertial>."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.spatial import Inertia


@dataclass(frozen=True)
class UrdfInertial:
    """Attributes of the elements of an <inertial> without rotation.

    Attributes:
        origin: attribute xyz, the centre of mass [m].
        mass: attribute value [kg].
        inertia: attributes ixx to izz, about the centre of mass [kg m^2].
    """

    origin: dict[str, str]
    mass: dict[str, str]
    inertia: dict[str, str]

    @classmethod
    def of(cls, link: str, body: Inertia) -> UrdfInertial:
        """The numbers of a body whose moments are in the frame of a link.

        Each number has all digits of a double. Moments that are computed from them again differ by
        rounding.

        Args:
            link: name, for messages.
            body: to write.

        Raises:
            ParameterError: a URDF cannot hold this body: its mass is negative, or zero where its
                first moment is not.
        """
        if body.mass < 0.0 or (body.mass == 0.0 and any(body.first_moment)):
            moment = ', '.join(f'{each:.4g}' for each in body.first_moment)
            raise ParameterError(
                f'link {link!r}: its mass is {body.mass:g} kg and its first moment [{moment}] '
                'kg m, a URDF needs a mass greater than 0: take the physically consistent estimate'
            )
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
        tensor = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
        return cls(
            {'xyz': ' '.join(map(_digits, body.center_of_mass))},
            {'value': _digits(body.mass)},
            {name: _digits(value) for name, value in tensor.items()},
        )

    @property
    def origin_tag(self) -> str:
        """The element <origin>."""
        return _tag('origin', self.origin)

    @property
    def inertia_tag(self) -> str:
        """The element <inertia>."""
        return _tag('inertia', self.inertia)

    def lines(self) -> list[str]:
        """The element <inertial>, its children indented by two spaces."""
        return [
            '<inertial>',
            f'  {self.origin_tag}',
            f'  {_tag("mass", self.mass)}',
            f'  {self.inertia_tag}',
            '</inertial>',
        ]


def _digits(value: float) -> str:
    """All digits of a number; minus zero as zero."""
    return repr(float(value) + 0.0)


def _tag(name: str, attributes: dict[str, str]) -> str:
    pairs = ' '.join(f'{key}="{value}"' for key, value in attributes.items())
    return f'<{name} {pairs}/>'
