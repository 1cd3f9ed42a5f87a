"""Exciting trajectories: motions that determine the parameters of a robot, within its limits."""
