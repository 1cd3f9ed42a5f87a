"""The low pass without delay, its derivatives, and its cutoff.

Modules::

    zero_phase      the kernels of the low pass and of its derivatives
    cutoff          its cutoff, from the spectrum
    power_density   power spectral densities
    uniform_grid    samples at equal intervals
    segment_filter  the filter along one segment of a recording
"""
