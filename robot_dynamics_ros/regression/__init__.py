"""One regression for what recordings say of a robot: a list of regressors, one fit, intervals.

    tau = Y(q, v, a) pi + sum over k of c_k phi_k(q, v, a), with c_k >= 0 where physics says so

>>> motions, terms = recording.motions(cutoff=80.0), [*friction_basis(), OFFSET]
>>> rows = make_rows(dynamics, [payload_on(model, 'flange'), *terms], motions, cutoff=10.0)
>>> found = Fit(rows)
>>> found.value('payload'), found.half_widths('payload')

Modules::

    regressors   the list: a term of the torque is one entry
    bodies       bodies that can exist: pseudo-inertias, log-Cholesky coordinates
    rows         motions to filtered and decimated rows of the regression
    fit          weights of joints and samples, bounds: the coefficients
    intervals    their covariance where residuals are correlated in time
"""
