"""The robot: joints, links, frames, inertias, payloads and friction. A model never changes."""
