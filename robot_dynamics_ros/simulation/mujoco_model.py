"""The model of MuJoCo: the bodies of the arm, a frame for each link, and the wall."""

from __future__ import annotations

import logging

import mujoco

from .mujoco_description import SimulationError
from .wall import Wall

MAX_STEP = 0.0006
"""Longest step of RK4 [s]: the error of a falling arm is then about 1e-9 rad."""


def compile_model(text: str, wall: Wall | None = None) -> mujoco.MjModel:
    """Compile a URDF. Each link has a site of its name.

    MuJoCo merges links that fixed joints connect; the sites keep their frames.

    Args:
        text: URDF after `mujoco_description.strip`.
        wall: that one link can touch; None for none.

    Raises:
        SimulationError: MuJoCo refuses the URDF, or the link of the wall is unknown.
    """
    # By default MuJoCo writes warnings to stderr and to a file in the current folder.
    mujoco.set_mju_user_warning(logging.getLogger(__name__).warning)
    try:
        spec = mujoco.MjSpec.from_string(text)
        for body in spec.bodies[1:]:
            body.add_site(name=body.name)
        if wall is not None:
            wall.add_to(spec)
        model = spec.compile()
    except ValueError as error:
        raise SimulationError(
            f'MuJoCo refuses this URDF: {" ".join(str(error).split())}. The simulated arm needs '
            'mass and inertia of a real body in every moving link; the dynamics node does not.'
        ) from error
    # A mimic joint is a gear, as stiff as the step allows; by default MuJoCo uses a soft spring.
    model.eq_solref[:] = (2.5 * MAX_STEP, 1.0)
    model.eq_solimp[:, :2] = 0.9999
    # By default MuJoCo resets the state without an error where it is not finite.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return model
