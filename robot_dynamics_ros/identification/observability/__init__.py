"""What data can tell about the parameters.

Modules::

    base_parameters  the combinations of parameters that the torques depend on
"""
