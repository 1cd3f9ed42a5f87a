// Checks the torques of a cycle on any robot: no step, limits, NaN, no memory. Status 0 if all hold.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

#include <dynamics_feedforward/feedforward.hpp>

using dynamics_feedforward::Feedforward;
using dynamics_feedforward::Outcome;
using dynamics_feedforward::Reference;
using dynamics_feedforward::Settings;
using robot::Vector;

namespace
{

bool memory_is_counted = false;
int allocations = 0;
int failures = 0;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double period = 0.001;
constexpr double rate = 400.0;

void expect(bool holds, const char * what)
{
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", what);
    ++failures;
  }
}

Vector filled(double value)
{
  Vector vector{};
  vector.fill(value);
  return vector;
}

Reference no_reference()
{
  return {filled(nan), filled(nan), filled(nan), filled(nan)};
}

Settings settings()
{
  Settings result;
  result.effort_limits = filled(1000.0);
  result.effort_rates = filled(rate);
  result.gravity = robot::standard_gravity;
  result.fade_time = 0.5;
  return result;
}

double largest_difference(const Vector & a, const Vector & b)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < robot::size; ++i) {
    const double difference = std::abs(a[i] - b[i]);
    // A NaN differs from everything.
    largest = difference <= largest ? largest : std::isnan(difference) ? DBL_MAX : difference;
  }
  return largest;
}

// Runs some cycles; no step may be larger than the rate allows.
Outcome run(Feedforward & controller, const Vector & q, const Reference & reference, int cycles)
{
  Outcome outcome = Outcome::commanded;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    const Vector before = controller.command();
    outcome = controller.update(q, reference, period);
    expect(
      largest_difference(before, controller.command()) <= rate * period * (1.0 + 1e-9),
      "no step is larger than the rate");
  }
  return outcome;
}

Vector gravity_at(const Vector & q)
{
  Vector g{};
  expect(robot::gravity_torque(q, settings().gravity, g) == robot::done, "g(q) exists");
  return g;
}

void fades_from_the_last_command_to_gravity()
{
  Feedforward controller(settings());
  const Vector q = filled(0.3);
  controller.start(filled(7.0));
  controller.update(q, no_reference(), period);
  expect(largest_difference(controller.command(), filled(7.0)) < 0.01, "it starts without a step");
  run(controller, q, no_reference(), 1000);
  expect(controller.settled(), "the fade ends");
  expect(largest_difference(controller.command(), gravity_at(q)) < 1e-9, "it ends at g(q)");
  controller.enable(false);
  run(controller, q, no_reference(), 1000);
  expect(largest_difference(controller.command(), filled(0.0)) == 0.0, "disabled it ends at zero");
}

void an_unknown_last_command_counts_as_zero()
{
  Feedforward controller(settings());
  controller.start(filled(nan));
  expect(largest_difference(controller.command(), filled(0.0)) == 0.0, "NaN counts as zero");
}

void adds_the_effort_of_the_reference()
{
  Feedforward controller(settings());
  const Vector q = filled(0.3);
  controller.start(filled(0.0));
  Reference reference = no_reference();
  reference.effort = filled(2.5);
  run(controller, q, reference, 1000);
  Vector expected = gravity_at(q);
  for (double & value : expected) {
    value += 2.5;
  }
  expect(largest_difference(controller.command(), expected) < 1e-9, "g(q) plus the effort");
  run(controller, q, no_reference(), 200);
  expect(largest_difference(controller.command(), gravity_at(q)) < 1e-9, "NaN effort counts as 0");
}

void follows_a_reference()
{
  Settings following = settings();
  following.follow_reference = true;
  Feedforward controller(following);
  controller.start(filled(0.0));
  Reference reference = no_reference();
  run(controller, filled(0.3), reference, 1000);
  expect(
    largest_difference(controller.command(), gravity_at(filled(0.3))) < 1e-9,
    "without a reference g of the measured position");
  reference.position = filled(0.2);
  reference.velocity = filled(0.4);
  reference.acceleration = filled(-0.6);
  run(controller, filled(0.3), reference, 1000);
  Vector expected{};
  (void)robot::inverse_dynamics(
    reference.position, reference.velocity, reference.acceleration, following.gravity, expected);
  expect(largest_difference(controller.command(), expected) < 1e-9, "the torque of the reference");
}

void leaves_out_motions_that_are_not_finite()
{
  Settings following = settings();
  following.follow_reference = true;
  const Vector q = filled(0.3);
  for (Vector Reference::*part :
    {&Reference::position, &Reference::velocity, &Reference::acceleration})
  {
    Feedforward controller(following);
    controller.start(filled(0.0));
    Reference reference{filled(nan), filled(0.2), filled(0.4), filled(-0.6)};
    reference.*part = filled(nan);
    const Outcome outcome = run(controller, q, reference, 1000);
    expect(outcome == Outcome::commanded, "a reference that is not finite counts as not given");
    expect(
      largest_difference(controller.command(), gravity_at(q)) < 1e-9,
      "it leaves g of the measured position");
  }
}

void limits_efforts()
{
  Settings weak = settings();
  weak.effort_limits = filled(0.5);
  Feedforward controller(weak);
  controller.start(filled(100.0));
  Reference reference = no_reference();
  reference.effort = filled(1e300);
  for (int cycle = 0; cycle < 1000; ++cycle) {
    controller.update(filled(0.3), reference, period);
    for (const double effort : controller.command()) {
      expect(std::abs(effort) <= 0.5, "no effort is larger than its limit");
    }
  }
}

void holds_while_states_are_not_usable()
{
  Feedforward controller(settings());
  controller.start(filled(0.0));
  run(controller, filled(0.3), no_reference(), 1000);
  const Vector held = controller.command();
  for (std::size_t i = 0; i < robot::size; ++i) {
    for (const double bad : {nan, HUGE_VAL, -HUGE_VAL}) {
      Vector q = filled(0.3);
      q[i] = bad;
      expect(run(controller, q, no_reference(), 20) == Outcome::held, "a bad position holds");
      expect(largest_difference(controller.command(), held) == 0.0, "the held command stays");
      run(controller, filled(0.3), no_reference(), 1);
    }
  }
  const Vector q = filled(nan);
  expect(run(controller, q, no_reference(), 200) == Outcome::lost, "then the states are lost");
  expect(largest_difference(controller.command(), held) == 0.0, "the held command still stays");
  expect(run(controller, filled(0.3), no_reference(), 1) == Outcome::commanded, "and come back");
}

void bears_any_period_and_reference()
{
  Feedforward controller(settings());
  controller.start(filled(0.0));
  for (const double bad : {nan, HUGE_VAL, -1.0, 1e9, 0.0}) {
    const Vector before = controller.command();
    Reference reference = no_reference();
    reference.effort = filled(bad);
    controller.update(filled(0.3), reference, bad);
    expect(
      largest_difference(before, controller.command()) <= 0.021 * rate, "a late cycle is no step");
    for (const double effort : controller.command()) {
      expect(std::isfinite(effort), "every command is finite");
    }
  }
}

}  // namespace

void * operator new(std::size_t size)
{
  allocations += memory_is_counted;
  if (void * memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void operator delete(void * memory) noexcept { std::free(memory); }
void operator delete(void * memory, std::size_t) noexcept { std::free(memory); }

int main()
{
  memory_is_counted = true;
  fades_from_the_last_command_to_gravity();
  an_unknown_last_command_counts_as_zero();
  adds_the_effort_of_the_reference();
  follows_a_reference();
  leaves_out_motions_that_are_not_finite();
  limits_efforts();
  holds_while_states_are_not_usable();
  bears_any_period_and_reference();
  memory_is_counted = false;
  expect(allocations == 0, "no memory is taken");
  std::printf("feedforward_test: %s\n", failures ? "FAILED" : "passed");
  return failures ? 1 : 0;
}
