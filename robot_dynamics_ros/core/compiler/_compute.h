/* From NumPy arrays to a kernel: the checks that every call makes.
 *
 * They are repeated each time: Python can change size, type and layout of an array, of a bound one
 * too.
 */

#ifndef ROBOT_DYNAMICS_COMPUTE_H
#define ROBOT_DYNAMICS_COMPUTE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <stdint.h>
#include <string.h>

/* More than any program has; `make_entry` refuses more. */
#define MOST 16

/* What a kernel returns where there is a result, and `compute` where it did not ask the kernel. */
#define DONE 0
#define UNREADABLE (-3)

/* Inputs smaller than LARGEST = 2^30 lead to no overflow, so that no result need be checked. */
#define LARGEST_BITS ((uint64_t)(1023 + 30) << 52)
#define SIGN ((uint64_t)1 << 63)

typedef int64_t Kernel(const double *const *inputs, double *result);

/* Sizes of the inputs, or of the axes of the result. */
typedef struct {
    int count;
    npy_intp values[MOST];
} Sizes;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Kernel *kernel;
    PyObject *owner;    /* of the machine code */
    PyObject *fallback; /* NULL: there is none */
    PyObject *arrays;   /* of a step: tuple of the inputs and the output; else NULL */
    Sizes inputs;
    Sizes shape;
    npy_intp entries; /* of the result */
} Entry;

/* The doubles of a plain array of that shape that has these flags; else NULL. */
static double *
doubles_of(PyObject *object, int axes, const npy_intp *shape, int flags)
{
    if (!PyArray_CheckExact(object)) {
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array) ||
        PyArray_NDIM(array) != axes || !PyArray_CHKFLAGS(array, flags)) {
        return NULL;
    }
    for (int axis = 0; axis < axes; axis++) {
        if (PyArray_DIM(array, axis) != shape[axis]) {
            return NULL;
        }
    }
    return PyArray_DATA(array);
}

/* Has the sign bit set if a value is not finite, or not smaller than LARGEST.
 *
 * The bits of a magnitude grow with it, NaN and infinity being the largest: adding the distance
 * from LARGEST to the sign bit sets the sign bit of those that are too large. */
static uint64_t
excess_of(const double *values, npy_intp size)
{
    uint64_t excess = 0;
    for (npy_intp i = 0; i < size; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        excess |= (bits & ~SIGN) + (SIGN - LARGEST_BITS);
    }
    return excess;
}

static int
are_apart(const double *first, npy_intp first_size, const double *second, npy_intp second_size)
{
    uintptr_t one = (uintptr_t)first, other = (uintptr_t)second;
    return one + (size_t)first_size * sizeof(double) <= other ||
           other + (size_t)second_size * sizeof(double) <= one;
}

/* Runs the kernel, and returns what it returns; or UNREADABLE, and nothing is written. */
static int64_t
compute(const Entry *entry, PyObject *const *arrays, PyObject *output, int any_size)
{
    const double *inputs[MOST];
    uint64_t excess = 0;
    double *result = doubles_of(output, entry->shape.count, entry->shape.values, NPY_ARRAY_CARRAY);
    if (result == NULL) {
        return UNREADABLE;
    }
    for (int i = 0; i < entry->inputs.count; i++) {
        npy_intp size = entry->inputs.values[i];
        const double *values = doubles_of(arrays[i], 1, &size, NPY_ARRAY_CARRAY_RO);
        if (values == NULL || !are_apart(values, size, result, entry->entries)) {
            return UNREADABLE;
        }
        excess |= excess_of(values, size);
        inputs[i] = values;
    }
    return (excess & SIGN) && !any_size ? UNREADABLE : entry->kernel(inputs, result);
}

#endif
