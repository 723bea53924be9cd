/* A page's word numbers as its terms, links and headings: what pagekin.bags.stream and fragments do,
three times as fast, in one pass for each. */

#include "../part.h"

enum { LEVELS = 6, WIDTH = 5 }; /* of headings; bytes of a term as text */

typedef struct {
    void *at;
    Py_ssize_t size; /* bytes */
} Column;

static PyObject *take(Column *column)
{
    return PyBytes_FromStringAndSize(column->at, column->size);
}

static int make_room(Column *column, Py_ssize_t items, size_t size)
{
    column->at = malloc(((size_t)items + 1) * size);
    if (!column->at)
        PyErr_NoMemory();
    return column->at != NULL;
}

/* Take buffers of arrays; all or none are held. */
static int take_views(PyObject **objects, Py_buffer *views, const int *flags, int count)
{
    for (int k = 0; k < count; k++)
        if (PyObject_GetBuffer(objects[k], &views[k], flags[k])) {
            while (k)
                PyBuffer_Release(&views[--k]);
            return 0;
        }
    return 1;
}

static void release(Py_buffer *views, int count)
{
    while (count)
        PyBuffer_Release(&views[--count]);
}

/* --- terms and links --- */

typedef struct {
    const int32_t *codes; /* numbers of words, and below 0 markers */
    Py_ssize_t count;
    const uint32_t *hashes; /* of each word its term; 0: it is dropped */
    int64_t *counts;        /* and how often it was seen */
    Py_ssize_t words;
    int link, link_end, title, title_end;
    Column body, terms, heading, before, opens, closes;
} Stream;

static int append_term(Stream *stream, Column *terms, int32_t code)
{
    if (code >= stream->words) {
        PyErr_SetString(PyExc_ValueError, "the number of a word that is not known");
        return 0;
    }
    uint32_t hash = code > 0 ? stream->hashes[code] : 0;
    if (hash) {
        stream->counts[code]++;
        memcpy((char *)terms->at + terms->size, &hash, sizeof(hash));
        terms->size += (Py_ssize_t)sizeof(hash);
    }
    return 1;
}

/* The first title is apart: nobody reads it beside the first words of the page. */
static int read_title(Stream *stream, Py_ssize_t *first, Py_ssize_t *behind)
{
    Py_ssize_t k = 0;
    while (k < stream->count && stream->codes[k] != stream->title)
        k++;
    *first = *behind = k;
    if (k == stream->count)
        return 1;
    for (k++; k < stream->count && stream->codes[k] != stream->title_end; k++)
        if (!append_term(stream, &stream->heading, stream->codes[k]))
            return 0;
    *behind = k < stream->count ? k + 1 : k;
    return 1;
}

/* An end belongs to the last link that is open; a link that never ends is empty. */
static int read_body(Stream *stream, Py_ssize_t first, Py_ssize_t behind)
{
    int32_t *body = stream->body.at;
    int64_t *before = stream->before.at, *opens = stream->opens.at, *closes = stream->closes.at;
    Py_ssize_t place = 0, links = 0;
    Py_ssize_t *waiting = malloc(((size_t)stream->count + 1) * sizeof(Py_ssize_t)), n_waiting = 0;
    if (!waiting) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t k = 0; k < stream->count; k++, place++) {
        if (k == first && behind > first) {
            k = behind;
            if (k == stream->count)
                break;
        }
        int32_t code = stream->codes[k];
        body[place] = code;
        before[place] = stream->terms.size / (Py_ssize_t)sizeof(uint32_t);
        if (code > 0) {
            if (!append_term(stream, &stream->terms, code)) {
                free(waiting);
                return 0;
            }
        } else if (code == stream->link) {
            opens[links] = closes[links] = place;
            waiting[n_waiting++] = links++;
        } else if (code == stream->link_end && n_waiting)
            closes[waiting[--n_waiting]] = place;
    }
    free(waiting);
    stream->body.size = place * (Py_ssize_t)sizeof(int32_t);
    stream->before.size = place * (Py_ssize_t)sizeof(int64_t);
    stream->opens.size = stream->closes.size = links * (Py_ssize_t)sizeof(int64_t);
    return 1;
}

static PyObject *stream_of(Stream *stream)
{
    Py_ssize_t first, behind, n = stream->count;
    PyObject *made = NULL;
    if (make_room(&stream->body, n, sizeof(int32_t)) &&
        make_room(&stream->terms, n, sizeof(uint32_t)) &&
        make_room(&stream->heading, n, sizeof(uint32_t)) &&
        make_room(&stream->before, n, sizeof(int64_t)) &&
        make_room(&stream->opens, n, sizeof(int64_t)) &&
        make_room(&stream->closes, n, sizeof(int64_t)) && read_title(stream, &first, &behind) &&
        read_body(stream, first, behind))
        made = Py_BuildValue("NNNNNN", take(&stream->body), take(&stream->terms),
                             take(&stream->heading), take(&stream->before), take(&stream->opens),
                             take(&stream->closes));
    Column *all[] = {&stream->body,   &stream->terms, &stream->heading,
                     &stream->before, &stream->opens, &stream->closes};
    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
        free(all[k]->at);
    return made;
}

static PyObject *read_stream(PyObject *module, PyObject *args)
{
    PyObject *objects[3], *made = NULL;
    Py_buffer views[3];
    const int flags[3] = {PyBUF_SIMPLE, PyBUF_SIMPLE, PyBUF_WRITABLE};
    Stream stream = {.count = 0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOiiii", &objects[0], &objects[1], &objects[2], &stream.link,
                          &stream.link_end, &stream.title, &stream.title_end) ||
        !take_views(objects, views, flags, 3))
        return NULL;
    stream.codes = views[0].buf;
    stream.count = views[0].len / (Py_ssize_t)sizeof(int32_t);
    stream.hashes = views[1].buf;
    stream.counts = views[2].buf;
    stream.words = views[1].len / (Py_ssize_t)sizeof(uint32_t);
    if (views[2].len / (Py_ssize_t)sizeof(int64_t) < stream.words)
        PyErr_SetString(PyExc_ValueError, "every word has a count");
    else
        made = stream_of(&stream);
    release(views, 3);
    return made;
}

/* --- headings --- */

typedef struct {
    const int32_t *codes;
    const int64_t *before, *opens;
    Py_ssize_t count, links, n_terms;
    const char *terms, *mark; /* terms as text; the mark of a section of headings */
    Py_ssize_t n_mark;
    int top, end; /* codes of the highest heading, those of the others below it; and of an end */
    int most;     /* terms of one that count */
} Headings;

/* The section of the open headings, the highest first. */
static PyObject *section_of(const Headings *all, const int64_t (*open)[2])
{
    Py_ssize_t size = 0;
    for (int level = 0; level < LEVELS; level++)
        size += (Py_ssize_t)(open[level][1] - open[level][0]) * WIDTH;
    PyObject *text = PyBytes_FromStringAndSize(NULL, size ? all->n_mark + size : 0);
    if (!text || !size)
        return text;
    char *to = PyBytes_AsString(text);
    memcpy(to, all->mark, (size_t)all->n_mark);
    to += all->n_mark;
    for (int level = 0; level < LEVELS; level++) {
        Py_ssize_t part = (Py_ssize_t)(open[level][1] - open[level][0]) * WIDTH;
        memcpy(to, all->terms + open[level][0] * WIDTH, (size_t)part);
        to += part;
    }
    return text;
}

/* Of each place the next end of a heading; the place itself where there is none. */
static int64_t end_of(const Headings *all, Py_ssize_t place, Py_ssize_t *known)
{
    if (*known < place)
        for (*known = place; *known < all->count && all->codes[*known] != all->end; ++*known)
            ;
    return *known < all->count ? all->before[*known] : all->before[place];
}

static PyObject *sections_of(const Headings *all)
{
    int64_t open[LEVELS][2] = {{0}};
    Py_ssize_t link = 0, known = -1;
    PyObject *sections = PyList_New(all->links), *current = section_of(all, open);
    for (Py_ssize_t k = 0; sections && current && k < all->count; k++) {
        int64_t level = (int64_t)all->top - all->codes[k];
        for (; link < all->links && all->opens[link] <= k; link++) {
            Py_INCREF(current);
            PyList_SetItem(sections, link, current);
        }
        if (level < 0)
            continue;
        if (level >= LEVELS) {
            PyErr_SetString(PyExc_ValueError, "a heading of no known level");
            break;
        }
        open[level][0] = all->before[k];
        open[level][1] = end_of(all, k, &known);
        if (open[level][1] > open[level][0] + all->most)
            open[level][1] = open[level][0] + all->most;
        while (++level < LEVELS)
            open[level][0] = open[level][1] = 0;
        Py_DECREF(current);
        current = section_of(all, open);
    }
    Py_XDECREF(current);
    if (PyErr_Occurred() || link < all->links) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a link that is not in the page");
        Py_CLEAR(sections);
    }
    return sections;
}

static PyObject *headings_above(PyObject *module, PyObject *args)
{
    PyObject *objects[3], *sections = NULL;
    Py_buffer views[3];
    const int flags[3] = {PyBUF_SIMPLE, PyBUF_SIMPLE, PyBUF_SIMPLE};
    Headings all = {.count = 0};
    int fits;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOy#y#iii", &objects[0], &objects[1], &objects[2], &all.terms,
                          &all.n_terms, &all.mark, &all.n_mark, &all.top, &all.end,
                          &all.most) ||
        !take_views(objects, views, flags, 3))
        return NULL;
    all.codes = views[0].buf;
    all.count = views[0].len / (Py_ssize_t)sizeof(int32_t);
    all.before = views[1].buf;
    all.opens = views[2].buf;
    all.links = views[2].len / (Py_ssize_t)sizeof(int64_t);
    fits = all.most >= 0 && views[1].len / (Py_ssize_t)sizeof(int64_t) == all.count;
    for (Py_ssize_t k = 0; fits && k < all.count; k++)
        fits = all.before[k] >= (k ? all.before[k - 1] : 0) && all.before[k] <= all.n_terms / WIDTH;
    if (fits)
        sections = sections_of(&all);
    else
        PyErr_SetString(PyExc_ValueError, "terms are counted in order");
    release(views, 3);
    return sections;
}

static PyMethodDef methods[] = {
    {"read_stream", read_stream, METH_VARARGS,
     "read_stream(codes, hashes, counts, link, link_end, title, title_end)\n\n"
     "The columns of a pagekin.bags.stream.Stream."},
    {"headings_above", headings_above, METH_VARARGS,
     "headings_above(codes, before, opens, terms, mark, top, end, most)\n\n"
     "For each link the section of the headings that it stands under."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.bags._stream",
                                    "Streams of terms, and the headings above links.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__stream(void) { return with_version(PyModule_Create(&module)); }
