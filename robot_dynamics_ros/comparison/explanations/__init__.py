"""What lies between a model and what was measured: hypotheses, tried on windows of recordings.

Modules::

    explanation    sign, order, scale, delay, gravity and load of the efforts
    observations   the windows as columns of regressions in which friction is free
    judge          how well an explanation fits
    estimates      the delay and the load that fit best
    load_certainty how much parts of the recordings disagree about a mass
    hypotheses     what can be added to an explanation, and what it must be worth
    search         the hypotheses that together explain the recordings
    relabelling    joints whose whole state belongs to another name or direction
    delays         the delay of each joint
    friction_fits  friction and offset of each joint
"""
