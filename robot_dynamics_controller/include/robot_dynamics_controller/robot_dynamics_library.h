/* C ABI of a dynamics library, written by robot_dynamics export-c --library.
 *
 * Vectors have one entry for each joint, in the order of joint_names, matrices are stored row by
 * row, all in SI units. A function returns 0 if it has written its result; its inputs must be
 * finite. Functions take no memory and may run in any number of threads. */
#ifndef ROBOT_DYNAMICS_LIBRARY_H
#define ROBOT_DYNAMICS_LIBRARY_H

/* Changes with every change of the structure. */
#define ROBOT_DYNAMICS_ABI 2
/* The only symbol of a library: a structure, as below. */
#define ROBOT_DYNAMICS_SYMBOL "robot_dynamics_library"

struct robot_dynamics_library
{
    int abi;   /* ROBOT_DYNAMICS_ABI, and the size of this structure, where it was compiled */
    int bytes;
    const char *name;
    const char *description;        /* SHA-256 of the text of the URDF; "" if it is not known */
    int size;                       /* number of joints */
    const char *const *joint_names; /* UTF-8 */
    const double *effort_limits;    /* [N m or N]; DBL_MAX where the description has none */
    const double *velocity_limits;  /* [rad/s or m/s]; DBL_MAX as above */
    const double *rotors;           /* inertia before the gear [kg m^2 or kg] */
    const double *rest_speeds;      /* below these a joint may stick [rad/s or m/s] */
    const double *turns;            /* 2 pi for a continuous joint, else 0 [rad] */

    /* gravity (x, y, z) in the axes of the root link [m/s^2]. */
    int (*gravity_torque)(const double *q, const double *gravity, double *g);
    int (*inverse_dynamics)(const double *q, const double *v, const double *a,
                            const double *gravity, double *tau);
    /* Rows g(q), C(q, v) v and M(q) a. */
    int (*torque_terms)(const double *q, const double *v, const double *a, const double *gravity,
                        double *rows);
    int (*mass_matrix)(const double *q, double *M);

    /* Rows: the torque that overcomes friction, and two states of pre-sliding, which are slip of
     * the next step; load: the torques that the joints transmit; travel: the way since the step
     * before; friction: one kind after the other, each of all joints that move in the URDF, mimic
     * joints too: viscous, coulomb, viscous_negative, coulomb_negative, gradual, stribeck, load,
     * presliding, presliding_long, smoothing, gradual_smoothing, stribeck_velocity, displacement,
     * displacement_long. NULL, as the next five, where the robot has no friction. */
    int (*friction_step)(const double *v, const double *load, const double *travel,
                         const double *friction, const double *slip, double *rows);
    const double *friction;
    const double *friction_fed_back; /* what of it may be compensated at a measured velocity */
    const double *friction_speeds;   /* largest speeds at which friction is known [rad/s or m/s] */
    const double *torque_offsets;    /* constant torques of the drives [N m or N] */

    /* A state q, v, a with gravity, and its torque_terms; friction_step there, with M a + C v + g
     * as load, no travel and no slip. */
    const double *recorded_q, *recorded_v, *recorded_a, *recorded_gravity, *recorded_terms;
    const double *recorded_friction;
};

#endif
