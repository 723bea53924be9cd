/* The hashes of many terms at once: what plain_term_hashes of pagekin.text.words says.

Terms are short, and the call of a library from Python costs six times what the hash does. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "xxh32.h"

/* The hash of a term; 0 for an empty one, which stands for a dropped word. */
static int hash_term(PyObject *term, uint32_t *hash)
{
    if (!PyUnicode_Check(term)) {
        PyErr_SetString(PyExc_TypeError, "a term is text");
        return 0;
    }
    PyObject *bytes = PyUnicode_AsEncodedString(term, "utf-8", "replace");
    if (!bytes)
        return 0;
    size_t size = (size_t)PyBytes_Size(bytes);
    *hash = size ? term_hash((const uint8_t *)PyBytes_AsString(bytes), size) : 0;
    Py_DECREF(bytes);
    return 1;
}

static PyObject *term_hashes(PyObject *module, PyObject *terms)
{
    (void)module;
    if (!PyList_Check(terms)) {
        PyErr_SetString(PyExc_TypeError, "terms are a list");
        return NULL;
    }
    Py_ssize_t count = PyList_Size(terms);
    PyObject *found = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
    for (Py_ssize_t k = 0; found && k < count; k++) {
        uint32_t hash;
        if (hash_term(PyList_GetItem(terms, k), &hash))
            memcpy(PyBytes_AsString(found) + 4 * k, &hash, 4);
        else
            Py_CLEAR(found);
    }
    return found;
}

static PyMethodDef methods[] = {
    {"term_hashes", term_hashes, METH_O, "The hashes of a list of terms, as uint32."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.text._hashes",
                                    "The hashes of terms.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__hashes(void) { return PyModule_Create(&module); }
