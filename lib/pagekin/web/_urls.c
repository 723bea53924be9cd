/* The canonical URLs of plain hrefs: most hrefs of pages are their own form, but for an origin.

What is plain here pagekin.web.urls tells by regular expressions, as far as there is no query; it
makes the same of them, and all of the rest. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { IN_PATH = 1, IN_LABEL = 2, IN_TLD = 4, LONGEST_ORIGIN = 300 };

static uint8_t sort_of[256];

static void sort_characters(void)
{
    for (const char *c = "_~!$&'()*+,=:@.-"; *c; c++)
        sort_of[(uint8_t)*c] |= IN_PATH;
    for (int c = '0'; c <= '9'; c++)
        sort_of[c] |= IN_PATH | IN_LABEL;
    for (int c = 'a'; c <= 'z'; c++) {
        sort_of[c] |= IN_PATH | IN_LABEL | IN_TLD;
        sort_of[c - 'a' + 'A'] |= IN_PATH;
    }
    sort_of['-'] |= IN_LABEL;
}

static int begins(const char *s, Py_ssize_t n, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    return n >= size && !memcmp(s, word, (size_t)size);
}

static int begins_in_any_case(const char *s, Py_ssize_t n, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    if (n < size)
        return 0;
    for (Py_ssize_t k = 0; k < size; k++)
        if ((s[k] >= 'A' && s[k] <= 'Z' ? s[k] + ('a' - 'A') : s[k]) != word[k])
            return 0;
    return 1;
}

static int is_upper_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }

/* An escape of what is no unreserved character, in upper case. */
static int is_kept_escape(const char *s, Py_ssize_t n)
{
    if (n < 3 || !is_upper_hex(s[1]) || !is_upper_hex(s[2]))
        return 0;
    switch (s[1]) {
    case '2':
        return s[2] != 'D' && s[2] != 'E';
    case '3':
        return s[2] >= 'A';
    case '4':
    case '6':
        return s[2] == '0';
    case '5':
        return s[2] >= 'B' && s[2] <= 'E';
    case '7':
        return s[2] == 'B' || s[2] == 'C' || s[2] == 'D' || s[2] == 'F';
    }
    return 1;
}

/* Is all of it a path that is its own form? */
static int is_plain_path(const char *s, Py_ssize_t n)
{
    if (!n || *s != '/')
        return 0;
    for (Py_ssize_t i = 0; i < n;) {
        if (s[i] == '/') {
            i++;
            if (i < n && (s[i] == '.' || s[i] == '(' || begins_in_any_case(s + i, n - i, "index.") ||
                          begins_in_any_case(s + i, n - i, "default.")))
                return 0;
        } else if (sort_of[(uint8_t)s[i]] & IN_PATH)
            i++;
        else if (s[i] == '%' && is_kept_escape(s + i, n - i))
            i += 3;
        else
            return 0;
    }
    return 1;
}

/* How long the origin is that it begins with: lower-case labels, the last of letters alone; or 0. */
static Py_ssize_t plain_origin(const char *s, Py_ssize_t n)
{
    Py_ssize_t i = begins(s, n, "http://") ? 7 : begins(s, n, "https://") ? 8 : 0;
    int labels = 0;
    if (!i)
        return 0;
    for (;;) {
        Py_ssize_t label = i;
        int all = IN_TLD;
        while (i < n && sort_of[(uint8_t)s[i]] & IN_LABEL)
            all &= sort_of[(uint8_t)s[i++]];
        if (i < n && s[i] == '.' && i > label && !begins(s + label, n - label, "xn--")) {
            i++;
            labels++;
        } else
            return labels && all && i - label >= 2 ? i : 0;
    }
}

/* The form of a plain href as a new string; NULL without an error for others. */
static PyObject *form_of(const char *s, Py_ssize_t n, const char *origin, Py_ssize_t n_origin,
                         Py_ssize_t longest)
{
    char form[LONGEST_ORIGIN + 4096];
    const char *mark = memchr(s, '#', (size_t)n);
    if (mark)
        n = mark - s;
    Py_ssize_t host = plain_origin(s, n);
    if (host)
        return n <= longest && is_plain_path(s + host, n - host) ? PyUnicode_FromStringAndSize(s, n)
                                                                 : NULL;
    if (!n_origin || n_origin > LONGEST_ORIGIN || n > 4096 || n_origin + n > longest ||
        begins(s, n, "//") || !is_plain_path(s, n))
        return NULL;
    memcpy(form, origin, (size_t)n_origin);
    memcpy(form + n_origin, s, (size_t)n);
    return PyUnicode_FromStringAndSize(form, n_origin + n);
}

static int is_known(PyObject *known, PyObject *href)
{
    return PyDict_GetItemWithError(known, href) ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* Put the form of every plain href into `known`; gives the others that are not known, each once. */
static PyObject *resolve_plain(PyObject *module, PyObject *args)
{
    PyObject *hrefs, *known, *rest;
    const char *origin;
    Py_ssize_t n_origin, longest;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!s#n", &PyList_Type, &hrefs, &PyDict_Type, &known, &origin,
                          &n_origin, &longest))
        return NULL;
    rest = PyList_New(0);
    for (Py_ssize_t k = 0; rest && k < PyList_Size(hrefs); k++) {
        PyObject *href = PyList_GetItem(hrefs, k), *form = NULL;
        int found = is_known(known, href), failed = found < 0;
        if (!found) {
            Py_ssize_t n;
            const char *s = PyUnicode_Check(href) ? PyUnicode_AsUTF8AndSize(href, &n) : NULL;
            if (s)
                form = form_of(s, n, origin, n_origin, longest);
            else if (PyErr_Occurred()) /* half of a surrogate pair */
                PyErr_Clear();
            if (form)
                failed = PyDict_SetItem(known, href, form) < 0;
            else
                failed = PyErr_Occurred() || PyList_Append(rest, href) < 0;
            Py_XDECREF(form);
        }
        if (failed)
            Py_CLEAR(rest);
    }
    return rest;
}

static PyMethodDef methods[] = {
    {"resolve_plain", resolve_plain, METH_VARARGS,
     "resolve_plain(hrefs, known, origin, longest)\n\n"
     "Put the canonical form of every plain href into `known`; gives the hrefs that remain."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.web._urls",
                                    "The canonical URLs of plain hrefs.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__urls(void)
{
    sort_characters();
    return PyModule_Create(&module);
}
