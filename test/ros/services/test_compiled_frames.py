"""A service that compiles does not keep states from being answered."""

from three_joints import URDF, state

from robot_dynamics_interfaces.srv import GetJacobian

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
NODE = '/robot_dynamics'


def test_states_are_answered_while_a_frame_is_compiled(graph):
    """The thread of the states needs nothing that the service holds while it compiles."""
    with graph(robot_description=URDF) as (node, observer):
        compiling = node.robot_holder.require().dynamics
        before = len(observer.commands)
        jacobian, answered = compiling.jacobian, []

        def slow(*arguments):
            # The executor, which runs this very call, cannot hear the commands meanwhile.
            used = node.topic_counters['joint_states'].used
            observer.states.publish(state(Q, V))
            observer.wait(
                lambda: node.topic_counters['joint_states'].used > used, 'answer to a state'
            )
            answered.append(True)
            return jacobian(*arguments)

        compiling.jacobian = slow
        response = observer.call(GetJacobian, f'{NODE}/get_jacobian', state=state(Q), frame='hand')
        assert response.success, response.message
        assert answered
        observer.until(lambda: len(observer.commands) > before, 'command')
