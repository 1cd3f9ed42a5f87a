"""Equations of recordings: filtered on both sides, decimated, reduced by QR.

Modules::

    equations  equations in blocks
    reduction  triangles that merge exactly
"""
