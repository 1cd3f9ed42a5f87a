"""A recording, played back: measured and model torques, and the findings of `compare`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import RobotModel

from .panels import WINDOW, TorquePanel, block, lines
from .scene import SEVERITIES, RobotScene


class RecordingView:
    """The pose and the torques at a time, and when each finding shows most.

    Attributes:
        scene: the robot.
        panel: torques of the model, marks for measured ones.
        time: slider [s] since the start of the recording, a mark for each finding.
        plays: whether time goes on.
    """

    def __init__(
        self, server: Any, model: RobotModel, urdf: str, folder: Path | None, compared: Compared
    ) -> None:
        """Of a comparison that has samples; joints that were not recorded stay where they are."""
        assert compared.drawn is not None
        self._samples, self._columns = compared.drawn, model.indices_of(compared.drawn.joints)
        self.scene = RobotScene(server, model, urdf, folder)
        self.panel = TorquePanel(server, model, 'Torques', compares=True)
        self.panel.remark.content = block('measured (orange) / model (blue)')
        self._torques = np.full((2, len(self._samples.times), model.size), np.nan)
        self._torques[:, :, self._columns] = self._samples.measured, self._samples.model
        self._looked, self._shown = time.monotonic(), -1
        findings = advised(compared.findings)
        moments = [self._samples.worst_moment(one.joints) for one in findings]
        gui, end = server.gui, float(self._samples.times[-1])
        gui.add_html(block(f'<b>{compared.samples} samples in {end:.4g} s</b>', 14))
        self.plays = gui.add_checkbox('play', True)
        self.speed = gui.add_dropdown('speed', ('0.25', '1', '4', '16'), initial_value='1')
        marks = tuple((at, str(number)) for number, at in enumerate(moments, 1))
        self.time = gui.add_slider('time [s]', 0.0, end, 0.001, 0.0, marks=marks)
        self.time.on_update(self._on_time)
        with gui.add_folder('Findings, and when they show most'):
            gui.add_html(lines(
                [
                    (SEVERITIES[one.severity], f'{number} {one.head}', one.text)
                    for number, one in enumerate(findings, 1)
                ],
                'none: the recording agrees with the model',
            ))  # fmt: skip
            numbers = [label for _, label in marks] or ['-']
            self.jump = gui.add_button_group('go to', numbers, visible=bool(marks))
        self.jump.on_click(lambda event: self.go_to(moments[int(self.jump.value) - 1]))

    def _on_time(self, event: Any) -> None:
        if event.client is not None:
            self.plays.value = False

    def go_to(self, moment: float) -> None:
        """Show a moment [s], and stop there."""
        self.plays.value, self.time.value = False, moment

    def update(self) -> None:
        """Go on in time, and show what was recorded then."""
        passed, self._looked = time.monotonic() - self._looked, time.monotonic()
        if self.plays.value:
            moment = self.time.value + float(self.speed.value) * passed
            self.time.value = moment if moment < self.time.max else 0.0
        times, moment = self._samples.times, self.time.value
        index = min(int(np.searchsorted(times, moment)), len(times) - 1)
        if index == self._shown:
            return
        self._shown, q = index, self.scene.arm.q.copy()
        q[self._columns] = self._samples.positions[index]
        self.scene.arm.place(q)
        measured, model = self._torques
        self.panel.show(model[index], measured[index])
        rows = slice(int(np.searchsorted(times, moment - WINDOW)), index + 1)
        self.panel.plot(times[rows], measured[rows], model[rows])
