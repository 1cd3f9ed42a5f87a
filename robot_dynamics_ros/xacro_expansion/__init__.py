"""Xacro to URDF, from its text alone."""

from .xacro_text import expand_xacro

__all__ = ['expand_xacro']
