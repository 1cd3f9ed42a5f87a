// A dynamics library, written by robot_dynamics export-c --library: loaded and checked. Needs no ROS.
#ifndef ROBOT_DYNAMICS_CONTROLLER__LIBRARY_HPP_
#define ROBOT_DYNAMICS_CONTROLLER__LIBRARY_HPP_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "robot_dynamics_controller/robot_dynamics_library.h"

namespace robot_dynamics_controller
{

class Library
{
public:
  // Throws std::runtime_error, which names what came and what is allowed.
  // description_hash: SHA-256 of robot_description, hexadecimal.
  Library(const std::string & path, const std::string & description_hash);

  const robot_dynamics_library * operator->() const noexcept { return table_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(table_->size); }
  std::vector<std::string> joint_names() const;

  // Where these joints, in the order of the library, are among its own; of all where there is none.
  // Throws std::runtime_error.
  std::vector<std::size_t> indices_of(const std::vector<std::string> & joints) const;

private:
  void check(const std::string & path, const std::string & description_hash) const;
  void check_recorded_state(const std::string & path) const;

  std::shared_ptr<void> handle_;
  const robot_dynamics_library * table_;
};

// "a, b, c"
std::string listed(const std::vector<std::string> & names);

}  // namespace robot_dynamics_controller

#endif  // ROBOT_DYNAMICS_CONTROLLER__LIBRARY_HPP_
