"""Every error that this package raises on purpose.

A message names the thing, what came, and what is allowed: it can be shown to a user as it is.
"""


class RobotDynamicsError(Exception):
    """Base of every error that the package raises on purpose."""


class ModelError(RobotDynamicsError):
    """The description of the robot cannot be used; base of the errors about it."""


class UrdfError(ModelError):
    """The text is not a URDF, or an element or number in it is wrong."""


class TopologyError(ModelError):
    """Links and joints do not form one tree, or a joint is of a type that has no coordinate."""


class InertiaError(ModelError):
    """An inertial is physically impossible."""


class UnknownNameError(RobotDynamicsError):
    """A joint, link or quantity was asked for that does not exist."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...], hint: str = '') -> None:
        """Compose the message.

        Args:
            kind: of thing, such as 'joint'.
            name: that was asked for.
            known: names that exist.
            hint: why the name cannot be used, if it exists.
        """
        why = f' ({hint})' if hint else ''
        super().__init__(f'unknown {kind} {name!r}{why}: known are {", ".join(known) or "none"}')


class StateError(RobotDynamicsError):
    """A position, velocity, acceleration or torque has the wrong size, shape, type or value."""


class SingularMassMatrixError(InertiaError, StateError):
    """M(q) has no inverse at this state, or at any, as the inertials are: no torque tells a."""


class ParameterError(RobotDynamicsError):
    """A parameter has a value that is not allowed."""


class RecordingError(RobotDynamicsError):
    """A recording cannot be read, or does not hold what was asked for."""


class IdentificationError(RobotDynamicsError):
    """No parameters of a robot could be computed from its data."""


class NativeCodeError(RobotDynamicsError):
    """Compiled code computes other values than the program that it was compiled from."""


class OracleError(RobotDynamicsError):
    """The comparison with Pinocchio failed; base of the two ways it can."""


class OracleUnavailable(OracleError):
    """Pinocchio is not installed, or refuses the description."""


class OracleDisagreement(OracleError):
    """Pinocchio computes other values than this package."""


def error_line(error: Exception, place: str = '') -> str:
    """What a user reads of an error, in one line.

    Args:
        error: of this package, of a file, or of the program itself.
        place: of an error of a file that names none.
    """
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        place = error.filename or place
        text = f'{place}: {error.strerror}' if place else error.strerror
    elif not isinstance(error, RobotDynamicsError):
        text = f'error of the program itself ({type(error).__name__}: {error})'
    return ' '.join(text.split())
