// From measured joints and a reference to effort commands, once in a cycle: as dynamics_node does it
// (robot_dynamics_ros/control). Takes memory when it is constructed only. Needs no ROS.
#ifndef ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_
#define ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_

#include <array>
#include <cstddef>
#include <vector>

#include "robot_dynamics_controller/library.hpp"
#include "robot_dynamics_controller/transitions.hpp"

namespace robot_dynamics_controller
{

using Vector = std::vector<double>;

enum class Mode { gravity_compensation, feedforward, computed_torque };
// Of the dynamics, in the order of the rows of torque_terms; then friction.
enum Term : std::size_t { gravity_term, coriolis_term, inertial_term, friction_term, term_count };
// Of the command in a state.
enum class Target { nothing, terms, gravity, zero };

// Vectors have one entry for each commanded joint.
struct Settings
{
  Mode mode{Mode::gravity_compensation};
  std::array<bool, term_count> terms{};
  std::array<double, 3> gravity{};  // in the axes of the root link [m/s^2]
  Vector kp{}, kd{};  // [N m/rad, N m s/rad; N/m, N s/m], or as accelerations [1/s^2, 1/s]
  Vector effort_limits{};  // [N m or N]; infinite for none
  double fade_time{1.0};
  double state_timeout{0.1};  // without a usable state, until it is stale [s]
  bool hold_when_stale{true}, hold_when_stopped{false};  // gravity torque, or zero
  double friction_share{0.3};  // of the friction at a measured velocity, which is motion fed back
  double reference_tolerance{0.2};  // largest |g(q_r) - g(q)|, as a share of the effort limits
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
  void request_fade() noexcept { request_fade(fade_time_); }
  void request_fade(double duration) noexcept { due_ = true, next_ = duration; }
  void step(const Vector & target, double elapsed) noexcept;
  bool reached_target() const noexcept { return at_target_ && progress_ >= 1.0 && !due_; }
  const Vector & effort() const noexcept { return effort_; }

private:
  void begin_fade(const Vector & target) noexcept;

  Vector effort_, limits_, rates_, offset_, slope_;
  double fade_time_{0.0}, next_{0.0}, duration_{0.0}, progress_{1.0};
  bool due_{false}, begun_{false}, at_target_{false};
};

// A manager restarts a controller within a cycle, which took up to 2.3 ms with the activation of a
// joint_trajectory_controller; switched off and on by its services, 7 ms at least [s].
constexpr double longest_restart = 0.005;

class Cycle
{
public:
  // joints: of those that are commanded, in the library.
  Cycle(const Library & library, const std::vector<std::size_t> & joints, const Settings & settings);

  // Begin at the efforts that the interfaces have now; what is not finite counts as zero. Where these
  // are what `end` has left, and the pause [s] is within `longest_restart`, all goes on from the last
  // command, but for a fault that has ended the torque.
  void start(const Vector & efforts, double pause) noexcept;
  // What is left on the interfaces: the target of an arm at rest, as the torque of a motion, or of a
  // feedback, has no reason any more.
  const Vector & end() noexcept;
  // From the next cycle on, through a fade; the sizes are those of the constructor.
  void use(const Settings & settings) noexcept;
  // Torque is wanted or not; true also ends a fault and the reaction to a joint that was too fast.
  void enable(bool enabled) noexcept;

  // The commands of this cycle, which is `period` [s] after the one before.
  // q: of all joints of the library; v: of the commanded ones, where `needs_velocities`; NaN where
  // a value is not known. A joint that is not commanded stays at its last position.
  void update(const Vector & q, const Vector & v, const Reference & reference, double period) noexcept;

  bool needs_velocities() const noexcept { return settings_.mode != Mode::gravity_compensation; }
  const Vector & effort() const noexcept { return limiter_.effort(); }
  State state() const noexcept { return state_; }
  Target target() const noexcept { return target_; }
  Event event() const noexcept { return event_; }  // that led to the state
  // Why the torque stays off until enable(true): `lost` or `double_gravity`; `ready` for no fault.
  Event fault() const noexcept { return fault_; }
  // A joint was too fast: gravity compensation alone, or zero where that drives it, until enable(true).
  bool reacts() const noexcept { return reacts_; }
  // No usable state has come for `longest_stale`.
  bool lost() const noexcept
  {
    return enabled_ && unusable_for_ - longest_stale > settings_.state_timeout;
  }
  bool enabled() const noexcept { return enabled_; }
  // The joint that was not finite in the last state that was not usable; the number of joints where
  // the torque was not finite.
  std::size_t concerned() const noexcept { return concerned_; }
  // The joint of a fault by `double_gravity`, or that was too fast.
  std::size_t blamed() const noexcept { return blamed_; }
  // A joint that is not commanded and is not measured; the number of joints for none.
  std::size_t silent_joint() const noexcept { return silent_joint_; }
  // The joint for whose motion friction is not compensated, as it does not decay; the number of
  // joints for none.
  std::size_t dropped() const noexcept { return dropped_; }
  // A reference that is not followed, as its pose needs another torque; k is `joints.size()` for none.
  struct Far
  {
    std::size_t k;  // the commanded joint
    double reference, measured;  // gravity torque there [N m or N]
  };
  const Far & far() const noexcept { return far_; }

private:
  bool running() const noexcept { return enabled_ && fault_ == Event::ready; }
  Target target_of(State state) const noexcept;
  Event found(Target target) const noexcept;
  std::size_t measure(const Vector & q, const Vector & v) noexcept;
  void take(const Reference & reference) noexcept;
  void evaluation(const Vector & v) noexcept;
  bool follow(const Vector & v, const Reference & reference, double elapsed) noexcept;
  void watch_friction(double elapsed) noexcept;
  bool hold() noexcept;
  void settle() noexcept;
  void experiment(Target target, const Vector & v, double elapsed) noexcept;

  const Library library_;
  const std::vector<std::size_t> joints_;
  Settings settings_;
  Limiter limiter_;
  // Of all joints: positions of this cycle and of the last usable one, gravity torque there; the
  // point of the evaluation, and its results.
  Vector measured_, last_q_, gravity_, q_, v_, a_, rows_, load_, travel_, speeds_, friction_, slips_;
  // Of the commanded joints: what is followed; effort of controller and feedback; the targets; what
  // `end` has left.
  Reference reference_;
  Vector feedback_, followed_, held_, left_;
  std::vector<char> given_;
  // Of the first fade: positions, commands and gravity torques of the joints, low-passed without
  // velocities; since it began, distances along gravity, time, work against gravity, and what of that
  // and of the kinetic energy the commands have not given; the kinetic energy then.
  Vector lagged_, pushed_, carries_, distance_;
  double watched_for_{0.0}, settled_at_{0.0}, work_{0.0}, unexplained_{0.0}, kinetic_{0.0};
  bool first_fade_{false}, with_gravity_{false}, twice_{false};
  // How long each commanded joint has moved without a reference, with the sign of its velocity [s].
  Vector moves_for_;
  State state_{State::silent};
  Target target_{Target::nothing};
  Event event_{Event::stale}, fault_{Event::ready};
  // Whether gravity compensation drives on the joint that is too fast, or was.
  bool enabled_{true}, known_{false}, reacts_{false}, drives_{false}, driven_{false};
  int reached_{0};
  std::size_t concerned_{0}, blamed_{0}, silent_joint_, fast_joint_, dropped_;  // joints of the library
  Far far_{};
  double unusable_for_{0.0}, fast_for_{0.0}, since_step_{0.0};
};

}  // namespace robot_dynamics_controller

#endif  // ROBOT_DYNAMICS_CONTROLLER__CYCLE_HPP_
