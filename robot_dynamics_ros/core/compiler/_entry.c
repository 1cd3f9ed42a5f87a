/* Calls of compiled kernels with NumPy arrays, so that a call costs less than the dynamics.
 *
 * All are functions of type Entry:
 *   make_entry(address, owner, sizes, shape)     evaluate(input..., out) -> int
 *   evaluate.with_fallback(fallback)             call(input..., out or None) -> array
 *   evaluate.with_fallback(fallback, arrays)     step() -> None; arrays = (input..., out)
 *
 * What is not a plain array of float64 below LARGEST, and what has no result, is handed over to the
 * fallback, with the very same arguments. `evaluate` takes values of any size, and returns what the
 * kernel returns, or UNREADABLE.
 *
 * An Entry never changes after it is made, so that any number of threads may use it. Threads that
 * change the arrays of a call meanwhile are as wrong as with NumPy itself.
 */

#include "_compute.h"

#include <structmember.h>

/* Made once; it stays as long as the process. */
static PyTypeObject *entry_type;

static PyObject *
evaluate(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
    const Entry *entry = (Entry *)self;
    int wanted = entry->inputs.count + 1;
    if (names != NULL || PyVectorcall_NARGS(count) != wanted) {
        return PyErr_Format(PyExc_TypeError, "evaluate takes %d arrays, got %zd values", wanted,
                            PyVectorcall_NARGS(count));
    }
    return PyLong_FromLongLong(compute(entry, arguments, arguments[wanted - 1], 1));
}

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
        if (compute(entry, arguments, output, 0) == DONE) {
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
        if (compute(entry, arrays, arrays[entry->inputs.count], 0) == DONE) {
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
    if (!PyArg_ParseTuple(arguments, "O!OO&O&:make_entry", &PyLong_Type, &address, &kernel.owner,
                          read_sizes, &kernel.inputs, read_sizes, &kernel.shape)) {
        return NULL;
    }
    kernel.kernel = (Kernel *)PyLong_AsVoidPtr(address);
    if (kernel.kernel == NULL) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "address is 0");
    }
    return new_entry(&kernel, evaluate, NULL, NULL);
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
    {"make_entry", make_entry, METH_VARARGS, "make_entry(address, owner, sizes, shape): an Entry."},
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
