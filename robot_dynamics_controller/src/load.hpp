// The dynamics library that a parameter names, checked against the description of the robot.
#ifndef LOAD_HPP_
#define LOAD_HPP_

#include <string>

#include "robot_dynamics_controller/library.hpp"

namespace robot_dynamics_controller
{

// named: the path of a file, or package/name. Throws std::runtime_error.
Library load_library(const std::string & named, const std::string & robot_description);

}  // namespace robot_dynamics_controller

#endif  // LOAD_HPP_
