#include "load.hpp"

#include <rcutils/sha256.h>

#include <ament_index_cpp/get_package_prefix.hpp>

#include <cstdio>
#include <stdexcept>

namespace robot_dynamics_controller
{

namespace
{

std::string path_of(const std::string & named)
{
  const std::size_t slash = named.find('/');
  if (slash == 0) {
    return named;
  }
  if (slash == std::string::npos || named.find('/', slash + 1) != std::string::npos) {
    throw std::runtime_error(
      "dynamics_library is '" + named + "': package/name or the whole path of a file is needed");
  }
  const std::string package = named.substr(0, slash);
  try {
    return ament_index_cpp::get_package_prefix(package) + "/lib/" + named + ".so";
  } catch (const ament_index_cpp::PackageNotFoundError &) {
    throw std::runtime_error(
      "dynamics_library is '" + named + "': there is no package " + package +
      ", build it with colcon and source its setup file, or name the path of a file");
  }
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
