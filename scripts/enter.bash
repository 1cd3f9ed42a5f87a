# Sourced by the other scripts: sets up, then enters the built workspace.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup"

# ROS logs below the home folder, and does not start where there is none.
[[ -n ${HOME:-} ]] || export ROS_LOG_DIR=${ROS_LOG_DIR:-$root/log/ros}

if [[ -z ${ROS_DISTRO:-} ]]; then
  # The ROS wheels find their libraries anew, instead of those of an environment around this one.
  unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
fi
set +u # colcon's scripts read variables that may not be set
place=$root
[[ ${ROS_WHEELS:-} != jazzy ]] || place=$root/.jazzy
# shellcheck source=/dev/null
. "$place/.venv/bin/activate"
# shellcheck source=/dev/null
. "$place/install/local_setup.bash"
set -u
