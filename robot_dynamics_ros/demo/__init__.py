"""The demo: a simulated arm, the dynamics node and an observer, in three processes over DDS.

observer      what `scripts/demo` runs: start, measure, report
plan          where the arm starts and the trajectory that it follows
stage         the observer's side of the topics and services
acts          what is played: fall, hold, track three times, matrices
recording     what came over the topics, with times
measurements  the figures that are drawn from it
report        figures beside their bounds, and the verdict
picture       the same for the eye
processes, surroundings, default_arm   what a run needs around it
"""
