#include "load.hpp"

#include <rcutils/sha256.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace robot_dynamics_controller
{

namespace
{

// colcon puts packages of plain CMake, as export-c writes them, on CMAKE_PREFIX_PATH alone.
std::string path_of(const std::string & named)
{
  if (named.find('/') == 0) {
    return named;
  }
  const std::string file = "/lib/" + named + ".so";
  for (const char * variable : {"AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"}) {
    const char * prefixes = std::getenv(variable);
    std::istringstream listed(prefixes ? prefixes : "");
    for (std::string prefix; std::getline(listed, prefix, ':');) {
      if (std::filesystem::is_regular_file(prefix + file)) {
        return prefix + file;
      }
    }
  }
  throw std::runtime_error(
    "dynamics_library is '" + named + "', and no prefix of AMENT_PREFIX_PATH and " +
    "CMAKE_PREFIX_PATH has " + file.substr(1) + ": build the package with colcon and source its " +
    "setup file, or name the whole path of a file");
}

std::string sha256_of(const std::string & text)
{
  rcutils_sha256_ctx_t context;
  rcutils_sha256_init(&context);
  rcutils_sha256_update(
    &context, reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
  std::uint8_t bytes[RCUTILS_SHA256_BLOCK_SIZE];
  rcutils_sha256_final(&context, bytes);
  std::string digits;
  for (const std::uint8_t byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    digits += two;
  }
  return digits;
}

}  // namespace

Library load_library(const std::string & named, const std::string & robot_description)
{
  return Library(path_of(named), sha256_of(robot_description));
}

}  // namespace robot_dynamics_controller
