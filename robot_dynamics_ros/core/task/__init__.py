"""The task space of a frame, joint velocities for a twist, and joints that are held."""
