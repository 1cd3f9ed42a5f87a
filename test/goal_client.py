"""A client of an action."""

from rclpy.action import ActionClient


class GoalClient:
    """Sends goals, and keeps the feedback.

    Attributes:
        feedback: all that has come.
    """

    def __init__(self, node, kind, name, until):
        self._kind, self._until, self.feedback = kind, until, []
        self._client = ActionClient(node, kind, name)
        until(self._client.server_is_ready, f'action {name}')

    def send(self, **goal):
        """The handle of a goal with these fields, once it has been accepted or not."""
        sent = self._client.send_goal_async(
            self._kind.Goal(**goal),
            feedback_callback=lambda message: self.feedback.append(message.feedback),
        )
        self._until(sent.done, 'an answer to the goal')
        return sent.result()

    def outcome(self, handle):
        """Status and result of a goal."""
        found = handle.get_result_async()
        self._until(found.done, 'the result')
        return found.result().status, found.result().result

    def destroy(self):
        self._client.destroy()
