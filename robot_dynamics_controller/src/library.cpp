#include "robot_dynamics_controller/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <stdexcept>

namespace robot_dynamics_controller
{

namespace
{

constexpr char remedy[] =
  ": write it again from a recording of this /robot_description, robot_dynamics export-c BAG "
  "--library DIR";

[[noreturn]] void refuse(const std::string & path, const std::string & why)
{
  throw std::runtime_error("dynamics_library " + path + ' ' + why);
}

}  // namespace

std::string listed(const std::vector<std::string> & names)
{
  std::string text;
  for (const std::string & name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

Library::Library(const std::string & path, const std::string & description_hash)
{
  if (!std::filesystem::is_regular_file(path)) {
    refuse(path, "is not there: name a file by its whole path, or package/name");
  }
  // Two robots have the same symbol: RTLD_LOCAL keeps them apart.
  handle_ = {dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void * handle) {
      if (handle) {
        dlclose(handle);
      }
    }};
  if (!handle_) {
    const char * said = dlerror();
    refuse(path, std::string("cannot be loaded: ") + (said ? said : "no reason was given"));
  }
  table_ = static_cast<const robot_dynamics_library *>(
    dlsym(handle_.get(), ROBOT_DYNAMICS_SYMBOL));
  if (!table_) {
    refuse(path, "has no symbol " ROBOT_DYNAMICS_SYMBOL ": a library of export-c is needed");
  }
  check(path, description_hash);
  check_recorded_state(path);
}

std::vector<std::string> Library::joint_names() const
{
  return {table_->joint_names, table_->joint_names + table_->size};
}

std::vector<std::size_t> Library::indices_of(const std::vector<std::string> & joints) const
{
  const std::vector<std::string> names = joint_names();
  std::vector<std::size_t> indices;
  for (const std::string & joint : joints.empty() ? names : joints) {
    const auto found = std::find(names.begin(), names.end(), joint);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() || (!indices.empty() && index <= indices.back())) {
      throw std::runtime_error(
        "joints are [" + listed(joints) + "]: joints of the dynamics library are needed, in its " +
        "order, [" + listed(names) + "]; " + joint +
        (found == names.end() ? " is none of them" : " comes before the one that is named first"));
    }
    indices.push_back(index);
  }
  return indices;
}

void Library::check(const std::string & path, const std::string & description_hash) const
{
  if (table_->abi != ROBOT_DYNAMICS_ABI || table_->bytes != sizeof(robot_dynamics_library)) {
    refuse(
      path, "has version " + std::to_string(table_->abi) + " of the interface, with " +
      std::to_string(table_->bytes) + " bytes; this controller takes version " +
      std::to_string(ROBOT_DYNAMICS_ABI) + " with " +
      std::to_string(sizeof(robot_dynamics_library)) + remedy);
  }
  const std::string hash = table_->description;
  if (hash != description_hash) {
    refuse(
      path, "is of robot " + std::string(table_->name) + " with the description " +
      (hash.empty() ? "of unknown hash" : hash) + ", robot_description has " + description_hash +
      remedy);
  }
}

void Library::check_recorded_state(const std::string & path) const
{
  const std::size_t n = size();
  const auto & at = *table_;
  std::vector<double> rows(3 * n), tau(n), g(n), mass(n * n), friction(3 * n), zeros(2 * n);
  const double * q = at.recorded_q, * v = at.recorded_v, * a = at.recorded_a;
  bool same = at.torque_terms(q, v, a, at.recorded_gravity, rows.data()) == 0 &&
    at.inverse_dynamics(q, v, a, at.recorded_gravity, tau.data()) == 0 &&
    at.gravity_torque(q, at.recorded_gravity, g.data()) == 0 && at.mass_matrix(q, mass.data()) == 0;
  same &= !at.friction_step || at.friction_step(
    v, tau.data(), zeros.data(), at.friction, zeros.data(), friction.data()) == 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < 3 * n; ++i) {
    largest = std::max(largest, std::abs(at.recorded_terms[i]));
  }
  // Not true of a NaN.
  const auto compare = [&](double x, double y) { same &= std::abs(x - y) <= 1e-9 * largest; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t entry = i; entry < 3 * n; entry += n) {
      compare(rows[entry], at.recorded_terms[entry]);
    }
    compare(tau[i], rows[i] + rows[n + i] + rows[2 * n + i]);
    compare(g[i], rows[i]);
    compare(std::inner_product(a, a + n, &mass[i * n], 0.0), rows[2 * n + i]);
    compare(friction[i], at.friction_step ? at.recorded_friction[i] : 0.0);
  }
  if (!same) {
    refuse(path, std::string("computes other torques than were recorded with it") + remedy);
  }
}

}  // namespace robot_dynamics_controller
