/* Nanoseconds of a call of FUNCTION over STATES states, the best of REPEATS. Compiled by exported_c.py. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <robot_dynamics/robot_dynamics.h>

#define STATES 1000
#define REPEATS 300

static double inputs[3][STATES][ROBOT_SIZE];
static double result[ROBOT_SIZE * ROBOT_SIZE];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    double best = 1e9, sum = 0.0;
    int repeat, i, j, k;
    for (k = 0; k < 3; ++k) {
        for (i = 0; i < STATES; ++i) {
            for (j = 0; j < ROBOT_SIZE; ++j) {
                inputs[k][i][j] = 2.0 * rand() / RAND_MAX - 1.0;
            }
        }
    }
    for (repeat = 0; repeat < REPEATS; ++repeat) {
        const double start = seconds();
        double taken;
        for (i = 0; i < STATES; ++i) {
            const double *q = inputs[0][i], *v = inputs[1][i], *a = inputs[2][i];
            (void)v, (void)a;
            sum += CALL;
            sum += result[0];
        }
        taken = (seconds() - start) / STATES;
        best = taken < best ? taken : best;
    }
    printf("%.9g %g\n", best, sum);
    return 0;
}
