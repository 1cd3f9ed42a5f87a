"""The fourth act of the demo: a push is felt, and a collision with a wall ends in a hold.

Modules::

    contact_plan          where the arm is pushed, and where the wall stands
    contact_phases        the push and the collision
    contact_measurements  what the node felt beside what acted
    contact_figures       these quantities with their bounds
"""
