// From positions and a reference to effort commands, once a cycle. Takes no memory, needs no ROS.
#ifndef DYNAMICS_FEEDFORWARD__FEEDFORWARD_HPP_
#define DYNAMICS_FEEDFORWARD__FEEDFORWARD_HPP_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <dynamics_feedforward/robot.hpp>

namespace dynamics_feedforward
{

using robot::Vector;

struct Settings
{
  Vector effort_limits{};  // [N m or N], each at least 0 and finite
  Vector effort_rates{};   // [N m/s or N/s], each greater than 0 and finite
  std::array<double, 3> gravity{};  // free fall, in the axes of the root link [m/s^2]
  double fade_time{1.0};      // from the first command to the full one [s], greater than 0
  double state_timeout{0.1};  // without a usable position, until the states are lost [s]
  bool follow_reference{false};  // whether M a + C v + g of the reference, or g of the measurement
};

// Per joint, NaN where there is none: the effort of a feedback controller, and the motion wanted.
struct Reference
{
  Vector effort{};
  Vector position{};
  Vector velocity{};
  Vector acceleration{};
};

enum class Outcome
{
  commanded,
  held,  // a position is not usable: the command stays as it was
  lost,  // for longer than state_timeout
};

class Feedforward
{
public:
  explicit Feedforward(const Settings & settings) noexcept : settings_(settings) {}

  // Begin at the efforts that the drives have now; what is not finite counts as zero.
  void start(const Vector & efforts) noexcept
  {
    for (std::size_t i = 0; i < robot::size; ++i) {
      const double limit = settings_.effort_limits[i];
      command_[i] = std::isfinite(efforts[i]) ? std::clamp(efforts[i], -limit, limit) : 0.0;
    }
    unusable_for_ = 0.0;
    enabled_ = true;
    begin_fade();
  }

  // Fade to zero torque, or back to the full one.
  void enable(bool enabled) noexcept
  {
    if (enabled != enabled_) {
      enabled_ = enabled;
      begin_fade();
    }
  }

  // The commands of this cycle, which is `period` [s] after the one before.
  Outcome update(const Vector & q, const Reference & reference, double period) noexcept
  {
    // A cycle that came late must not allow a large step.
    const double step = std::isfinite(period) ? std::clamp(period, 0.0, longest_step) : 0.0;
    Vector target{};
    if (!model_torque(q, reference, target)) {
      unusable_for_ += step;
      return unusable_for_ > settings_.state_timeout ? Outcome::lost : Outcome::held;
    }
    unusable_for_ = 0.0;
    faded_ = std::min(1.0, faded_ + step / settings_.fade_time);
    const double part = faded_ * faded_ * (3.0 - 2.0 * faded_);
    for (std::size_t i = 0; i < robot::size; ++i) {
      const double feedback = std::isfinite(reference.effort[i]) ? reference.effort[i] : 0.0;
      const double limit = settings_.effort_limits[i];
      const double full = enabled_ ? std::clamp(target[i] + feedback, -limit, limit) : 0.0;
      const double wanted = from_[i] + part * (full - from_[i]);
      const double change = settings_.effort_rates[i] * step;
      command_[i] = std::clamp(wanted, command_[i] - change, command_[i] + change);
    }
    return Outcome::commanded;
  }

  const Vector & command() const noexcept { return command_; }

  // Whether the fade is over.
  bool settled() const noexcept { return faded_ >= 1.0; }

private:
  static constexpr double longest_step = 0.02;  // [s]

  void begin_fade() noexcept
  {
    from_ = command_;
    faded_ = 0.0;
  }

  // Returns false if there is no finite torque at this position. The exported functions do not look
  // for NaN: all that they are given is finite here.
  bool model_torque(const Vector & q, const Reference & reference, Vector & torque) const noexcept
  {
    if (!all_finite(q)) {
      return false;
    }
    int code = robot::done;
    if (settings_.follow_reference) {
      Vector position{}, velocity{}, acceleration{};
      for (std::size_t i = 0; i < robot::size; ++i) {
        const bool given = std::isfinite(reference.position[i]) &&
          std::isfinite(reference.velocity[i]) && std::isfinite(reference.acceleration[i]);
        // A joint without a reference is held where it is.
        position[i] = given ? reference.position[i] : q[i];
        velocity[i] = given ? reference.velocity[i] : 0.0;
        acceleration[i] = given ? reference.acceleration[i] : 0.0;
      }
      code = robot::inverse_dynamics(position, velocity, acceleration, settings_.gravity, torque);
    } else {
      code = robot::gravity_torque(q, settings_.gravity, torque);
    }
    return code == robot::done && all_finite(torque);
  }

  static bool all_finite(const Vector & values) noexcept
  {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  }

  Settings settings_;
  Vector command_{};
  Vector from_{};
  double faded_{0.0};
  double unusable_for_{0.0};
  bool enabled_{true};
};

}  // namespace dynamics_feedforward

#endif  // DYNAMICS_FEEDFORWARD__FEEDFORWARD_HPP_
