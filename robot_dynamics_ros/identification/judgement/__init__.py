"""How well an identified model predicts data that were not fitted, and what is wrong with them.

Modules::

    survey           a first look at a recording: its split, raw efforts
    extreme_efforts  the smallest and largest efforts, and how long they are held
    fitted_part      the fitted and the held-out part of a recording
    judged_torques   measured, nominal and identified torques
    judged_evidence  what is kept of a recording
    drawn_samples    samples for plots
    windows          short windows: residuals, delays
    whiteness        whether a residual is noise
    clock            delays that change along a recording
    contacts         times at which something touched the robot
    repeated_motion  whether the held-out motion repeats the fitted one
    bad_data         no motion, still joints, saturation, currents, another robot
    conclude         from the evidence to the result
    judgement        the result, and its JSON form
    model_verdicts   the result in sentences
"""

from .judgement import HeldOutSamples, JointJudgement, JudgedRecording, Judgement

__all__ = ['HeldOutSamples', 'JointJudgement', 'JudgedRecording', 'Judgement']
