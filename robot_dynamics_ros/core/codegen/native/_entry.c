/* Calls of compiled kernels with NumPy arrays, so that a call costs less than the dynamics.
 *
 * `make_code(address, engine, sizes, shape)` makes a Code. It makes functions of type Entry:
 *   code.call(fallback)                       call(input..., out or None) -> array
 *   code.step(fallback, input..., out)        step() -> None, with these arrays
 * and `code.evaluate(input..., out)` returns what the kernel returns, at values of any size.
 *
 * An Entry checks type, size, layout and alignment of every array each time: Python can change all
 * of them, of a bound array too. What is not a plain array of float64 below LARGEST, and what has
 * no result, it hands over to its fallback, with the very same arguments.
 *
 * Objects of both types never change after they are made, so that any number of threads may use
 * them. Threads that change the arrays of a call meanwhile are as wrong as with NumPy itself.
 */

#include "_compute.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Code *code;
    PyObject *fallback;
    PyObject *arrays; /* of a step: tuple of the inputs and the output; else NULL */
} Entry;

/* Made once; they stay as long as the process. */
static PyTypeObject *code_type, *entry_type;

static PyObject *
call(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names)
{
    const Entry *entry = (Entry *)self;
    const Code *code = entry->code;
    if (names == NULL && PyVectorcall_NARGS(count) == code->inputs.count + 1) {
        PyObject *output = arguments[code->inputs.count];
        if (output == Py_None) {
            output = PyArray_SimpleNew(code->shape.count, code->shape.values, NPY_DOUBLE);
            if (output == NULL) {
                return NULL;
            }
        }
        else {
            Py_INCREF(output);
        }
        if (compute(code, arguments, output, 0) == DONE) {
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
        if (compute(entry->code, arrays, arrays[entry->code->inputs.count], 0) == DONE) {
            Py_RETURN_NONE;
        }
    }
    return PyObject_Vectorcall(entry->fallback, arguments, count, names);
}

/* There is no tp_clear: an object that never changes is part of a cycle only through one that
 * does, which breaks it. So no entry is ever called with anything missing. */
static int
entry_traverse(PyObject *self, visitproc visit, void *arg)
{
    Entry *entry = (Entry *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(entry->code);
    Py_VISIT(entry->fallback);
    Py_VISIT(entry->arrays);
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
    Py_XDECREF(entry->code);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef entry_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Entry, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot entry_slots[] = {
    {Py_tp_doc, "A compiled quantity, called with arrays or bound to them."},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, entry_members},
    {Py_tp_traverse, entry_traverse},
    {Py_tp_dealloc, entry_dealloc},
    {0, NULL},
};

static PyType_Spec entry_spec = {
    .name = "robot_dynamics_ros.core.codegen.native._entry.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
             Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = entry_slots,
};

/* A new Entry; `arrays` is stolen. */
static PyObject *
new_entry(PyObject *code, vectorcallfunc vectorcall, PyObject *fallback, PyObject *arrays)
{
    PyObject *self = entry_type->tp_alloc(entry_type, 0);
    if (self == NULL) {
        Py_XDECREF(arrays);
        return NULL;
    }
    Entry *entry = (Entry *)self;
    Py_INCREF(code);
    Py_INCREF(fallback);
    entry->vectorcall = vectorcall;
    entry->code = (Code *)code;
    entry->fallback = fallback;
    entry->arrays = arrays;
    return self;
}

static PyObject *
code_call(PyObject *self, PyObject *fallback)
{
    return new_entry(self, call, fallback, NULL);
}

static PyObject *
code_step(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    int arrays = ((Code *)self)->inputs.count + 1;
    if (count != 1 + arrays) {
        return PyErr_Format(PyExc_TypeError, "step takes a fallback and %d arrays, got %zd values",
                            arrays, count);
    }
    PyObject *bound = PyTuple_New(arrays);
    if (bound == NULL) {
        return NULL;
    }
    for (int i = 0; i < arrays; i++) {
        Py_INCREF(arguments[1 + i]);
        PyTuple_SET_ITEM(bound, i, arguments[1 + i]);
    }
    return new_entry(self, step, arguments[0], bound);
}

static PyObject *
code_evaluate(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    const Code *code = (Code *)self;
    if (count != code->inputs.count + 1) {
        return PyErr_Format(PyExc_TypeError, "evaluate takes %d arrays, got %zd values",
                            code->inputs.count + 1, count);
    }
    return PyLong_FromLongLong(compute(code, arguments, arguments[code->inputs.count], 1));
}

/* Not of the garbage collector, which must not see the reference to the engine: else it might
 * finalise the engine of a dead cycle before other objects there, which still call the code. */
static void
code_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Code *)self)->engine);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef code_methods[] = {
    {"call", code_call, METH_O, "call(fallback): a function of (input..., out or None)."},
    {"step", (PyCFunction)(void (*)(void))code_step, METH_FASTCALL,
     "step(fallback, input..., out): a function without arguments that uses these arrays."},
    {"evaluate", (PyCFunction)(void (*)(void))code_evaluate, METH_FASTCALL,
     "evaluate(input..., out): compute at values of any size; what the kernel returns."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot code_slots[] = {
    {Py_tp_doc, "A compiled kernel, and what keeps its machine code alive."},
    {Py_tp_methods, code_methods},
    {Py_tp_dealloc, code_dealloc},
    {0, NULL},
};

static PyType_Spec code_spec = {
    .name = "robot_dynamics_ros.core.codegen.native._entry.Code",
    .basicsize = sizeof(Code),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = code_slots,
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
make_code(PyObject *module, PyObject *arguments)
{
    PyObject *address, *engine;
    Sizes inputs, shape;
    if (!PyArg_ParseTuple(arguments, "O!OO&O&:make_code", &PyLong_Type, &address, &engine,
                          read_sizes, &inputs, read_sizes, &shape)) {
        return NULL;
    }
    void *kernel = PyLong_AsVoidPtr(address);
    if (kernel == NULL) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "address is 0");
    }
    PyObject *self = code_type->tp_alloc(code_type, 0);
    if (self == NULL) {
        return NULL;
    }
    Code *code = (Code *)self;
    Py_INCREF(engine);
    code->kernel = (Kernel *)kernel;
    code->engine = engine;
    code->inputs = inputs;
    code->shape = shape;
    code->entries = PyArray_MultiplyList(shape.values, shape.count);
    return self;
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
    if (code_type == NULL) {
        code_type = (PyTypeObject *)PyType_FromSpec(&code_spec);
    }
    if (entry_type == NULL) {
        entry_type = (PyTypeObject *)PyType_FromSpec(&entry_spec);
    }
    return code_type == NULL || entry_type == NULL ? -1 : 0;
}

static PyMethodDef module_methods[] = {
    {"make_code", make_code, METH_VARARGS, "make_code(address, engine, sizes, shape): a Code."},
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
