"""The settings of the external-force estimate of a robot that is commanded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal['measured', 'commanded']


@dataclass(frozen=True)
class ExternalSettings:
    """Settings of the estimate and of the contact detection; each may change at any time.

    Attributes:
        external_observer: whether external torques are estimated.
        external_from: torques of the drives that are used: 'measured' efforts, or the 'commanded'.
        external_bandwidth: of the observer, one for each commanded joint, or one for all [Hz].
        external_frame: link of the wrench; empty for that at the tip of the commanded joints.
        contact_cutoff: frequency between pushes and collisions [Hz].
        collision_threshold: constant part of the threshold, one for each commanded joint, or one
            for all [N m or N]; empty: no collision is detected.
        collision_threshold_velocity: for each unit of speed [N m s/rad or N s/m]; empty for zero.
        collision_threshold_acceleration: for each unit of acceleration [kg m^2 or kg]; likewise.
        push_threshold: as `collision_threshold`, of pushes.
        push_threshold_velocity: likewise.
        push_threshold_acceleration: likewise.
        threshold_margin: factor of thresholds that are learned, for motion unlike that which they
            are learned from [-].
        driver_gravity_check: whether efforts without gravity are recognised and refused.
    """

    external_observer: bool = False
    external_from: Source = 'measured'
    external_bandwidth: tuple[float, ...] = (20.0,)
    external_frame: str = ''
    contact_cutoff: float = 5.0
    collision_threshold: tuple[float, ...] = ()
    collision_threshold_velocity: tuple[float, ...] = ()
    collision_threshold_acceleration: tuple[float, ...] = ()
    push_threshold: tuple[float, ...] = ()
    push_threshold_velocity: tuple[float, ...] = ()
    push_threshold_acceleration: tuple[float, ...] = ()
    threshold_margin: float = 1.0
    driver_gravity_check: bool = True
