"""The arm in a browser, by viser: its description, a running node, or a recording.

Modules::

    server              who may connect, and how often a view looks
    scene               the robot: shapes, boxes of equal inertia, centres of mass, findings
    panels              bars of torques against effort limits, plots over time, text
    model_view          a description: joints, payload, gravity
    live_view           what a running node says, and buttons that call its services
    recording_view      measured and model torques of a recording, and its findings
"""
