from glob import glob

from setuptools import Extension, find_packages, setup

package_name = 'robot_dynamics_ros'


def extensions():
    """Calls of compiled kernels; without a compiler, the package computes in plain Python."""
    try:
        import numpy
    except ImportError:
        return []
    folder = f'{package_name}/core/compiler'
    entry = Extension(
        f'{package_name}.core.compiler._entry',
        [f'{folder}/_entry.c'],
        include_dirs=[numpy.get_include()],
        optional=True,
    )
    return [entry]


# Of `core` and the command `robot_dynamics`, which must install where there is no ROS.
requirements = ['click', 'numpy', 'rich', 'urdf-parser-py']
# rosbags: older ones decompress with another library, and do not open bare storage files
recordings = [
    'jinja2', 'mcap', 'plotly', 'pyarrow', 'pyyaml', 'rosbags>=0.11.9', 'scipy',
]  # fmt: skip
extras = {
    'native': ['llvmlite>=0.40'],  # LLVM 14
    'oracle': ['pin'],
    'simulation': ['mujoco'],
    'xacro': ['xacro'],
    'view': ['pycollada', 'trimesh', 'viser>=1.1.1'],
    'recordings': recordings,
    'identification': [*recordings, 'lxml', 'pin'],
    'fleet': ['dask', 'distributed'],
    'casadi': ['casadi'],
    'demo': [
        'example-robot-data',
        'matplotlib',
        'mujoco',
        'pillow',
        'pin',
        'pycollada',
        'trimesh',
    ],
    'test': ['example-robot-data', 'hypothesis', 'pytest', 'pytest-timeout', 'sympy'],
}

setup(
    name=package_name,
    version='0.1.0',
    description='The torques a real arm needs, from its URDF and its joint states.',
    author='robot_dynamics_ros maintainers',
    maintainer='robot_dynamics_ros maintainers',
    maintainer_email='maintainers@users.noreply.a-seed-419c1489.example',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[package_name, f'{package_name}.*']),
    package_data={
        package_name: ['py.typed'],
        f'{package_name}.core': ['quantity_methods.pyi'],
        f'{package_name}.core.compiler': ['_entry.pyi'],
        f'{package_name}.core.export': ['templates/*.in'],
        f'{package_name}.report': ['page.css', 'page.html', 'page.js'],
    },
    ext_modules=extensions(),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (f'share/{package_name}', ['package.xml']),
        (f'share/{package_name}/launch', sorted(glob('launch/*.launch.py'))),
        (f'share/{package_name}/config', sorted(glob('config/*'))),
        (f'share/{package_name}/policies', sorted(glob('policies/*'))),
        (f'share/{package_name}/examples', sorted(glob('examples/*.py'))),
        (
            f'share/{package_name}/examples/three_link_arm',
            sorted(glob('examples/three_link_arm/*.*')),
        ),
    ],
    install_requires=requirements,
    extras_require=extras,
    zip_safe=False,
    entry_points={
        'console_scripts': [
            'robot_dynamics = robot_dynamics_ros.executables:robot_dynamics',
            'dynamics_node = robot_dynamics_ros.executables:dynamics_node',
            'dynamics_client = robot_dynamics_ros.executables:dynamics_client',
            'simulated_arm = robot_dynamics_ros.executables:simulated_arm',
            'demo_observer = robot_dynamics_ros.executables:demo_observer',
        ],
    },
)
