"""What can keep the demo from running."""


class DemoError(Exception):
    """The demo cannot go on; the message is for its user."""
