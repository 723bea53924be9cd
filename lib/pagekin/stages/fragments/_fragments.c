/* Fragments of links, put together: what pagekin.stages.fragments.link_records does, five times as fast, and the
numbers of fragments as text and back, as pagekin.bags.fragments says. */

#include "../../part.h"
#include "numbers.h"

/* --- numbers as text --- */

static int take_buffer(PyObject *object, Py_buffer *view, Py_ssize_t item)
{
    if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE))
        return 0;
    if (view->len % item == 0)
        return 1;
    PyBuffer_Release(view);
    PyErr_Format(PyExc_ValueError, "no whole number of items of %zd bytes", item);
    return 0;
}

#define ENCODE(name, type)                                                                        \
    static PyObject *name(PyObject *module, PyObject *numbers)                                    \
    {                                                                                             \
        Py_buffer view;                                                                           \
        (void)module;                                                                             \
        if (!take_buffer(numbers, &view, sizeof(type)))                                           \
            return NULL;                                                                          \
        Py_ssize_t count = view.len / (Py_ssize_t)sizeof(type);                                   \
        PyObject *text = PyBytes_FromStringAndSize(NULL, WIDTH * count);                          \
        if (text) {                                                                               \
            uint8_t *at = (uint8_t *)PyBytes_AsString(text);                                      \
            const type *number = view.buf;                                                        \
            for (Py_ssize_t k = 0; k < count; k++, at += WIDTH)                                   \
                put_number(at, number[k]);                                                      \
        }                                                                                         \
        PyBuffer_Release(&view);                                                                  \
        return text;                                                                              \
    }

ENCODE(encode_32, uint32_t)
ENCODE(encode_64, uint64_t)

static PyObject *decode(PyObject *module, PyObject *text)
{
    Py_buffer view;
    (void)module;
    if (!take_buffer(text, &view, WIDTH))
        return NULL;
    Py_ssize_t count = view.len / WIDTH;
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    if (numbers) {
        char *to = PyBytes_AsString(numbers);
        const uint8_t *at = view.buf;
        for (Py_ssize_t k = 0; k < count; k++, at += WIDTH) {
            uint64_t number = number_at(at);
            memcpy(to + k * (Py_ssize_t)sizeof(number), &number, sizeof(number));
        }
    }
    PyBuffer_Release(&view);
    return numbers;
}

/* --- records --- */

typedef struct {
    Py_ssize_t size, links, next; /* next record of the same target, or -1 */
    PyObject *value;
} Record;

typedef struct {
    PyObject *target; /* borrowed from the list of targets */
    Py_ssize_t first, last;
} Group;

typedef struct {
    PyObject *targets, *above, *numbers; /* numbers: target -> its group */
    const char *marks, *terms, *tail, *source;
    Py_ssize_t count, n_terms, n_tail, n_source, most;
    const int64_t *low, *high;
    Record *records;
    Group *groups;
    Py_ssize_t *record_of; /* of each link; -1: it is left out */
    Py_ssize_t n_records, n_groups;
} Links;

/* What stands above a link; 0 on failure. */
static int heading_of(Links *links, Py_ssize_t k, char **at, Py_ssize_t *size)
{
    *size = 0;
    return links->above == Py_None ||
           !PyBytes_AsStringAndSize(PyList_GetItem(links->above, k), at, size);
}

static Py_ssize_t add_record(Links *links)
{
    links->records[links->n_records] = (Record){1 + links->n_source + 1, 0, -1, NULL};
    return links->n_records++;
}

static Group *group_of(Links *links, PyObject *target)
{
    PyObject *known = PyDict_GetItemWithError(links->numbers, target);
    if (known)
        return &links->groups[PyLong_AsSsize_t(known)];
    PyObject *number = PyErr_Occurred() ? NULL : PyLong_FromSsize_t(links->n_groups);
    int failed = !number || PyDict_SetItem(links->numbers, target, number);
    Py_XDECREF(number);
    if (failed)
        return NULL;
    Group *group = &links->groups[links->n_groups++];
    group->target = target;
    group->first = group->last = add_record(links);
    return group;
}

/* Which link goes into which record, and how large these become. */
static int share_out(Links *links)
{
    for (Py_ssize_t k = 0; k < links->count; k++) {
        PyObject *target = PyList_GetItem(links->targets, k);
        char *heading;
        Py_ssize_t n_heading;
        links->record_of[k] = -1;
        if (target == Py_None)
            continue;
        Group *group = group_of(links, target);
        if (!group || !heading_of(links, k, &heading, &n_heading))
            return 0;
        int64_t low = links->low[k], high = links->high[k];
        if (low < 0 || high < low || high > links->n_terms / WIDTH) {
            PyErr_SetString(PyExc_ValueError, "a window lies outside of the page");
            return 0;
        }
        if (links->records[group->last].links == links->most) {
            Py_ssize_t next = add_record(links);
            links->records[group->last].next = next;
            group->last = next;
        }
        Record *record = &links->records[group->last];
        record->links++;
        record->size += WIDTH + (Py_ssize_t)(high - low) * WIDTH + n_heading + links->n_tail;
        links->record_of[k] = group->last;
    }
    return 1;
}

static char *put(char *to, const char *from, Py_ssize_t size)
{
    memcpy(to, from, (size_t)size);
    return to + size;
}

static int write_values(Links *links)
{
    char **ends = malloc((size_t)(links->n_records + 1) * sizeof(char *));
    if (!ends) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t r = 0; r < links->n_records; r++) {
        Record *record = &links->records[r];
        record->value = PyBytes_FromStringAndSize(NULL, record->size);
        if (!record->value) {
            free(ends);
            return 0;
        }
        char *to = PyBytes_AsString(record->value);
        *to++ = 'l';
        to = put(to, links->source, links->n_source);
        *to++ = '0';
        ends[r] = to;
    }
    for (Py_ssize_t g = 0; g < links->n_groups; g++)
        ends[links->groups[g].first][-1] = '1';
    for (Py_ssize_t k = 0; k < links->count; k++) {
        Py_ssize_t r = links->record_of[k];
        char *heading = NULL;
        Py_ssize_t n_heading;
        if (r < 0)
            continue;
        heading_of(links, k, &heading, &n_heading);
        char *to = put(ends[r], links->marks + WIDTH * k, WIDTH);
        to = put(to, links->terms + WIDTH * links->low[k],
                 WIDTH * (Py_ssize_t)(links->high[k] - links->low[k]));
        if (n_heading)
            to = put(to, heading, n_heading);
        ends[r] = put(to, links->tail, links->n_tail);
    }
    free(ends);
    return 1;
}

static PyObject *pairs_of(Links *links)
{
    PyObject *pairs = PyList_New(0);
    for (Py_ssize_t g = 0; pairs && g < links->n_groups; g++) {
        Py_ssize_t size;
        const char *url = PyUnicode_AsUTF8AndSize(links->groups[g].target, &size);
        PyObject *key = url ? PyBytes_FromStringAndSize(url, size) : NULL;
        int failed = !key;
        for (Py_ssize_t r = links->groups[g].first; !failed && r >= 0; r = links->records[r].next) {
            PyObject *pair = PyTuple_Pack(2, key, links->records[r].value);
            failed = !pair || PyList_Append(pairs, pair);
            Py_XDECREF(pair);
        }
        Py_XDECREF(key);
        if (failed)
            Py_CLEAR(pairs);
    }
    return pairs;
}

static PyObject *records_of(Links *links)
{
    size_t room = (size_t)links->count + 1; /* each link begins at most one record */
    PyObject *pairs = NULL;
    links->numbers = PyDict_New();
    links->records = malloc(room * sizeof(Record));
    links->groups = malloc(room * sizeof(Group));
    links->record_of = malloc(room * sizeof(Py_ssize_t));
    if (links->numbers && !(links->records && links->groups && links->record_of))
        PyErr_NoMemory();
    else if (links->numbers && share_out(links) && write_values(links))
        pairs = pairs_of(links);
    for (Py_ssize_t r = 0; links->records && r < links->n_records; r++)
        Py_XDECREF(links->records[r].value);
    free(links->records);
    free(links->groups);
    free(links->record_of);
    Py_XDECREF(links->numbers);
    return pairs;
}

static PyObject *link_records(PyObject *module, PyObject *args)
{
    Links links = {.most = 0};
    Py_ssize_t n_marks;
    PyObject *low_object, *high_object, *pairs = NULL;
    Py_buffer low, high;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y#y#OOOy#y#n", &PyList_Type, &links.targets, &links.marks,
                          &n_marks, &links.terms, &links.n_terms, &low_object, &high_object,
                          &links.above, &links.tail, &links.n_tail, &links.source, &links.n_source,
                          &links.most))
        return NULL;
    links.count = PyList_Size(links.targets);
    if (!take_buffer(low_object, &low, sizeof(int64_t)))
        return NULL;
    if (take_buffer(high_object, &high, sizeof(int64_t))) {
        links.low = low.buf;
        links.high = high.buf;
        Py_ssize_t size = links.count * (Py_ssize_t)sizeof(int64_t);
        if (n_marks != WIDTH * links.count || low.len != size || high.len != size ||
            links.most < 1 ||
            (links.above != Py_None &&
             (!PyList_Check(links.above) || PyList_Size(links.above) != links.count)))
            PyErr_SetString(PyExc_ValueError, "every link has a mark, a window and a heading");
        else
            pairs = records_of(&links);
        PyBuffer_Release(&high);
    }
    PyBuffer_Release(&low);
    return pairs;
}

/* --- the module --- */

static PyMethodDef methods[] = {
    {"encode_32", encode_32, METH_O, "Numbers of 32 bits as text."},
    {"encode_64", encode_64, METH_O, "Numbers of 64 bits, below 2^35, as text."},
    {"decode", decode, METH_O, "The numbers of a text, of 64 bits each, as bytes."},
    {"link_records", link_records, METH_VARARGS,
     "link_records(targets, marks, terms, low, high, above, tail, source, most)\n\n"
     "The records of the links of a page, as pagekin.stages.fragments.link_records makes them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.stages.fragments._fragments",
                                    "Fragments as text and as records.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__fragments(void) { return with_version(PyModule_Create(&module)); }
