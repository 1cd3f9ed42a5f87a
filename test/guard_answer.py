"""The answer of a guard to a single state, as the loop of the node asks for it."""


def answer(guard, *state, now, time):
    """The command (k,) [N m or N]; None if nothing is to be commanded."""
    return guard.command(now, time) if guard.take(*state, now=now) else None
