"""Runs as a process of its own, started on this folder: see `__main__.py`.

It imports xacro and the standard library only, so that it starts quickly and needs little memory.
"""
