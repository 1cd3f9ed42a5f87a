"""What is kept of recordings: sums, windows and samples, whose size does not grow with them.

Modules::

    evidence       what is kept of one recording
    model_torques  the torque of the model along a motion, in parts
    moments        sums of products, for the figures
    excerpts       windows of consecutive samples, for the hypotheses
    plot_samples   evenly distributed samples and peaks, for plots
    extremes       where a signal is smallest and largest
"""
