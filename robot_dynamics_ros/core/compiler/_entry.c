/* Calls of compiled kernels with NumPy arrays, so that a call costs less than the dynamics.
 *
 * All are of type Entry:
 *   make_entry(address, owner, sizes, shape, scratch, lanes)
 *   entry.with_fallback(fallback)           call(input..., out or None) -> array
 *   entry.with_fallback(fallback, arrays)   step() -> None; arrays = (input..., out)
 *   entry.rows(inputs, out, past_caches)    -> number of rows that are written
 *
 * What is not a plain array of float64 below LARGEST, and what has no result, is handed over to the
 * fallback, with the very same arguments. The checks are repeated in each call: Python can change
 * size, type and layout of an array, of a bound one too.
 *
 * An Entry never changes after it is made, so that any number of threads may use it. Threads that
 * change the arrays of a call meanwhile are as wrong as with NumPy itself.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <structmember.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <stdint.h>
#include <string.h>

/* More than any program has; `make_entry` refuses more. */
#define MOST 16
/* Doubles of scratch memory on the stack: Python's smallest stack of a thread has 32 KiB. */
#define MOST_ON_STACK 1024
/* Of vectors in memory [bytes]. */
#define ALIGNMENT 64
/* Doubles in a line of the caches. */
#define LINE 8
/* Doubles of a block of rows that is fetched while another one is computed, so many before. */
#define LEAST_FETCHED 128
#define AHEAD 4

/* Inputs smaller than LARGEST = 2^30 lead to no overflow with masses and lengths that
   `LARGEST` of urdf_xml.py allows, unless a product of these alone comes near 1e298. */
#define LARGEST_BITS ((uint64_t)(1023 + 30) << 52)
#define SIGN ((uint64_t)1 << 63)

/* See `llvm.compile_program`. */
typedef int64_t Kernel(const double *const *inputs, const npy_intp *strides, double *result,
                       double *scratch);

/* Sizes of the inputs, or of the axes of the result. */
typedef struct {
    int count;
    npy_intp values[MOST];
} Sizes;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall; /* of `with_fallback`; else NULL */
    Kernel *kernel;
    PyObject *owner;    /* of the machine code */
    PyObject *fallback; /* NULL: there is none */
    PyObject *arrays;   /* of a step: tuple of the inputs and the output; else NULL */
    Sizes inputs;
    Sizes shape;
    npy_intp entries; /* of the result */
    npy_intp scratch; /* doubles of scratch memory */
    int lanes;
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
static inline uint64_t __attribute__((always_inline))
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

/* Runs the kernel; false if it has no result, or was not asked: then nothing is written. */
static int
compute(const Entry *entry, PyObject *const *arrays, PyObject *output)
{
    const double *inputs[MOST];
    double local[MOST_ON_STACK], *scratch = local;
    uint64_t excess = 0;
    double *result = doubles_of(output, entry->shape.count, entry->shape.values, NPY_ARRAY_CARRAY);
    if (result == NULL) {
        return 0;
    }
    for (int i = 0; i < entry->inputs.count; i++) {
        npy_intp size = entry->inputs.values[i];
        const double *values = doubles_of(arrays[i], 1, &size, NPY_ARRAY_CARRAY_RO);
        if (values == NULL || !are_apart(values, size, result, entry->entries)) {
            return 0;
        }
        excess |= excess_of(values, size);
        inputs[i] = values;
    }
    if (excess & SIGN) {
        return 0;
    }
    if (entry->scratch > MOST_ON_STACK) {
        scratch = PyMem_RawMalloc(entry->scratch * sizeof(double));
        if (scratch == NULL) {
            return 0;
        }
    }
    int64_t failed = entry->kernel(inputs, NULL, result, scratch);
    if (scratch != local) {
        PyMem_RawFree(scratch);
    }
    return !failed;
}

/* Rows of the inputs, and doubles from one to the next; 0 where one row holds for all samples. */
typedef struct {
    const double *first[MOST];
    npy_intp stride[MOST];
} Rows;

/* Fetches a block of rows into the caches; the processor foresees smaller ones by itself. */
static inline void
fetch(const double *first, npy_intp stride, npy_intp size, int lanes)
{
#ifdef __GNUC__
    if (stride != 0 && size * lanes >= LEAST_FETCHED) {
        for (int i = 0; i < lanes; i++) {
            for (npy_intp k = 0; k < size; k += LINE) {
                __builtin_prefetch(first + i * stride + k, 0, 2);
            }
        }
    }
#endif
}

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

/* Copies past the caches, in whole lines: an ordinary store reads the line that it changes, which
 * then takes the place of another one. Processors with vectors of four lanes have AVX. */
__attribute__((target("avx"))) static void
stream(const double *from, double *to, npy_intp size)
{
    for (; size > 0 && (uintptr_t)to % (LINE * sizeof(double)) != 0; size--) {
        *to++ = *from++;
    }
    for (; size >= LINE; size -= LINE, from += LINE, to += LINE) {
        _mm256_stream_pd(to, _mm256_loadu_pd(from));
        _mm256_stream_pd(to + LINE / 2, _mm256_loadu_pd(from + LINE / 2));
    }
    for (; size > 0; size--) {
        *to++ = *from++;
    }
}
#define LEAST_LANES_STREAMED 4
#else
#define stream(from, to, size) memcpy(to, from, (size) * sizeof(double))
#define LEAST_LANES_STREAMED MOST /* none has so many */
#endif

/* Computes samples in blocks of as many as there are lanes; returns how many are written.
 *
 * `staged`, a block of the result, is NULL where it is written directly. What is computed of a
 * sample depends on no other: the last block, if it is not a whole one, begins before the end of
 * that before it. */
static npy_intp
compute_rows(const Entry *entry, const Rows *rows, double *result, npy_intp samples,
             double *scratch, double *staged)
{
    const double *inputs[MOST];
    int lanes = entry->lanes;
    for (npy_intp done = 0; done < samples; done += lanes) {
        npy_intp first = done + lanes <= samples ? done : samples - lanes;
        double *place = result + first * entry->entries;
        for (int i = 0; i < entry->inputs.count; i++) {
            npy_intp stride = rows->stride[i];
            inputs[i] = rows->first[i] + first * stride;
            fetch(inputs[i] + AHEAD * lanes * stride, stride, entry->inputs.values[i], lanes);
        }
        if (entry->kernel(inputs, rows->stride, staged != NULL ? staged : place, scratch)) {
            return done;
        }
        if (staged != NULL) {
            stream(staged, place, lanes * entry->entries);
        }
    }
    return samples;
}

/* Reads an input of `rows`: float64 (size,) or (samples, size) whose rows are contiguous. */
static int
read_rows(PyObject *object, npy_intp size, npy_intp samples, const double **first, npy_intp *stride)
{
    if (PyArray_CheckExact(object)) {
        PyArrayObject *array = (PyArrayObject *)object;
        int axes = PyArray_NDIM(array);
        if (PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(array) &&
            (axes == 1 || (axes == 2 && PyArray_DIM(array, 0) == samples &&
                           PyArray_STRIDE(array, 0) % (npy_intp)sizeof(double) == 0)) &&
            PyArray_DIM(array, axes - 1) == size &&
            (size < 2 || PyArray_STRIDE(array, axes - 1) == sizeof(double))) {
            *first = PyArray_DATA(array);
            *stride = axes == 1 ? 0 : PyArray_STRIDE(array, 0) / (npy_intp)sizeof(double);
            return 1;
        }
    }
    PyErr_Format(PyExc_TypeError, "rows takes aligned float64 arrays whose rows have %zd entries",
                 (Py_ssize_t)size);
    return 0;
}

static PyObject *
rows(PyObject *self, PyObject *arguments)
{
    const Entry *entry = (Entry *)self;
    PyObject *inputs, *output;
    Rows read;
    npy_intp shape[MOST + 1], done;
    int staged;
    if (!PyArg_ParseTuple(arguments, "O!O!p:rows", &PyTuple_Type, &inputs, &PyArray_Type, &output,
                          &staged)) {
        return NULL;
    }
    shape[0] = PyArray_NDIM((PyArrayObject *)output) ? PyArray_DIM((PyArrayObject *)output, 0) : 0;
    memcpy(shape + 1, entry->shape.values, entry->shape.count * sizeof *shape);
    double *result = doubles_of(output, entry->shape.count + 1, shape, NPY_ARRAY_CARRAY);
    if (result == NULL || shape[0] < entry->lanes ||
        PyTuple_GET_SIZE(inputs) != entry->inputs.count) {
        return PyErr_Format(PyExc_TypeError,
                            "rows takes a tuple of %d arrays and an output of at least %d rows",
                            entry->inputs.count, entry->lanes);
    }
    for (int i = 0; i < entry->inputs.count; i++) {
        if (!read_rows(PyTuple_GET_ITEM(inputs, i), entry->inputs.values[i], shape[0],
                       &read.first[i], &read.stride[i])) {
            return NULL;
        }
    }
    staged = staged && entry->lanes >= LEAST_LANES_STREAMED;
    npy_intp size = entry->scratch + (staged ? entry->lanes * entry->entries : 0);
    char *memory = PyMem_RawMalloc(size * sizeof(double) + ALIGNMENT);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    double *scratch = (double *)(memory + ALIGNMENT - (uintptr_t)memory % ALIGNMENT);
    Py_BEGIN_ALLOW_THREADS
    done = compute_rows(entry, &read, result, shape[0], scratch,
                        staged ? scratch + entry->scratch : NULL);
    Py_END_ALLOW_THREADS
    PyMem_RawFree(memory);
    return PyLong_FromSsize_t(done);
}

/* Made once; it stays as long as the process. */
static PyTypeObject *entry_type;

static PyObject *
call(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
    const Entry *entry = (Entry *)self;
    if (names == NULL && PyVectorcall_NARGS(count) == entry->inputs.count + 1) {
        PyObject *output = arguments[entry->inputs.count];
        if (output == Py_None) {
            output = PyArray_SimpleNew(entry->shape.count, entry->shape.values, NPY_DOUBLE);
            if (output == NULL) {
                return NULL;
            }
        }
        else {
            Py_INCREF(output);
        }
        if (compute(entry, arguments, output)) {
            return output;
        }
        Py_DECREF(output);
    }
    return PyObject_Vectorcall(entry->fallback, arguments, count, names);
}

static PyObject *
step(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
    const Entry *entry = (Entry *)self;
    if (names == NULL && PyVectorcall_NARGS(count) == 0) {
        PyObject *const *arrays = PySequence_Fast_ITEMS(entry->arrays);
        if (compute(entry, arrays, arrays[entry->inputs.count])) {
            Py_RETURN_NONE;
        }
    }
    return PyObject_Vectorcall(entry->fallback, arguments, count, names);
}

/* The garbage collector must not see the reference to the owner: else it might finalise the owner
 * of a dead cycle before other objects there, which still call the code. And there is no tp_clear:
 * an object that never changes is part of a cycle only through one that does, which breaks it. So
 * no entry is ever called with anything missing. */
static int
entry_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Entry *)self)->fallback);
    Py_VISIT(((Entry *)self)->arrays);
    return 0;
}

static void
entry_dealloc(PyObject *self)
{
    Entry *entry = (Entry *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(entry->fallback);
    Py_XDECREF(entry->arrays);
    Py_XDECREF(entry->owner);
    type->tp_free(self);
    Py_DECREF(type);
}

/* A new Entry for the kernel of another one, which is copied. */
static PyObject *
new_entry(const Entry *kernel, vectorcallfunc vectorcall, PyObject *fallback, PyObject *arrays)
{
    Entry *entry = (Entry *)entry_type->tp_alloc(entry_type, 0);
    if (entry == NULL) {
        return NULL;
    }
    entry->vectorcall = vectorcall;
    entry->kernel = kernel->kernel;
    entry->owner = Py_NewRef(kernel->owner);
    entry->fallback = Py_XNewRef(fallback);
    entry->arrays = Py_XNewRef(arrays);
    entry->inputs = kernel->inputs;
    entry->shape = kernel->shape;
    entry->entries = PyArray_MultiplyList(entry->shape.values, entry->shape.count);
    entry->scratch = kernel->scratch;
    entry->lanes = kernel->lanes;
    return (PyObject *)entry;
}

static PyObject *
with_fallback(PyObject *self, PyObject *arguments)
{
    const Entry *entry = (Entry *)self;
    PyObject *fallback, *arrays = NULL;
    if (!PyArg_ParseTuple(arguments, "O|O!:with_fallback", &fallback, &PyTuple_Type, &arrays)) {
        return NULL;
    }
    int wanted = entry->inputs.count + 1;
    if (entry->lanes != 1) {
        return PyErr_Format(PyExc_TypeError, "code of batches has no single calls");
    }
    if (arrays != NULL && PyTuple_GET_SIZE(arrays) != wanted) {
        return PyErr_Format(PyExc_TypeError, "a step takes %d arrays, got %zd", wanted,
                            PyTuple_GET_SIZE(arrays));
    }
    return new_entry(entry, arrays == NULL ? call : step, fallback, arrays);
}

static PyMemberDef entry_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Entry, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef entry_methods[] = {
    {"with_fallback", with_fallback, METH_VARARGS,
     "with_fallback(fallback[, arrays]): a function of (input..., out or None), or of nothing."},
    {"rows", rows, METH_VARARGS,
     "rows(inputs, out, past_caches): compute a batch; the number of rows that are written."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot entry_slots[] = {
    {Py_tp_doc, "A compiled quantity, called with arrays or bound to them."},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, entry_members},
    {Py_tp_methods, entry_methods},
    {Py_tp_traverse, entry_traverse},
    {Py_tp_dealloc, entry_dealloc},
    {0, NULL},
};

static PyType_Spec entry_spec = {
    .name = "robot_dynamics_ros.core.compiler._entry.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = entry_slots,
};

/* A converter: fills a Sizes from a tuple. */
static int
read_sizes(PyObject *tuple, void *into)
{
    Sizes *sizes = into;
    Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : -1;
    if (count < 0 || count > MOST) {
        PyErr_Format(PyExc_ValueError, "sizes are %R, a tuple of at most %d is needed", tuple,
                     MOST);
        return 0;
    }
    sizes->count = (int)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        sizes->values[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, i));
        if (sizes->values[i] == -1 && PyErr_Occurred()) {
            return 0;
        }
    }
    return 1;
}

static PyObject *
make_entry(PyObject *module, PyObject *arguments)
{
    Entry kernel;
    PyObject *address;
    if (!PyArg_ParseTuple(arguments, "O!OO&O&ni:make_entry", &PyLong_Type, &address, &kernel.owner,
                          read_sizes, &kernel.inputs, read_sizes, &kernel.shape, &kernel.scratch,
                          &kernel.lanes)) {
        return NULL;
    }
    kernel.kernel = (Kernel *)PyLong_AsVoidPtr(address);
    if (kernel.kernel == NULL) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "address is 0");
    }
    return new_entry(&kernel, NULL, NULL, NULL);
}

static int
execute(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError, "subinterpreters are not supported");
        return -1;
    }
    if (_import_array() < 0) {
        return -1;
    }
    if (entry_type == NULL) {
        entry_type = (PyTypeObject *)PyType_FromSpec(&entry_spec);
    }
    return entry_type == NULL ? -1 : 0;
}

static PyMethodDef module_methods[] = {
    {"make_entry", make_entry, METH_VARARGS, 
     "make_entry(address, owner, sizes, shape, scratch, lanes): an Entry."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, execute},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_entry",
    .m_doc = "Calls of compiled kernels with NumPy arrays.",
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__entry(void)
{
    return PyModuleDef_Init(&module_definition);
}
