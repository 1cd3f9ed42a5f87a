"""The exported package: configured, built, checked, installed, and found by another project."""

import ctypes
import os
import shutil

import pytest
from exported_library import needs_compilers, run
from property_settings import ALL
from three_joints import URDF

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.export import export_c

pytestmark = [
    pytest.mark.contract,
    needs_compilers,
    pytest.mark.skipif(not shutil.which('cmake'), reason='there is no CMake'),
]

CMAKE = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
find_package(arm_dynamics 1.0 REQUIRED)
add_executable(user user.cpp)
target_compile_features(user PRIVATE cxx_std_{standard})
target_compile_options(user PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(user PRIVATE arm_dynamics::arm_dynamics)
"""
# With a span where there is one; the state is that of the test.
PROGRAM = """
#include <cstdio>
#include <vector>
#include <arm_dynamics/arm_dynamics.hpp>

int main()
{
    const arm_dynamics::Vector q{0.3, -0.2, 0.7};
    const std::array<double, 3> gravity = arm_dynamics::standard_gravity;
    arm_dynamics::Vector g{};
    int code = arm_dynamics::gravity_torque(q, gravity, g);
#if defined(__cpp_lib_span)
    std::vector<double> buffer(3);
    const std::span<double, 3> spanned(buffer);
    code += arm_dynamics::gravity_torque(q, gravity, spanned);
    code += spanned[0] != g[0];
#endif
    for (const double value : g) {
        std::printf("%.17g ", value);
    }
    return code;
}
"""


@pytest.fixture(scope='module')
def environment():
    """Without other installations, which CMake would search."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ('CMAKE_PREFIX_PATH', 'AMENT_PREFIX_PATH')
    }


@pytest.fixture(scope='module')
def installed(tmp_path_factory, environment):
    """The prefix of an installed package; its check has passed."""
    folder = tmp_path_factory.mktemp('export')
    files = export_c(
        parse_urdf(URDF), name='arm', quantities=['gravity_torque'], urdf=URDF, library=True
    )
    write_folder(folder / 'arm', files)
    build = folder / 'build'
    run('cmake', '-S', folder / 'arm', '-B', build, f'-DCMAKE_INSTALL_PREFIX={folder / "prefix"}',
        env=environment)  # fmt: skip
    run('cmake', '--build', build, env=environment)
    assert '100% tests passed' in run('ctest', '--test-dir', build, env=environment).stdout
    run('cmake', '--install', build, env=environment)
    return folder / 'prefix'


@pytest.mark.parametrize('standard', [17, 20] if ALL else [17])
def test_another_project_finds_it(standard, installed, tmp_path, environment):
    (tmp_path / 'CMakeLists.txt').write_text(CMAKE.format(standard=standard))
    (tmp_path / 'user.cpp').write_text(PROGRAM)
    build = tmp_path / 'build'
    run('cmake', '-S', tmp_path, '-B', build, f'-DCMAKE_PREFIX_PATH={installed}', env=environment)
    run('cmake', '--build', build, env=environment)
    values = list(map(float, run(build / 'user').stdout.split()))
    dynamics = RobotDynamics(parse_urdf(URDF), backend='python')
    expected = dynamics.gravity_torque([0.3, -0.2, 0.7])
    assert values == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_ros_and_colcon_find_it(installed):
    """As a package of plain CMake, by its package.xml."""
    assert (installed / 'share/ament_index/resource_index/packages/arm_dynamics').is_file()
    pytest.importorskip('colcon_cmake')
    catkin_package = pytest.importorskip('catkin_pkg.package')
    package = catkin_package.parse_package(installed / 'share' / 'arm_dynamics')
    assert (package.name, package.get_build_type()) == ('arm_dynamics', 'cmake')


def test_the_controller_finds_its_library(installed):
    library = ctypes.CDLL(str(installed / 'lib/arm_dynamics/arm.so'))
    assert ctypes.c_int.in_dll(library, 'robot_dynamics_library').value == 2
    assert not hasattr(library, 'arm_gravity_torque')
