"""What a link carries, from motion and measured efforts; NumPy alone, no ROS.

- `live_payload`: from the live states of a moving arm, in all that follows.
- `state_buffer`: states on their way from the thread that answers them.
- `state_window`: a weighted mean over a short window: motion, and efforts alike.
- `payload_equations`: the equations of the joints that carry the link.
- `payload_regressor`: their coefficients: the torque of a body on a link.
- `joint_sums`: sums over the equations, in blocks of time.
- `payload_fit`: least squares from the sums, with covariances.
- `best_body`: the body that fits best, and can exist.
- `body_parameters`: its parameters in two forms.
- `payload_estimate`: what is determined of it, and how certainly.
- `payload_refusal`: why it must not be used.
"""
