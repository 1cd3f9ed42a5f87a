"""The comparison of torques, mass matrix and Coriolis matrix with Pinocchio."""
