"""From the text of a URDF to a model."""
