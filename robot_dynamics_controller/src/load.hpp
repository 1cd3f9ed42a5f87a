// The dynamics library that a parameter names, checked against the description of the robot.
#ifndef LOAD_HPP_
#define LOAD_HPP_

#include <rcutils/sha256.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "robot_dynamics_controller/library.hpp"

namespace robot_dynamics_controller
{

// named: the whole path of a file, or package/name. Throws std::runtime_error.
inline Library load_library(const std::string & named, const std::string & robot_description)
{
  std::string path = named.find('/') == 0 ? named : "";
  const std::string file = "/lib/" + named + ".so";
  // colcon puts packages of plain CMake, as export-c writes them, on CMAKE_PREFIX_PATH alone.
  for (const char * variable : {"AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"}) {
    const char * prefixes = std::getenv(variable);
    std::istringstream each(prefixes ? prefixes : "");
    for (std::string prefix; path.empty() && std::getline(each, prefix, ':');) {
      path = std::filesystem::is_regular_file(prefix + file) ? prefix + file : "";
    }
  }
  if (path.empty()) {
    throw std::runtime_error(
      "dynamics_library is '" + named + "', and no prefix of AMENT_PREFIX_PATH and " +
      "CMAKE_PREFIX_PATH has " + file.substr(1) + ": build the package with colcon and source " +
      "its setup file, or name the whole path of a file");
  }
  rcutils_sha256_ctx_t context;
  rcutils_sha256_init(&context);
  rcutils_sha256_update(
    &context, reinterpret_cast<const std::uint8_t *>(robot_description.data()),
    robot_description.size());
  std::uint8_t bytes[RCUTILS_SHA256_BLOCK_SIZE];
  rcutils_sha256_final(&context, bytes);
  std::string hash;
  for (const std::uint8_t byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hash += digits;
  }
  return Library(path, hash);
}

}  // namespace robot_dynamics_controller

#endif  // LOAD_HPP_
