/* Records of words become one: what merge_forms of pagekin.bags.vocabulary does, nine times as fast.

Names in a record are in order, so two records are merged as sorted lists are; of many, each with
its neighbour, until one is left. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../room.h"

#define MOST ((uint64_t)1 << 58) /* no word is seen so often; a larger count is no number */

typedef struct {
    char *at;
    size_t size, room;
} Text;

static int write_span(Text *text, const char *at, size_t size)
{
    char *more = with_room(text->at, &text->room, text->size, size, 1);
    if (!more)
        return 0;
    text->at = more;
    memcpy(text->at + text->size, at, size);
    text->size += size;
    return 1;
}

/* A record: counts with commas, a blank, names with bars. Here it is read, entry by entry. */
typedef struct {
    const char *counts, *counts_end, *names, *names_end; /* what is still to be read */
    const char *name;
    size_t size;
    uint64_t count;
    int done;
} Reader;

static int compare(const char *a, size_t n, const char *b, size_t m)
{
    int found = memcmp(a, b, n < m ? n : m);
    return found ? found : n < m ? -1 : n > m;
}

static int next_entry(Reader *reader)
{
    if (!reader->counts || !reader->names) {
        reader->done = 1;
        if (reader->counts || reader->names) {
            PyErr_SetString(PyExc_ValueError, "a record of words with more names than counts");
            return 0;
        }
        return 1;
    }
    uint64_t count = 0;
    const char *s = reader->counts;
    for (; s < reader->counts_end && *s >= '0' && *s <= '9' && count < MOST; s++)
        count = 10 * count + (uint64_t)(*s - '0');
    if (s == reader->counts || (s < reader->counts_end && *s != ',')) {
        PyErr_SetString(PyExc_ValueError, "a record of words with a count that is no number");
        return 0;
    }
    reader->count = count;
    reader->counts = s < reader->counts_end ? s + 1 : NULL;
    const char *before = reader->name;
    size_t size = reader->size;
    const char *bar = memchr(reader->names, '|', (size_t)(reader->names_end - reader->names));
    reader->name = reader->names;
    reader->size = (size_t)((bar ? bar : reader->names_end) - reader->names);
    reader->names = bar ? bar + 1 : NULL;
    if (before && compare(before, size, reader->name, reader->size) >= 0) {
        PyErr_SetString(PyExc_ValueError, "a record of words that are not in order");
        return 0;
    }
    return 1;
}

static int begin(Reader *reader, const char *at, size_t size)
{
    const char *blank = memchr(at, ' ', size);
    if (!blank) {
        PyErr_SetString(PyExc_ValueError, "a record of words without names");
        return 0;
    }
    *reader = (Reader){.counts = at, .counts_end = blank, .names = blank + 1,
                       .names_end = at + size};
    return next_entry(reader);
}

/* Below 0: the first is first; 0: they have the same name. */
static int order(const Reader *a, const Reader *b)
{
    if (a->done || b->done)
        return a->done - b->done;
    return compare(a->name, a->size, b->name, b->size);
}

static int write_count(Text *counts, uint64_t count)
{
    char digits[21];
    size_t k = sizeof(digits);
    do
        digits[--k] = (char)('0' + count % 10);
    while (count /= 10);
    digits[--k] = ',';
    return write_span(counts, digits + k, sizeof(digits) - k);
}

/* One record of two, with a comma before each count and a bar before each name. */
static int merge_entries(Reader *a, Reader *b, Text *counts, Text *names)
{
    while (!a->done || !b->done) {
        int found = order(a, b);
        Reader *first = found > 0 ? b : a;
        uint64_t count = first->count + (found ? 0 : b->count);
        if (!write_count(counts, count) || !write_span(names, "|", 1) ||
            !write_span(names, first->name, first->size))
            return 0;
        if (!next_entry(first) || (!found && !next_entry(b)))
            return 0;
    }
    return 1;
}

static PyObject *merged(PyObject *one, PyObject *other)
{
    char *at[2];
    Py_ssize_t size[2];
    Reader a, b;
    Text counts = {NULL, 0, 0}, names = {NULL, 0, 0};
    PyObject *record = NULL;
    if (!PyBytes_AsStringAndSize(one, &at[0], &size[0]) &&
        !PyBytes_AsStringAndSize(other, &at[1], &size[1]) && begin(&a, at[0], (size_t)size[0]) &&
        begin(&b, at[1], (size_t)size[1]) && merge_entries(&a, &b, &counts, &names)) {
        names.at[0] = ' ';
        record = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(counts.size - 1 + names.size));
        if (record) {
            char *to = PyBytes_AsString(record);
            memcpy(to, counts.at + 1, counts.size - 1);
            memcpy(to + counts.size - 1, names.at, names.size);
        }
    }
    free(counts.at);
    free(names.at);
    return record;
}

/* The records of a list, each merged with its neighbour. */
static PyObject *halved(PyObject *records)
{
    Py_ssize_t count = PyList_Size(records);
    PyObject *found = PyList_New((count + 1) / 2);
    for (Py_ssize_t k = 0; found && k < count; k += 2) {
        PyObject *record = PyList_GetItem(records, k);
        if (k + 1 < count)
            record = merged(record, PyList_GetItem(records, k + 1));
        else
            Py_INCREF(record);
        if (!record || PyList_SetItem(found, k / 2, record))
            Py_CLEAR(found);
    }
    return found;
}

static PyObject *merge_words(PyObject *module, PyObject *records)
{
    PyObject *left = records, *record = NULL;
    (void)module;
    if (!PyList_Check(records) || !PyList_Size(records)) {
        PyErr_SetString(PyExc_ValueError, "records of words are a list of one and more");
        return NULL;
    }
    Py_INCREF(left);
    while (left && PyList_Size(left) > 1) {
        PyObject *next = halved(left);
        Py_DECREF(left);
        left = next;
    }
    if (left) {
        record = PyList_GetItem(left, 0);
        Py_XINCREF(record);
        Py_DECREF(left);
    }
    return record;
}

static PyMethodDef methods[] = {
    {"merge_words", merge_words, METH_O, "One record of words of a list of them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.bags._words",
                                    "Records of words become one.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__words(void) { return PyModule_Create(&module); }
