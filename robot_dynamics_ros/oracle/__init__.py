"""The comparison of every quantity with Pinocchio; no other package imports it."""
