"""One step of the observer of external torques."""
