// The cycle of the controller, for tests in Python (ctypes): test/controller/.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <string>

#include "robot_dynamics_controller/cycle.hpp"

using robot_dynamics_controller::Cycle;
using robot_dynamics_controller::Library;
using robot_dynamics_controller::Mode;
using robot_dynamics_controller::Reference;
using robot_dynamics_controller::Settings;
using robot_dynamics_controller::Vector;

namespace
{

long allocations = 0;

// As in Python: numbers of the mode, the terms, gravity, kp, kd, limits, times, policies, shares.
Settings settings_of(int mode, const int * terms, const double * numbers, std::size_t k)
{
  Settings settings;
  settings.mode = static_cast<Mode>(mode);
  std::copy_n(terms, settings.terms.size(), settings.terms.begin());
  std::copy_n(numbers, 3, settings.gravity.begin());
  settings.kp.assign(numbers + 3, numbers + 3 + k);
  settings.kd.assign(numbers + 3 + k, numbers + 3 + 2 * k);
  settings.effort_limits.assign(numbers + 3 + 2 * k, numbers + 3 + 3 * k);
  const double * rest = numbers + 3 + 3 * k;
  settings.fade_time = rest[0];
  settings.state_timeout = rest[1];
  settings.hold_when_stale = rest[2] != 0.0;
  settings.hold_when_stopped = rest[3] != 0.0;
  settings.friction_share = rest[4];
  settings.reference_tolerance = rest[5];
  return settings;
}

struct Driven
{
  std::unique_ptr<Cycle> cycle;
  std::size_t n, k;
  Vector q, v;
  Reference reference;
};

}  // namespace

void * operator new(std::size_t size)
{
  ++allocations;
  if (void * memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void * memory) noexcept { std::free(memory); }
void operator delete(void * memory, std::size_t) noexcept { std::free(memory); }

extern "C" {

// What the loader says of a library and joints, separated by commas; empty if it takes them.
const char * refusal(const char * path, const char * hash, const char * const * joints, int count)
{
  static std::string said;
  said.clear();
  try {
    (void)Library(path, hash).indices_of({joints, joints + count});
  } catch (const std::exception & error) {
    said = error.what();
  }
  return said.c_str();
}

Driven * begin(
  const char * path, const char * hash, const char * const * joints, int count, int mode,
  const int * terms, const double * numbers, const double * efforts)
{
  const Library library(path, hash);
  const auto indices = library.indices_of({joints, joints + count});
  const std::size_t n = library.size(), k = indices.size();
  const Vector none(k);
  auto * driven = new Driven{
    std::make_unique<Cycle>(library, indices, settings_of(mode, terms, numbers, k)), n, k,
    Vector(n), none, {none, none, none, none}};
  driven->cycle->start({efforts, efforts + k}, 0.0);
  return driven;
}

void use(Driven * driven, int mode, const int * terms, const double * numbers)
{
  driven->cycle->use(settings_of(mode, terms, numbers, driven->k));
}

void enable(Driven * driven, int enabled) { driven->cycle->enable(enabled != 0); }

// Off; effort: what is left.
void stop(Driven * driven, double * effort)
{
  const Vector & left = driven->cycle->end();
  std::copy(left.begin(), left.end(), effort);
}

// On again after a pause, with these efforts on the interfaces; what is commanded then in effort.
void start(Driven * driven, double * effort, double pause)
{
  driven->cycle->start({effort, effort + driven->k}, pause);
  std::copy_n(driven->cycle->effort().begin(), driven->k, effort);
}

// reference: rows effort, position, velocity, acceleration; state: number of the state, the target
// and the fault, lost, reacts, joint concerned, blamed, silent joint, joint for which friction is
// dropped, reference that is too far away.
// Returns the number of allocations.
long update(
  Driven * driven, const double * q, const double * v, const double * reference, double period,
  double * efforts, int * state)
{
  std::copy_n(q, driven->n, driven->q.begin());
  std::copy_n(v, driven->k, driven->v.begin());
  for (Vector * row : {&driven->reference.effort, &driven->reference.position,
      &driven->reference.velocity, &driven->reference.acceleration})
  {
    std::copy_n(reference, driven->k, row->begin());
    reference += driven->k;
  }
  const long before = allocations;
  driven->cycle->update(driven->q, driven->v, driven->reference, period);
  const long taken = allocations - before;
  std::copy_n(driven->cycle->effort().begin(), driven->k, efforts);
  const Cycle & cycle = *driven->cycle;
  const int found[] = {
    static_cast<int>(cycle.state()), static_cast<int>(cycle.target()),
    static_cast<int>(cycle.fault()), cycle.lost(), cycle.reacts(),
    static_cast<int>(cycle.concerned()), static_cast<int>(cycle.blamed()),
    static_cast<int>(cycle.silent_joint()), static_cast<int>(cycle.dropped()),
    static_cast<int>(cycle.far().k)};
  std::copy(std::begin(found), std::end(found), state);
  return taken;
}

void end(Driven * driven) { delete driven; }

}  // extern "C"
