#include "robot_dynamics_controller/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace robot_dynamics_controller
{

namespace
{

bool all_finite(const Vector & values) noexcept
{
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

double or_zero(double value) noexcept { return std::isfinite(value) ? value : 0.0; }

}  // namespace

Limiter::Limiter(const Vector & limits, double fade_time)
: effort_(limits.size()), limits_(limits), rates_(limits.size()), offset_(limits.size()),
  slope_(limits.size())
{
  use(limits, fade_time);
}

void Limiter::use(const Vector & limits, double fade_time) noexcept
{
  std::copy(limits.begin(), limits.end(), limits_.begin());
  fade_time_ = fade_time;
  at_target_ = false;
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    // A command beyond lower limits decreases within the same time, whatever they are.
    const double largest = std::max(limits_[i], std::abs(effort_[i]));
    const bool known = std::isfinite(largest) && largest > 0.0;
    rates_[i] = known ? rate_per_effort * largest : unknown_rate;
  }
}

void Limiter::begin_at(const Vector & effort) noexcept
{
  std::copy(effort.begin(), effort.end(), effort_.begin());
  std::fill(offset_.begin(), offset_.end(), 0.0);
  progress_ = 1.0;
  use(limits_, fade_time_);
  request_fade();
}

void Limiter::begin_fade(const Vector & target) noexcept
{
  // A change during a fade keeps the slope at which the offset decays.
  const bool goes_on = progress_ < 1.0 && duration_ > shortest_fade;
  const double x = progress_, per_time = goes_on ? fade_time_ / duration_ : 0.0;
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    const double slope =
      slope_[i] * (1.0 - x) * (1.0 - 3.0 * x) - 6.0 * (x - x * x) * offset_[i];
    offset_[i] = effort_[i] - target[i];
    const double steepest = -steepest_slope * offset_[i];
    slope_[i] = goes_on
      ? std::clamp(slope * per_time, std::min(steepest, 0.0), std::max(steepest, 0.0)) : 0.0;
  }
  duration_ = fade_time_;
  progress_ = duration_ > shortest_fade ? 0.0 : 1.0;
  begun_ = true;
  due_ = false;
}

void Limiter::step(const Vector & target, double elapsed) noexcept
{
  if (due_) {
    begin_fade(target);
  }
  if (!begun_) {
    progress_ = duration_ > 0.0 ? progress_ + elapsed / duration_ : 1.0;
  }
  begun_ = false;
  const double x = std::min(progress_, 1.0);
  const double rest = 1.0 - x * x * (3.0 - 2.0 * x), bend = x * (1.0 - x) * (1.0 - x);
  at_target_ = true;
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    const double wanted = target[i] + rest * offset_[i] + bend * slope_[i];
    const double change = elapsed > 0.0 ? rates_[i] * std::min(elapsed, longest_step) : 0.0;
    const double limited = std::clamp(wanted, -limits_[i], limits_[i]);
    effort_[i] = std::clamp(limited, effort_[i] - change, effort_[i] + change);
    at_target_ &= effort_[i] == limited;
  }
}

Cycle::Cycle(
  const Library & library, const std::vector<std::size_t> & joints, const Settings & settings)
: library_(library), joints_(joints), settings_(settings),
  limiter_(settings.effort_limits, settings.fade_time),
  last_q_(library.size()), q_(library.size()), v_(library.size()), a_(library.size()),
  rows_(3 * library.size()), load_(library.size()), travel_(library.size()),
  friction_(3 * library.size()), slips_(2 * library.size()),
  feedback_(joints.size()), followed_(joints.size()), held_(joints.size()), given_(joints.size())
{
}

void Cycle::start(const Vector & efforts, double pause) noexcept
{
  if (efforts != limiter_.effort() || pause > settings_.state_timeout) {
    std::transform(efforts.begin(), efforts.end(), held_.begin(), or_zero);
    limiter_.begin_at(held_);
    state_ = State::silent;
  }
  if (state_ == State::silent) {
    fault_ = false;
    unusable_for_ = 0.0;
  }
  limiter_.request_fade();
  std::fill(slips_.begin(), slips_.end(), 0.0);
}

void Cycle::end() noexcept
{
  if (target_ == Target::follow && moves_ && hold()) {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      held_[k] = std::clamp(held_[k], -settings_.effort_limits[k], settings_.effort_limits[k]);
    }
    limiter_.begin_at(held_);
  }
}

void Cycle::use(const Settings & settings) noexcept
{
  // Of the same sizes: no memory is taken.
  settings_ = settings;
  limiter_.use(settings.effort_limits, settings.fade_time);
  limiter_.request_fade();
}

void Cycle::enable(bool enabled) noexcept
{
  enabled_ = enabled;
  fault_ &= !enabled;
}

Cycle::Target Cycle::target_of(State state) const noexcept
{
  switch (state) {
    case State::tracking: return Target::follow;
    case State::holding: return settings_.hold_when_stale ? Target::hold : Target::zero;
    case State::stopping: return settings_.hold_when_stopped ? Target::hold : Target::zero;
    default: return Target::none;
  }
}

Event Cycle::event(Target target) const noexcept
{
  const bool running = enabled_ && !fault_, commanding = target != Target::none;
  const bool stale = !known_ || unusable_for_ > settings_.state_timeout;
  // In the order of Event: the first that holds.
  const bool found[] = {
    state_ == State::stopping && !running && target_ == target && limiter_.reached_target() &&
      reached_ > repeats,
    !running,
    commanding && lost(),
    stale,
    true};
  return static_cast<Event>(std::find(std::begin(found), std::end(found), true) - found);
}

void Cycle::update(
  const Vector & q, const Vector & v, const Reference & reference, double period) noexcept
{
  const double elapsed = std::isfinite(period) ? std::max(period, 0.0) : 0.0;
  since_step_ += elapsed;
  notice_references(reference);
  // The first command, and one after a pause, begin a motion.
  const double along = since_step_ <= settings_.state_timeout ? since_step_ : 0.0;
  std::size_t unknown = q.size();
  for (std::size_t i = 0; i < q.size(); ++i) {
    unknown = std::isfinite(q[i]) ? unknown : i;
  }
  for (std::size_t k = 0; k < joints_.size() && needs_velocities(); ++k) {
    unknown = std::isfinite(v[k]) ? unknown : joints_[k];
  }
  const bool usable = unknown == q.size() && follow(q, v, reference, along);
  unusable_ = usable ? unusable_ : unknown;
  unusable_for_ = usable ? 0.0 : unusable_for_ + elapsed;
  if (usable) {
    std::copy(q.begin(), q.end(), last_q_.begin());
    known_ = true;
  } else if (known_ && unusable_for_ <= settings_.state_timeout && enabled_ && !fault_) {
    return;  // it is not answered
  }
  const Event found = event(target_of(state_));
  state_ = transitions[static_cast<std::size_t>(found)][static_cast<std::size_t>(state_)];
  fault_ |= found == Event::lost;
  const Target target = target_of(state_);
  const double step = since_step_;
  since_step_ = 0.0;
  if (target == Target::follow) {
    // A joint at rest forgets how it has moved: noise of its velocity does not push it.
    const double forgets = std::exp(-along / forgetting_time);
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      const std::size_t joint = i % library_.size();
      const bool rests = std::abs(v_[joint]) < library_->rest_speeds[joint];
      slips_[i] = (rests ? forgets : 1.0) * friction_[library_.size() + i];
    }
  } else {
    std::fill(slips_.begin(), slips_.end(), 0.0);
    if (target == Target::zero) {
      std::fill(held_.begin(), held_.end(), 0.0);
    }
    if (target == Target::none || (target == Target::hold && !hold())) {
      target_ = Target::none;
      return;
    }
  }
  if (target != target_) {
    limiter_.request_fade();
    reached_ = 0;
  }
  target_ = target;
  limiter_.step(target == Target::follow ? followed_ : held_, step);
  reached_ = limiter_.reached_target() && !(enabled_ && !fault_) ? reached_ + 1 : 0;
}

void Cycle::notice_references(const Reference & reference) noexcept
{
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const char given = static_cast<char>(
      std::isfinite(reference.effort[k]) + 2 * std::isfinite(reference.position[k]) +
      4 * std::isfinite(reference.velocity[k]) + 8 * std::isfinite(reference.acceleration[k]));
    if (given_[k] != given) {
      limiter_.request_fade();
    }
    given_[k] = given;
  }
}

void Cycle::evaluation(const Vector & q, const Vector & v, const Reference & reference) noexcept
{
  const bool computed = settings_.mode == Mode::computed_torque;
  std::copy(q.begin(), q.end(), q_.begin());
  moves_ = false;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const std::size_t i = joints_[k];
    feedback_[k] = or_zero(reference.effort[k]);
    v_[i] = computed ? v[k] : 0.0;
    a_[i] = 0.0;
    if (settings_.mode == Mode::gravity_compensation || !std::isfinite(reference.position[k])) {
      continue;
    }
    const double v_r = or_zero(reference.velocity[k]), a_r = or_zero(reference.acceleration[k]);
    moves_ |= v_r != 0.0 || a_r != 0.0;
    double error = reference.position[k] - q[i];
    if (library_->turns[i] > 0.0) {
      error -= std::round(error / library_->turns[i]) * library_->turns[i];
    }
    // Without a velocity of the reference there is nothing to compare the measured one with.
    const double rate = std::isfinite(reference.velocity[k]) ? v_r - v[k] : 0.0;
    const double correction = settings_.kp[k] * error + settings_.kd[k] * rate;
    a_[i] = a_r + (computed ? correction : 0.0);
    if (!computed) {
      q_[i] = reference.position[k];
      v_[i] = v_r;
      feedback_[k] += correction;
    }
  }
}

bool Cycle::follow(
  const Vector & q, const Vector & v, const Reference & reference, double elapsed) noexcept
{
  const std::size_t n = library_.size();
  evaluation(q, v, reference);
  int code = 0;
  if (settings_.mode == Mode::gravity_compensation) {
    code = library_->gravity_torque(q_.data(), settings_.gravity.data(), rows_.data());
  } else {
    code = library_->torque_terms(
      q_.data(), v_.data(), a_.data(), settings_.gravity.data(), rows_.data());
  }
  const bool rubs = settings_.terms[friction_term];
  if (rubs && needs_velocities()) {
    for (std::size_t i = 0; i < n; ++i) {
      load_[i] = rows_[i] + rows_[n + i] + rows_[2 * n + i] - library_->rotors[i] * a_[i];
      travel_[i] = v_[i] * elapsed;
    }
    code |= library_->friction_step(
      v_.data(), load_.data(), travel_.data(), library_->friction, slips_.data(),
      friction_.data());
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const std::size_t i = joints_[k];
    followed_[k] = feedback_[k];
    for (std::size_t term = 0; term < 3; ++term) {
      followed_[k] += settings_.terms[term] ? rows_[term * n + i] : 0.0;
    }
    // At rest friction is zero.
    followed_[k] += rubs ? friction_[i] + library_->torque_offsets[i] : 0.0;
  }
  return code == 0 && all_finite(followed_);
}

bool Cycle::hold() noexcept
{
  const int code =
    library_->gravity_torque(last_q_.data(), settings_.gravity.data(), rows_.data());
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    held_[k] = settings_.terms[gravity_term] ? rows_[joints_[k]] : 0.0;
    held_[k] += settings_.terms[friction_term] ? library_->torque_offsets[joints_[k]] : 0.0;
  }
  return code == 0 && all_finite(held_);
}

}  // namespace robot_dynamics_controller
