"""What Pinocchio computes: torques and matrices to compare with, and distances of shapes."""
