# The ROS wheels' CMake targets name the include folder of the machine that built them (/opt/python/...),
# and CMake refuses a target whose include folder does not exist. Drop those folders: nothing needs them,
# because the packages that use Python's headers find Python themselves.
# Read by CMake right after project(), through CMAKE_PROJECT_INCLUDE.

function(drop_build_machine_includes directory)
  get_property(targets DIRECTORY "${directory}" PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(includes MATCHES "/opt/python/")
      list(FILTER includes EXCLUDE REGEX "/opt/python/")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${includes}")
    endif()
  endforeach()
  get_property(subdirectories DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS subdirectories)
    drop_build_machine_includes("${subdirectory}")
  endforeach()
endfunction()

# Deferred to the end of the configuration, when all targets are known.
cmake_language(DEFER CALL drop_build_machine_includes "${CMAKE_CURRENT_SOURCE_DIR}")

# The generated C++ sources are short and include the same long headers: compiled together, they take a
# fraction of the time.
function(compile_type_support_together)
  get_property(targets DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    if(target MATCHES "__rosidl_typesupport_(cpp|fastrtps_c|fastrtps_cpp|introspection_cpp)$")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL compile_type_support_together)
