/* Questions about all bytes of a page, for which Python would copy it: in which charset it may be
(pagekin.web.charset), and whether it holds markers of ours (pagekin.web.tame). */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOW_FIRST = 0x01, LOW_COUNT = 0x08, HIGH_FIRST = 0x0E, HIGH_COUNT = 0x12, PIECE = 4096 };

static int take_bytes(PyObject *object, const uint8_t **at, Py_ssize_t *size)
{
    char *bytes;
    if (PyBytes_AsStringAndSize(object, &bytes, size))
        return 0;
    *at = (const uint8_t *)bytes;
    return 1;
}

/* Is there any control character but for NUL and white space? Without a branch for each. */
static PyObject *has_controls(PyObject *module, PyObject *body)
{
    const uint8_t *s;
    Py_ssize_t n;
    (void)module;
    if (!take_bytes(body, &s, &n))
        return NULL;
    for (Py_ssize_t i = 0; i < n; i += PIECE) {
        Py_ssize_t end = n - i < PIECE ? n : i + PIECE;
        uint8_t found = 0;
        for (Py_ssize_t k = i; k < end; k++)
            found |= ((uint8_t)(s[k] - LOW_FIRST) < LOW_COUNT) |
                     ((uint8_t)(s[k] - HIGH_FIRST) < HIGH_COUNT);
        if (found)
            Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

/* How many bytes must follow the first of a character, and which the first of these may be. */
static int follow(uint8_t first, uint8_t *least, uint8_t *most)
{
    *least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4)
        return -1;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

/* Is it UTF-8, but for a character that the end cuts? */
static PyObject *is_utf8(PyObject *module, PyObject *body)
{
    const uint8_t *s;
    Py_ssize_t n;
    (void)module;
    if (!take_bytes(body, &s, &n))
        return NULL;
    for (Py_ssize_t i = 0; i < n;) {
        uint64_t eight;
        if (s[i] < 0x80) {
            for (; n - i >= 8; i += 8) {
                memcpy(&eight, s + i, 8);
                if (eight & 0x8080808080808080u)
                    break;
            }
            while (i < n && s[i] < 0x80)
                i++;
            continue;
        }
        uint8_t least, most;
        int count = follow(s[i++], &least, &most);
        if (count < 0)
            Py_RETURN_FALSE;
        if (i == n - 1 && s[i - 1] == 0xED)
            most = 0xBF; /* Python leaves open what half a surrogate would become */
        for (; count && i < n; count--, i++) {
            if (s[i] < least || s[i] > most)
                Py_RETURN_FALSE;
            least = 0x80;
            most = 0xBF;
        }
    }
    Py_RETURN_TRUE;
}

/* A page in a charset of one byte a character as UTF-8, and whether every byte is one of it. Of each
   byte the table has its size in UTF-8, or 0 where it is none, and up to three bytes. */
static PyObject *recode(PyObject *module, PyObject *args)
{
    const uint8_t *table;
    PyObject *body, *text;
    const uint8_t *s;
    Py_ssize_t n, size, n_table;
    int is_whole = 1;
    (void)module;
    if (!PyArg_ParseTuple(args, "Sy#", &body, &table, &n_table) || !take_bytes(body, &s, &n))
        return NULL;
    if (n_table != 256 * 4) {
        PyErr_SetString(PyExc_ValueError, "no table of 256 characters");
        return NULL;
    }
    for (int k = 0; k < 256; k++)
        if (table[4 * k] > 3) {
            PyErr_SetString(PyExc_ValueError, "a character of more than three bytes");
            return NULL;
        }
    uint8_t *out = malloc((size_t)n * 3 + 8), *to = out;
    if (!out)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) {
        const uint8_t *known = table + 4 * s[i];
        size = known[0];
        if (!size) {
            static const uint8_t unknown[] = {3, 0xEF, 0xBF, 0xBD}; /* U+FFFD */
            known = unknown;
            size = 3;
            is_whole = 0;
        }
        memcpy(to, known + 1, 3);
        to += size;
    }
    text = Py_BuildValue("y#O", (char *)out, (Py_ssize_t)(to - out), is_whole ? Py_True : Py_False);
    free(out);
    return text;
}

static PyMethodDef methods[] = {
    {"recode", recode, METH_VARARGS,
     "recode(body, table): a page of one byte a character as UTF-8, and whether all are known."},
    {"has_controls", has_controls, METH_O, "Is there a control character but NUL and white space?"},
    {"is_utf8", is_utf8, METH_O, "Is it UTF-8, but for a character that the end cuts?"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.web._bytes",
                                    "Questions about the bytes of a page.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bytes(void) { return PyModule_Create(&module); }
