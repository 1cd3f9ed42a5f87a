"""Xacro to URDF: from a text alone, or from a file of the user's own."""

from .xacro_file import expand_xacro_file
from .xacro_text import expand_xacro

__all__ = ['expand_xacro', 'expand_xacro_file']
