"""What views show beside the robot: torques as bars and over time, and lines of text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from html import escape
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.link_geometry import Color

# As many plots as a panel holds, and the time that they show [s].
PLOTS, WINDOW = 6, 20.0
MEASURED, MODEL, BEYOND, FILL = '#e8850c', '#3a6ea5', '#c1121f', '#3a6ea5'
PIECE = '<div style="position:absolute;top:0;bottom:0;left:{:.2f}%;width:{};background:{}"></div>'
ROW = (
    '<div style="display:flex;justify-content:space-between"><b>{}</b>'
    '<span style="color:{}">{}</span></div><div style="position:relative;height:10px;'
    'margin:2px 0 7px;background:#e9ecef;border-radius:3px;overflow:hidden">{}</div>'
)


def block(content: str, size: int = 12) -> str:
    """HTML of a panel; what comes from outside is to be escaped before."""
    return f'<div style="font-size:{size}px;padding:2px 12px;line-height:1.35">{content}</div>'


def lines(rows: Iterable[tuple[Color, str, str]], none: str = '') -> str:
    """HTML of lines: a colour, a head and a text each."""
    found = [
        f'<div style="margin:4px 0;padding-left:8px;border-left:4px solid rgb{color}">'
        f'<b>{escape(head)}</b> {escape(text)}</div>'
        for color, head, text in rows
    ]
    return block(''.join(found) or none)


def payload_inputs(gui: Any, model: RobotModel) -> tuple[Any, Any, Any]:
    """Where a payload is, its mass [kg], and its centre of mass in the axes of the link [m]."""
    moving = [frame.name for frame in model.frames if frame.body >= 0]
    return (
        gui.add_dropdown('at', moving, initial_value=model.tip_frame(model.joint_names)),
        gui.add_number('mass [kg]', 0.0, min=0.0, step=0.1),
        gui.add_vector3('centre [m]', (0.0, 0.0, 0.0), step=0.01),
    )


class TorquePanel:
    """Bars of all joints, from zero to the effort limit on either side, and plots of some.

    Attributes:
        bars: HTML.
        plots: of uPlot; empty without a comparison.
        remark: HTML below the bars.
    """

    def __init__(self, server: Any, model: RobotModel, title: str, *, compares: bool) -> None:
        """Dock it at the left; with plots where a measurement is compared."""
        gui, self._model, self._largest = server.gui, model, np.full(model.size, 1e-9)
        names = model.joint_names
        self._pages = {
            f'{names[at]} ...': range(at, min(at + PLOTS, model.size))
            for at in range(0, model.size, PLOTS)
        }
        panel = gui.add_panel()
        panel.dock_left()
        panel.set_width(330)
        with panel.add_tab(title):
            self.bars, self.remark = gui.add_html(''), gui.add_html('')
            pages = [*self._pages]
            self.page = gui.add_dropdown('plots of', pages, visible=compares and len(pages) > 1)
            blank = np.array([-WINDOW, 0.0])
            self.plots = [
                gui.add_uplot(
                    (blank, *np.zeros((2, 2))),
                    (
                        {'label': 'time [s]'},
                        {'label': 'measured', 'stroke': MEASURED, 'width': 2.5},
                        {'label': 'model', 'stroke': MODEL, 'width': 1.2},
                    ),
                    title=name, height=140, visible=False, legend={'show': False},
                    scales={'x': {'time': False}}, axes=({'size': 24}, {'size': 44}),
                )
                for name in names[: PLOTS if compares else 0]
            ]  # fmt: skip

    def show(
        self, torque: Array, measured: Array | None = None, saturated: Collection[str] = ()
    ) -> None:
        """Show torques (n,) [N m or N] as bars, measured ones as marks; NaN is not known."""
        rows, limits = [], self._model.effort_bounds
        self._largest = np.fmax(self._largest, np.abs(torque))
        scales = np.where(np.isfinite(limits), limits, self._largest)
        both = np.array([torque, torque if measured is None else measured])
        ends = np.clip(both / scales, -1.0, 1.0)
        units = self._model.effort_units
        for index, name in enumerate(self._model.joint_names):
            end, mark = 50.0 + 50.0 * ends[:, index]
            # Rounded here: nothing is -0.00.
            value, limit = np.round(torque[index], 2) + 0.0, limits[index]
            text = '-' if np.isnan(value) else f'{value:.2f} {units[index]}'
            if np.isfinite(limit):
                text += f' of {limit:.4g}'
            red = abs(value) > limit or name in saturated
            color = BEYOND if red else FILL
            pieces = PIECE.format(50.0, '1px', '#495057')
            if np.isfinite(end):
                pieces += PIECE.format(min(end, 50.0), f'{abs(end - 50.0):.2f}%', color)
            if measured is not None and np.isfinite(mark):
                text = f'{measured[index]:.2f} / {text}'
                pieces += PIECE.format(0.985 * mark, '4px', MEASURED)
            rows.append(ROW.format(escape(name), color if red else 'inherit', text, pieces))
        self.bars.content = block(''.join(rows))

    def plot(self, times: Array, measured: Array, model: Array) -> None:
        """Plot torques (K, n) at times (K,) [s], where both are known: uPlot cannot scale NaN."""
        page = self._pages[self.page.value]
        for number, plot in enumerate(self.plots):
            joint = page[number] if number < len(page) else 0
            rows = np.isfinite(measured[:, joint] + model[:, joint])
            plot.visible = number < len(page) and bool(rows.any())
            if plot.visible:
                unit = self._model.effort_units[joint]
                plot.title = f'{self._model.joint_names[joint]} [{unit}]'
                plot.data = (times[rows], measured[rows, joint], model[rows, joint])
