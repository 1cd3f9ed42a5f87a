"""The acts as MuJoCo draws the arm: a strip for the picture of a run, and the README's film."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.link_geometry import link_shapes
from robot_dynamics_ros.mjcf import spec_of

from .client import Phase
from .plan import Plan

# Of each act: what it shows, how long [s], and where the strip shows it, as a share of that.
ACTS: Mapping[str, tuple[str, float, float]] = {
    'fall': ('Without torque it falls', 1.2, 0.6),
    'hold': ('Gravity compensation: it stays', 1.2, 0.5),
    'follow': ('Feedforward: it follows a trajectory', 3.2, 0.3),
    'push': ('Pushed: the node feels the force', 1.6, 0.5),
    'wall': ('It meets a wall: the node holds', 2.8, 1.0),
}
BEFORE = 1.2  # shown before the wall is touched [s]
FRAME_RATE = 15  # [Hz]
SIZE = 440, 400  # of the drawn arm, in pixels
LINE, SHORT = (0.86, 0.88, 0.9, 1.0), 1e-3  # of links without a shape: colour; length of none [m]
FORCE, WALL = (0.8, 0.2, 0.15, 1.0), (0.75, 0.25, 0.2, 0.35)
ARROW, HALF_WALL = 0.25, 0.2  # [m]
BLUE, RED, GREY = '#2c6fbb', '#c0392b', '#777777'


class Film:
    """What is shown of a run; an act without messages of the node has no torque."""

    def __init__(self, urdf: str, folder: Path, plan: Plan, phases: Mapping[str, Phase]) -> None:
        """Prepare the acts, whose meshes are looked for from the folder of the URDF on.

        Raises:
            RuntimeError: OpenGL cannot draw here.
        """
        self._plan, self._phases = plan, phases
        touched = phases['wall']['applied'].stamps
        self._starts = dict.fromkeys(ACTS, 0.0)
        self._starts['wall'] = max(0.0, touched[0] - BEFORE) if len(touched) else 0.0
        seen = [self._position(act, time) for act in ACTS for time in self._times(act)]
        self._camera = Camera(urdf, folder, plan, np.array(seen))

    def strip(self) -> list[tuple[str, Any]]:
        """The title and an RGB image of each act."""
        return [
            (title, self._image(act, share * end)) for act, (title, end, share) in ACTS.items()
        ]

    def save(self, file: Path) -> None:
        """Write all acts in real time, with the commanded torques: .webp or .gif."""
        from PIL import Image  # which matplotlib needs

        first, *others = (Image.fromarray(frame) for frame in self._frames())
        timing = {'duration': round(1000 / FRAME_RATE), 'loop': 0}
        first.save(file, save_all=True, append_images=others, quality=70, method=6, **timing)

    def _times(self, act: str) -> Array:
        return np.arange(round(ACTS[act][1] * FRAME_RATE)) / FRAME_RATE

    def _newest(self, act: str, topic: str, time: float) -> Any:
        """The message of a time since the act is shown [s]; None before the first."""
        samples = self._phases[act][topic]
        index = np.searchsorted(samples.stamps, self._starts[act] + time + 1e-9) - 1
        return samples.messages[index] if index >= 0 else None

    def _position(self, act: str, time: float) -> Array:
        message = self._newest(act, 'states', time) or self._phases[act]['states'].messages[0]
        found = dict(zip(message.name, message.position, strict=True))
        return np.array([found[joint] for joint in self._plan.joints])

    def _force(self, act: str, time: float) -> Array:
        """The force on the tool that the node feels (3,), in the axes of the tool [N]."""
        message = self._newest(act, 'wrenches', time) if act == 'push' else None
        force = message and message.wrench.force
        return np.array([force.x, force.y, force.z]) if force else np.zeros(3)

    def _image(self, act: str, time: float) -> Any:
        force = self._force(act, time)
        drawn = force if np.linalg.norm(force) > 1.0 else None
        return self._camera.draw(self._position(act, time), drawn, wall=act == 'wall')

    def _frames(self) -> Iterator[Any]:
        width, height = SIZE
        figure = Figure(figsize=(width / 100, height / 100), dpi=100)
        canvas, axes = FigureCanvasAgg(figure), figure.add_axes((0.36, 0.12, 0.6, 0.5))
        names, limits = self._plan.joints, self._plan.dynamics.model.effort_bounds
        bars = axes.barh(range(len(names)), np.zeros(len(names)), color=BLUE)
        axes.set(xlim=(-1, 1), xlabel='commanded torque / limit', yticks=range(len(names)))
        axes.set_yticklabels(names, size=9)
        axes.invert_yaxis()
        axes.axvline(0.0, color=GREY, lw=0.8)
        axes.spines[['top', 'right', 'left']].set_visible(False)
        title = figure.text(0.04, 0.94, '', size=13, weight='bold', va='top', wrap=True)
        state = figure.text(0.04, 0.80, '', size=12, color=BLUE, va='top', weight='bold')
        note = figure.text(0.04, 0.73, '', size=10, color=GREY, va='top')
        for act, (words, *_) in ACTS.items():
            title.set_text(words)
            for time in self._times(act):
                told, force = self._newest(act, 'torques', time), self._force(act, time)
                efforts = dict(zip(told.joint_names, told.effort, strict=True)) if told else {}
                for bar, name, limit in zip(bars, names, limits, strict=True):
                    bar.set_width(efforts.get(name, 0.0) / limit)
                state.set_text(told.state if told else 'the node is not active')
                felt = np.linalg.norm(force)
                event = f'event: {told.event}' if told else ''
                note.set_text(f'felt: {felt:.1f} N' if felt > 1.0 else event)
                state.set_color(RED if told and told.state == 'REACTING' else BLUE)
                canvas.draw()
                panel = np.asarray(canvas.buffer_rgba())[:, :, :3]
                yield np.concatenate([self._image(act, time), panel], axis=1)


class Camera:
    """Draws poses of an arm."""

    def __init__(self, urdf: str, folder: Path, plan: Plan, seen: Array, size=SIZE) -> None:
        """Look at where the arm is in all the poses `seen` (m, n), across the way to the wall.

        Raises:
            RuntimeError: OpenGL cannot draw here.
        """
        try:
            import mujoco
            from mujoco.egl import GLContext  # which needs no display

            self._mj, self._plan, self._size = mujoco, plan, size
            spec = spec_of(urdf)
            spec.compiler.discardvisual = False
            _add_shapes(mujoco, spec, urdf, folder)
            low, centre, reach = self._extent(spec.compile(), seen)
            _add_ground(mujoco, spec, low, reach)
            self._model = spec.compile()
            self._data = mujoco.MjData(self._model)
            self._gl = GLContext(*size)
            self._gl.make_current()
            self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
            self._scene = mujoco.MjvScene(self._model, maxgeom=10000)
        except Exception as error:  # a missing library of OpenGL shows as an error of any kind
            raise RuntimeError(f'MuJoCo cannot draw here: {error}') from error
        self._view = view = mujoco.MjvCamera()
        x, y, _ = plan.wall_normal
        view.azimuth, view.elevation = np.degrees(np.arctan2(y, x)) + 65.0, -12.0
        # Far enough that all of it is in the picture.
        view.lookat[:], view.distance = centre, reach

    def _extent(self, model: Any, seen: Array) -> tuple[float, Array, float]:
        """Of all poses: the lowest point, the centre, and the size [m]."""
        data, points = self._mj.MjData(model), [np.zeros((1, 3))]
        for q in seen:
            self._pose(model, data, q)
            points.append(data.site_xpos.copy())
        points = np.concatenate(points)
        low, high = points.min(axis=0), points.max(axis=0)
        return low[2] - 0.1, (low + high) / 2, float(np.linalg.norm(high - low))

    def _pose(self, model: Any, data: Any, q: Array) -> None:
        for name, value in zip(self._plan.joints, q, strict=True):
            data.joint(name).qpos = value
        self._mj.mj_kinematics(model, data)

    def draw(self, q: Array, force: Array | None = None, wall: bool = False) -> Any:
        """The arm at q (n,) as an RGB image; a force (3,) [N] in axes of the tool pushes it."""
        mj, plan = self._mj, self._plan
        self._pose(self._model, self._data, q)
        mj.mj_camlight(self._model, self._data)
        scene, shown, seen = self._scene, mj.MjvOption(), int(mj.mjtCatBit.mjCAT_ALL)
        mj.mjv_updateScene(self._model, self._data, shown, None, self._view, seen, scene)
        if force is not None and force.any():
            R, place = plan.dynamics.frame_pose(q, plan.tool)
            begin = place - ARROW * R @ force / np.linalg.norm(force)
            arrow = self._added(scene, mj.mjtGeom.mjGEOM_ARROW, FORCE)
            mj.mjv_connector(arrow, mj.mjtGeom.mjGEOM_ARROW, 0.02, begin, place)
        if wall:
            turn, axes = np.empty(4), np.empty(9)
            mj.mju_quatZ2Vec(turn, plan.wall_normal)
            mj.mju_quat2Mat(axes, turn)
            centre = plan.wall_point - 0.01 * plan.wall_normal
            size = [HALF_WALL, HALF_WALL, 0.01]
            self._added(scene, mj.mjtGeom.mjGEOM_BOX, WALL, size, centre, axes)
        (width, height), image = self._size, np.empty((*self._size[::-1], 3), np.uint8)
        whole = mj.MjrRect(0, 0, width, height)
        mj.mjr_render(whole, scene, self._context)
        mj.mjr_readPixels(image, None, whole, self._context)
        return image[::-1]

    def _added(
        self, scene: Any, kind: Any, colour: Any, size=(0, 0, 0), place=(0, 0, 0), axes=(0.0,) * 9
    ) -> Any:
        geom = scene.geoms[scene.ngeom]
        given = (np.array(part, float) for part in (size, place, axes))
        self._mj.mjv_initGeom(geom, kind, *given, np.array(colour, np.float32))
        scene.ngeom += 1
        return geom


def _add_shapes(mujoco: Any, spec: Any, urdf: str, folder: Path) -> None:
    """Those of the links, or lines between the joints of a URDF without any."""
    still, kinds = {'contype': 0, 'conaffinity': 0}, mujoco.mjtGeom
    shapes, _ = link_shapes(urdf, folder)
    for link, parts in shapes.items():
        body = spec.body(link) or spec.worldbody
        for part in parts:
            mesh = spec.add_mesh(name=f'mesh{len(spec.meshes)}')
            mesh.uservert, mesh.userface = part.mesh.vertices.ravel(), part.mesh.faces.ravel()
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # also of what is flat
            rgba = [*(channel / 255.0 for channel in part.color), 1.0]
            body.add_geom(type=kinds.mjGEOM_MESH, meshname=mesh.name, rgba=rgba, **still)
    for body in () if shapes else spec.bodies[1:]:
        for child in (child for child in body.bodies if np.linalg.norm(child.pos) > SHORT):
            line = {'fromto': [0, 0, 0, *child.pos], 'size': [0.03, 0, 0], 'rgba': LINE}
            body.add_geom(type=kinds.mjGEOM_CAPSULE, **line, **still)


def _add_ground(mujoco: Any, spec: Any, low: float, reach: float) -> None:
    """A floor below every pose, a column to the base, and light."""
    world, kinds = spec.worldbody, mujoco.mjtGeom
    builtin, role = mujoco.mjtBuiltin, mujoco.mjtTextureRole.mjTEXROLE_RGB
    sky = {'builtin': builtin.mjBUILTIN_GRADIENT, 'rgb1': [1, 1, 1], 'rgb2': [0.8, 0.85, 0.9]}
    spec.add_texture(
        name='sky', type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=256, height=256, **sky
    )
    tiles = {'builtin': builtin.mjBUILTIN_CHECKER, 'rgb1': [0.93] * 3, 'rgb2': [0.87] * 3}
    spec.add_texture(
        name='tiles', type=mujoco.mjtTexture.mjTEXTURE_2D, width=256, height=256, **tiles
    )
    floor = spec.add_material(name='floor', texrepeat=[3, 3], texuniform=True)
    floor.textures[role] = 'tiles'
    still = {'contype': 0, 'conaffinity': 0}
    size = [10 * reach, 10 * reach, 0.1]
    world.add_geom(type=kinds.mjGEOM_PLANE, pos=[0, 0, low], size=size, material='floor', **still)
    column = {'fromto': [0, 0, low, 0, 0, 0], 'size': [0.08, 0, 0], 'rgba': [0.4, 0.4, 0.42, 1]}
    world.add_geom(type=kinds.mjGEOM_CYLINDER, **column, **still)
    world.add_light(pos=[0, 0, 3 * reach], dir=[0, 0, -1], diffuse=[0.35] * 3, castshadow=True)
    spec.visual.headlight.ambient[:] = 0.4
    spec.visual.quality.shadowsize = 1024
    spec.visual.global_.offwidth = spec.visual.global_.offheight = 1024
