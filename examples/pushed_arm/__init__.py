"""A simulated arm is pushed and runs into a wall; an observer of its joint states feels it.

Modules::

    felt_arm     the arm, the noise of its drives, and the observer
    motions      random motions, and a straight one of the tool
    experiments  pushes, collisions, and motion without a contact
    recorded     a recording with pushes, for docs/external_forces.md

The arm is MuJoCo's: it knows the true forces, and judges what is felt.
"""
