"""The first fade is an experiment: an arm that rises has another gravity compensation already."""

# Along the gravity torque of a joint [rad or m].
MOVED = 0.002
# Share of its effort limit that the gravity torque of such a joint exceeds [-].
CARRIED = 0.02
