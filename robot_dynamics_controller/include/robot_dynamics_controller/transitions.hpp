// Written by scripts/transitions.py, from robot_dynamics_ros/control.
#ifndef ROBOT_DYNAMICS_CONTROLLER__TRANSITIONS_HPP_
#define ROBOT_DYNAMICS_CONTROLLER__TRANSITIONS_HPP_

namespace robot_dynamics_controller
{

enum class State {silent, tracking, holding, reacting, stopping};
// The first that holds decides.
enum class Event {finished, double_gravity, stopped, lost, stale, reaction, ready};
// What follows, by event and state.
constexpr State transitions[7][5] = {
  {State::silent, State::tracking, State::holding, State::reacting, State::silent},
  {State::silent, State::stopping, State::stopping, State::stopping, State::stopping},
  {State::silent, State::stopping, State::stopping, State::stopping, State::stopping},
  {State::silent, State::stopping, State::stopping, State::stopping, State::stopping},
  {State::silent, State::holding, State::holding, State::holding, State::holding},
  {State::reacting, State::reacting, State::reacting, State::reacting, State::reacting},
  {State::tracking, State::tracking, State::tracking, State::tracking, State::tracking},
};

constexpr double longest_stale = 5.0;
constexpr double longest_step = 0.02;
constexpr double reaction_fade = 0.1;
constexpr double shortest_fade = 1e-06;
constexpr double steepest_slope = 3.0;
constexpr double rate_per_effort = 10.0;
constexpr double unknown_rate = 1000.0;
constexpr double forgetting_time = 0.1;
constexpr double longest_motion = 5.0;
constexpr double velocity_cutoff = 20.0;
constexpr double moved = 0.002;
constexpr double carried = 0.02;
constexpr double unexplained_share = 0.25;
constexpr double shortest_watch = 1.0;
constexpr int repeats = 5;

}  // namespace robot_dynamics_controller

#endif  // ROBOT_DYNAMICS_CONTROLLER__TRANSITIONS_HPP_
