"""The log of a node in the process of the test."""


class Log:
    """What the node has written to stderr."""

    def __init__(self, capfd):
        self._capfd = capfd
        self.text = ''

    def lines(self, words):
        self.text += self._capfd.readouterr().err
        return [line for line in self.text.splitlines() if words in line]

    def until(self, observer, words):
        """The first line with these words, once there is one."""
        observer.until(lambda: self.lines(words), f'{words!r} in the log')
        return self.lines(words)[0]
