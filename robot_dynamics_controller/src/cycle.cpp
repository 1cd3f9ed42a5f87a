#include "robot_dynamics_controller/cycle.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace robot_dynamics_controller
{

namespace
{

bool all_finite(const Vector & values) noexcept
{
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN(), pi = 3.14159265358979324;

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
  const double x = progress_, per_time = goes_on ? next_ / duration_ : 0.0;
  for (std::size_t i = 0; i < effort_.size(); ++i) {
    const double slope =
      slope_[i] * (1.0 - x) * (1.0 - 3.0 * x) - 6.0 * (x - x * x) * offset_[i];
    offset_[i] = effort_[i] - target[i];
    const double steepest = -steepest_slope * offset_[i];
    slope_[i] = goes_on
      ? std::clamp(slope * per_time, std::min(steepest, 0.0), std::max(steepest, 0.0)) : 0.0;
  }
  duration_ = next_;
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
  measured_(library.size()), last_q_(library.size(), not_measured), gravity_(library.size()),
  q_(library.size()), v_(library.size()), a_(library.size()), rows_(3 * library.size()),
  load_(library.size()), travel_(library.size()), speeds_(library.size()),
  friction_(3 * library.size()), slips_(2 * library.size()),
  reference_{Vector(joints.size()), Vector(joints.size()), Vector(joints.size()),
    Vector(joints.size())},
  feedback_(joints.size()), followed_(joints.size()), held_(joints.size()),
  left_(joints.size(), not_measured), given_(joints.size()), 
  lagged_(joints.size()), pushed_(joints.size()), carries_(joints.size()), distance_(joints.size()), moves_for_(joints.size()),
  silent_joint_(library.size()), fast_joint_(library.size()), dropped_(library.size()), far_{joints.size(), 0.0, 0.0}
{
}

void Cycle::start(const Vector & efforts, double pause) noexcept
{
  if (efforts != left_ || pause > longest_restart) {
    std::transform(efforts.begin(), efforts.end(), held_.begin(), or_zero);
    limiter_.begin_at(held_);
    state_ = State::silent;
    known_ = false;
  }
  if (state_ == State::silent) {
    fault_ = Event::ready;
    twice_ = with_gravity_ = false;
    unusable_for_ = 0.0;
  }
  settle();
  limiter_.request_fade();
  std::fill(slips_.begin(), slips_.end(), 0.0);
  since_step_ = 0.0;
}

const Vector & Cycle::end() noexcept
{
  const Target target = target_of(state_);
  const bool holds = (target == Target::terms || target == Target::gravity) && hold();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const double limit = settings_.effort_limits[k];
    left_[k] = holds ? std::clamp(held_[k], -limit, limit)
      : target == Target::zero ? 0.0 : limiter_.effort()[k];
  }
  return left_;
}

void Cycle::use(const Settings & settings) noexcept
{
  // Of the same sizes: no memory is taken.
  settings_ = settings;
  limiter_.use(settings.effort_limits, settings.fade_time);
  limiter_.request_fade();
  settle();
}

void Cycle::enable(bool enabled) noexcept
{
  const bool ends = enabled_ && !enabled;
  enabled_ = enabled;
  if (enabled) {
    fault_ = Event::ready;
    reacts_ = twice_ = false;
  } else if (ends) {
    settle();
  }
}

// The interfaces hold what has been there before; it goes to `on_stop` where no torque is wanted.
void Cycle::settle() noexcept
{
  if (!running() && state_ == State::silent) {
    state_ = State::stopping;
    event_ = Event::stopped;
    target_ = Target::nothing;
  }
}

Target Cycle::target_of(State state) const noexcept
{
  // Zero as a reaction stays zero: gravity compensation would move the arm again.
  const bool zero = reacts_ && driven_;
  switch (state) {
    case State::tracking: return Target::terms;
    case State::holding:
      return settings_.hold_when_stale && !zero ? Target::gravity : Target::zero;
    case State::reacting: return zero ? Target::zero : Target::gravity;
    case State::stopping:
      return settings_.hold_when_stopped && !twice_ && !zero ? Target::gravity : Target::zero;
    default: return Target::nothing;
  }
}

Event Cycle::found(Target target) const noexcept
{
  const bool stale = !known_ || unusable_for_ > settings_.state_timeout;
  // In the order of Event: the first that holds.
  const bool holds[] = {
    state_ == State::stopping && !running() && target_ == target && limiter_.reached_target() &&
      reached_ > repeats,
    twice_,
    !running(),
    target != Target::nothing && lost(),
    stale,
    reacts_,
    true};
  return static_cast<Event>(std::find(std::begin(holds), std::end(holds), true) - holds);
}

void Cycle::update(
  const Vector & q, const Vector & v, const Reference & reference, double period) noexcept
{
  const double elapsed = std::isfinite(period) ? std::max(period, 0.0) : 0.0;
  since_step_ += elapsed;
  // The first command, and one after a pause, begin a motion.
  const double along = since_step_ <= settings_.state_timeout ? since_step_ : 0.0;
  const std::size_t unknown = measure(q, v), fast_before = fast_joint_;
  const bool usable = unknown == q.size() && follow(v, reference, along);
  unusable_for_ = usable ? 0.0 : unusable_for_ + elapsed;
  double fade_time = settings_.fade_time;
  if (usable) {
    std::copy(measured_.begin(), measured_.end(), last_q_.begin());
    known_ = true;
    const bool goes_on = fast_before < q.size() && fast_joint_ < q.size();
    fast_for_ = goes_on ? fast_for_ + since_step_ : 0.0;
    if (fast_for_ > settings_.state_timeout && !reacts_) {
      reacts_ = true;
      driven_ = drives_;
      blamed_ = fast_joint_;
      fade_time = reaction_fade;
    }
  } else {
    concerned_ = unknown;
    if (known_ && unusable_for_ <= settings_.state_timeout && running()) {
      return;  // it is not answered
    }
  }
  const Event event = found(target_of(state_));
  const State before = state_;
  state_ = transitions[static_cast<std::size_t>(event)][static_cast<std::size_t>(before)];
  event_ = state_ == before ? event_ : event;
  if (running() && state_ == State::stopping) {
    fault_ = event;
  }
  const Target target = target_of(state_);
  const double step = since_step_;
  since_step_ = 0.0;
  if (target == Target::terms) {
    // A joint at rest forgets how it has moved: noise of its velocity does not push it.
    const double forgets = std::exp(-along / forgetting_time);
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      const std::size_t joint = i % library_.size();
      const bool rests = std::abs(v_[joint]) < library_->rest_speeds[joint];
      slips_[i] = (rests ? forgets : 1.0) * friction_[library_.size() + i];
    }
  } else {
    std::fill(slips_.begin(), slips_.end(), 0.0);
    std::fill(moves_for_.begin(), moves_for_.end(), 0.0);
    dropped_ = library_.size();
    if (target == Target::zero) {
      std::fill(held_.begin(), held_.end(), 0.0);
    }
    if (target == Target::nothing || (target == Target::gravity && !hold())) {
      target_ = Target::nothing;
      with_gravity_ = false;
      return;
    }
  }
  experiment(target, v, step);
  if (target != target_) {
    limiter_.request_fade(event == Event::double_gravity ? 0.0 : fade_time);
    reached_ = 0;
  }
  target_ = target;
  limiter_.step(target == Target::terms ? followed_ : held_, step);
  reached_ = limiter_.reached_target() && !running() ? reached_ + 1 : 0;
}

// Positions of this cycle, in measured_. Returns a joint that has no value; the number of joints for
// none.
std::size_t Cycle::measure(const Vector & q, const Vector & v) noexcept
{
  std::size_t unknown = q.size(), k = 0;
  silent_joint_ = q.size();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const bool commanded = k < joints_.size() && joints_[k] == i;
    measured_[i] = std::isfinite(q[i]) || commanded ? q[i] : last_q_[i];
    silent_joint_ = std::isfinite(q[i]) || commanded ? silent_joint_ : i;
    const bool moves = commanded && needs_velocities();
    if (!std::isfinite(measured_[i]) || (moves && !std::isfinite(v[k]))) {
      unknown = i;
    }
    k += commanded;
  }
  return unknown;
}

// The reference that is followed: without positions that need another gravity torque than the arm
// has. A part of it that begins or ends fades.
void Cycle::take(const Reference & reference) noexcept
{
  const std::size_t size = joints_.size();
  std::copy(reference.effort.begin(), reference.effort.end(), reference_.effort.begin());
  std::copy(reference.position.begin(), reference.position.end(), reference_.position.begin());
  std::copy(reference.velocity.begin(), reference.velocity.end(), reference_.velocity.begin());
  std::copy(
    reference.acceleration.begin(), reference.acceleration.end(), reference_.acceleration.begin());
  std::copy(measured_.begin(), measured_.end(), q_.begin());
  bool given = false;
  for (std::size_t k = 0; k < size && needs_velocities(); ++k) {
    if (std::isfinite(reference.position[k])) {
      q_[joints_[k]] = reference.position[k];
      given = true;
    }
  }
  far_.k = size;
  if (given && library_->gravity_torque(q_.data(), settings_.gravity.data(), rows_.data()) == 0) {
    for (std::size_t k = 0; k < size && far_.k == size; ++k) {
      const double there = rows_[joints_[k]], here = gravity_[joints_[k]];
      if (std::abs(there - here) > settings_.reference_tolerance * settings_.effort_limits[k]) {
        far_ = {k, there, here};
        std::fill(reference_.position.begin(), reference_.position.end(), not_measured);
      }
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    const char now = static_cast<char>(
      std::isfinite(reference_.effort[k]) + 2 * std::isfinite(reference_.position[k]) +
      4 * std::isfinite(reference_.velocity[k]) + 8 * std::isfinite(reference_.acceleration[k]));
    if (given_[k] != now) {
      limiter_.request_fade();
    }
    given_[k] = now;
  }
}

void Cycle::evaluation(const Vector & v) noexcept
{
  const bool computed = settings_.mode == Mode::computed_torque;
  std::copy(measured_.begin(), measured_.end(), q_.begin());
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const std::size_t i = joints_[k];
    feedback_[k] = or_zero(reference_.effort[k]);
    v_[i] = computed ? v[k] : 0.0;
    a_[i] = 0.0;
    if (!needs_velocities() || !std::isfinite(reference_.position[k])) {
      continue;
    }
    const double v_r = or_zero(reference_.velocity[k]), a_r = or_zero(reference_.acceleration[k]);
    double error = reference_.position[k] - measured_[i];
    if (library_->turns[i] > 0.0) {
      error -= std::round(error / library_->turns[i]) * library_->turns[i];
    }
    // Without a velocity of the reference there is nothing to compare the measured one with.
    const double rate = std::isfinite(reference_.velocity[k]) ? v_r - v[k] : 0.0;
    const double correction = settings_.kp[k] * error + settings_.kd[k] * rate;
    a_[i] = a_r + (computed ? correction : 0.0);
    if (!computed) {
      q_[i] = reference_.position[k];
      v_[i] = v_r;
      feedback_[k] += correction;
    }
  }
}

bool Cycle::follow(const Vector & v, const Reference & reference, double elapsed) noexcept
{
  const std::size_t n = library_.size();
  int code =
    library_->gravity_torque(measured_.data(), settings_.gravity.data(), gravity_.data());
  take(reference);
  evaluation(v);
  if (!needs_velocities()) {
    std::copy(gravity_.begin(), gravity_.end(), rows_.begin());
  } else {
    code |= library_->torque_terms(
      q_.data(), v_.data(), a_.data(), settings_.gravity.data(), rows_.data());
  }
  const bool rubs = settings_.terms[friction_term];
  // At a measured velocity, friction that is compensated is motion fed back.
  const bool fed_back = settings_.mode == Mode::computed_torque;
  if (rubs && needs_velocities()) {
    for (std::size_t i = 0; i < n; ++i) {
      load_[i] = rows_[i] + rows_[n + i] + rows_[2 * n + i] - library_->rotors[i] * a_[i];
      travel_[i] = v_[i] * elapsed;
      speeds_[i] = std::clamp(v_[i], -library_->friction_speeds[i], library_->friction_speeds[i]);
    }
    code |= library_->friction_step(
      speeds_.data(), load_.data(), travel_.data(),
      fed_back ? library_->friction_fed_back : library_->friction, slips_.data(),
      friction_.data());
  }
  if (rubs && fed_back) {
    watch_friction(elapsed);
  }
  const bool compensates = rubs && dropped_ == n;
  const double share = fed_back ? settings_.friction_share : 1.0;
  fast_joint_ = n;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const std::size_t i = joints_[k];
    followed_[k] = feedback_[k];
    for (std::size_t term = 0; term < 3; ++term) {
      followed_[k] += settings_.terms[term] ? rows_[term * n + i] : 0.0;
    }
    // At rest friction is zero.
    followed_[k] += compensates ? share * friction_[i] + library_->torque_offsets[i] : 0.0;
    const bool watched = state_ == State::tracking && needs_velocities();
    if (watched && std::abs(v[k]) > library_->velocity_limits[i]) {
      fast_joint_ = i;
      // Nothing drives it on.
      const double held = settings_.terms[gravity_term] ? rows_[i] : 0.0;
      const double rest = held * v[k] > 0.0 ? 0.0 : held;
      followed_[k] = (followed_[k] - held) * v[k] > 0.0 ? rest : followed_[k];
      drives_ = held * v[k] > 0.0;
    }
  }
  return code == 0 && all_finite(followed_);
}

// Drops friction where a joint moves on and on without a reference, until the arm has rested.
void Cycle::watch_friction(double elapsed) noexcept
{
  bool rests = true, given = false;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const double v = v_[joints_[k]];
    const bool moves = std::abs(v) > library_->rest_speeds[joints_[k]];
    // Its sign is that of the direction; zero where it rests.
    const bool goes_on = moves && moves_for_[k] * v > 0.0;
    moves_for_[k] = !moves ? 0.0 : goes_on ? moves_for_[k] + std::copysign(elapsed, v)
      : std::copysign(std::numeric_limits<double>::min(), v);
    rests &= !moves;
    given |= std::isfinite(reference_.position[k]);
  }
  const std::size_t before = dropped_, n = library_.size();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    moves_for_[k] = given ? 0.0 : moves_for_[k];
    if (dropped_ == n && std::abs(moves_for_[k]) > longest_motion) {
      dropped_ = joints_[k];
    }
  }
  dropped_ = rests || given ? n : dropped_;
  if (dropped_ != before) {
    limiter_.request_fade();
  }
}

bool Cycle::hold() noexcept
{
  const int code = known_
    ? library_->gravity_torque(last_q_.data(), settings_.gravity.data(), rows_.data()) : 1;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    held_[k] = settings_.terms[gravity_term] ? rows_[joints_[k]] : 0.0;
    held_[k] += settings_.terms[friction_term] ? library_->torque_offsets[joints_[k]] : 0.0;
  }
  return code == 0 && all_finite(held_);
}

// Watches the arm while gravity fades in from zero: what it gains in energy, and the commands have not
// given, is the work of another gravity compensation. One that falls, swings, or is lifted by a
// controller, gains nothing else.
void Cycle::experiment(Target target, const Vector & v, double elapsed) noexcept
{
  const Vector & effort = limiter_.effort(), & limits = settings_.effort_limits;
  const bool with_gravity =
    settings_.terms[gravity_term] && (target == Target::terms || target == Target::gravity);
  const bool begins = with_gravity && !with_gravity_;
  with_gravity_ = with_gravity;
  if (begins) {
    const auto is_zero = [](double x) { return x == 0.0; };
    first_fade_ = target_ != Target::nothing || std::all_of(effort.begin(), effort.end(), is_zero);
  }
  watched_for_ = begins ? 0.0 : watched_for_ + elapsed;
  first_fade_ &= with_gravity && watched_for_ <= std::max(settings_.fade_time, shortest_watch);
  for (std::size_t k = 0; k < joints_.size() && needs_velocities(); ++k) {
    first_fade_ &= !std::isfinite(reference_.position[k]);
  }
  if (!first_fade_) {
    return;
  }
  // Without velocities: those of low-passed positions, once these have settled, and commands alike.
  constexpr double cutoff = 2.0 * pi * velocity_cutoff;
  if (begins || unusable_for_ > 0.0) {
    settled_at_ = watched_for_ + (begins && needs_velocities() ? 0.0 : 5.0 / cutoff);
  }
  const bool settles = begins || watched_for_ < settled_at_;
  const double weight = begins || needs_velocities() ? 1.0 : 1.0 - std::exp(-cutoff * elapsed);
  double largest = 0.0;
  std::fill(speeds_.begin(), speeds_.end(), 0.0);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const std::size_t i = joints_[k];
    const double q = last_q_[i], way = weight * (q - lagged_[k]);
    lagged_[k] += way;
    speeds_[i] = needs_velocities() ? v[k] : cutoff * (q - lagged_[k]);
    pushed_[k] += weight * (effort[k] - pushed_[k]);
    const double before = carries_[k];
    carries_[k] += weight * (gravity_[i] - before);
    const double lifted = (carries_[k] + before) * way / 2.0;
    distance_[k] = settles ? 0.0 : distance_[k] + std::copysign(way, gravity_[i] * way);
    work_ += lifted;
    unexplained_ += lifted - pushed_[k] * way;
    largest = std::max(largest, std::abs(gravity_[i]));
  }
  // The inertial torque of an acceleration as large as the velocity is the momentum.
  library_->torque_terms(
    last_q_.data(), speeds_.data(), speeds_.data(), settings_.gravity.data(), rows_.data());
  const double kinetic = 0.5 * std::inner_product(
    speeds_.begin(), speeds_.end(), rows_.begin() + 2 * library_.size(), 0.0);
  if (settles) {
    work_ = 0.0;
    unexplained_ = -kinetic;
    kinetic_ = kinetic;
  }
  const double explained = unexplained_share * (work_ + kinetic + kinetic_);
  const bool foreign = work_ > 0.0 && unexplained_ + kinetic > explained;
  for (std::size_t k = 0; k < joints_.size() && foreign; ++k) {
    const double limit = std::isfinite(limits[k]) ? limits[k] : largest;
    if (std::abs(gravity_[joints_[k]]) > carried * limit && distance_[k] > moved) {
      twice_ = true;
      blamed_ = joints_[k];
    }
  }
}

}  // namespace robot_dynamics_controller
