// From measured joints and a reference to effort commands, once in a cycle: as dynamics_node does it
// (robot_dynamics_ros/control). Takes memory when it is constructed only. Needs no ROS.
#ifndef ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_
#define ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "robot_dynamics_controller/library.hpp"
#include "robot_dynamics_controller/transitions.hpp"

namespace robot_dynamics_controller
{

using Vector = std::vector<double>;

enum class Mode { gravity_compensation, feedforward, computed_torque };
// Of the dynamics, in the order of the rows of torque_terms; then friction.
enum Term : std::size_t { gravity_term, coriolis_term, inertial_term, friction_term, term_count };

// Vectors have one entry for each commanded joint.
struct Settings
{
  Mode mode{Mode::gravity_compensation};
  std::array<bool, term_count> terms{};
  std::array<double, 3> gravity{};  // free fall, in the axes of the root link [m/s^2]
  Vector kp{}, kd{};  // [N m/rad, N m s/rad; N/m, N s/m], or as accelerations [1/s^2, 1/s]
  Vector effort_limits{};  // [N m or N]; infinite for none
  double fade_time{1.0};
  double state_timeout{0.1};  // without a usable state, until it is stale [s]
  bool hold_when_stale{true}, hold_when_stopped{false};  // gravity torque, or zero
};

// Of a controller before this one, for each commanded joint; NaN where it gives none.
struct Reference
{
  Vector effort{}, position{}, velocity{}, acceleration{};
};

// Leads the last command to a target that may move: fade, then effort limit, then rate limit.
class Limiter
{
public:
  Limiter(const Vector & limits, double fade_time);
  void use(const Vector & limits, double fade_time) noexcept;
  void begin_at(const Vector & effort) noexcept;
  void request_fade() noexcept { due_ = true; }
  void step(const Vector & target, double elapsed) noexcept;
  bool reached_target() const noexcept { return at_target_ && progress_ >= 1.0 && !due_; }
  const Vector & effort() const noexcept { return effort_; }

private:
  void begin_fade(const Vector & target) noexcept;

  Vector effort_, limits_, rates_, offset_, slope_;
  double fade_time_{0.0}, duration_{0.0}, progress_{1.0};
  bool due_{false}, begun_{false}, at_target_{false};
};

class Cycle
{
public:
  // joints: of those that are commanded, in the library.
  Cycle(const Library & library, const std::vector<std::size_t> & joints, const Settings & settings);

  // Begin at the efforts that the drives have now; what is not finite counts as zero. Where they are
  // the last command, and the pause [s] was short, all goes on, but for a fault that has ended the
  // torque.
  void start(const Vector & efforts, double pause) noexcept;
  // After a reference that moves, the gravity torque: that of a motion is wrong once it is constant.
  void end() noexcept;
  // From the next cycle on, through a fade; the sizes are those of the constructor.
  void use(const Settings & settings) noexcept;
  // Torque is wanted or not; true also ends a fault.
  void enable(bool enabled) noexcept;

  // The commands of this cycle, which is `period` [s] after the one before.
  // q: of all joints of the library; v: of the commanded ones, where `needs_velocities`; NaN where
  // a value is not known.
  void update(const Vector & q, const Vector & v, const Reference & reference, double period) noexcept;

  bool needs_velocities() const noexcept { return settings_.mode != Mode::gravity_compensation; }
  const Vector & effort() const noexcept { return limiter_.effort(); }
  State state() const noexcept { return state_; }
  // No usable state came for `longest_stale`: until enable(true) the torque stays off.
  bool fault() const noexcept { return fault_; }
  // The same where no torque has begun.
  bool lost() const noexcept
  {
    return enabled_ && unusable_for_ - longest_stale > settings_.state_timeout;
  }
  bool enabled() const noexcept { return enabled_; }
  // The joint that was not finite in the last state that was not usable; the number of joints where
  // the torque was not.
  std::size_t unusable() const noexcept { return unusable_; }

private:
  enum class Target { none, follow, hold, zero };
  Target target_of(State state) const noexcept;
  Event event(Target target) const noexcept;
  void evaluation(const Vector & q, const Vector & v, const Reference & reference) noexcept;
  bool follow(const Vector & q, const Vector & v, const Reference &, double elapsed) noexcept;
  bool hold() noexcept;
  void notice_references(const Reference & reference) noexcept;

  const Library library_;
  const std::vector<std::size_t> joints_;
  Settings settings_;
  Limiter limiter_;
  // Of all joints: the last usable positions; the point of the evaluation, and its results.
  Vector last_q_, q_, v_, a_, rows_, load_, travel_, friction_, slips_;
  // Of the commanded joints: effort of controller and feedback; the targets.
  Vector feedback_, followed_, held_;
  std::vector<char> given_;
  State state_{State::silent};
  Target target_{Target::none};
  bool enabled_{true}, fault_{false}, known_{false}, moves_{false};
  int reached_{0};
  std::size_t unusable_{0};
  double unusable_for_{0.0}, since_step_{std::numeric_limits<double>::infinity()};
};

}  // namespace robot_dynamics_controller

#endif  // ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_
