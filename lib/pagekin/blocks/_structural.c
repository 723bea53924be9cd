/* Structural rules: what structural_segments of pagekin.blocks.structural says, in a fifth of the
time.

The columns of an outline are read once; then elements are cut top down, as there. What elements
call themselves, and whether parts are alike, is asked of Python, which remembers it. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The rules in their order, as REASONS has them. */
enum { LEAF, HUGE_, PAGE, MENU, FOOTER, LIST, COLUMNS, ALIKE, HEADINGS, LISTS, WRAPPER, WHOLE };
enum { NAV = 1, FOOT = 2, ITEMS = 4, LISTED = 8 }; /* what a tag is */
enum { CALLED_MENU = 1, CALLED_FOOTER = 2 };       /* what an element calls itself */

typedef int32_t Number;

typedef struct {
    Number count, headed; /* elements, and headings */
    Number *behind, *first, *last, *start, *stop, *headings;
    Number *lists; /* how many lists of two links and more stand before each element */
    uint8_t *is; /* of each element what its tag is */
    PyObject *tags, *attributes; /* of Python: lists */
    PyObject *known, *look, *alike;
    long long huge, menus, footer, column, wrapped, inside, kids, in_kids, heads;
    double share;
} Page;

static Number size_of(const Page *page, Number k) { return page->last[k] - page->first[k]; }

/* --- reading --- */

/* A list of whole numbers as an array, which is behind `to` then. */
static int read_numbers(PyObject *list, Py_ssize_t size, Number *to, Number least, Number most)
{
    if (!PyList_Check(list) || PyList_Size(list) != size) {
        PyErr_SetString(PyExc_TypeError, "a column of an outline is a list, as long as the others");
        return 0;
    }
    for (Py_ssize_t k = 0; k < size; k++) {
        long value = PyLong_AsLong(PyList_GetItem(list, k));
        if (value == -1 && PyErr_Occurred())
            return 0;
        if (value < least || value > most) {
            PyErr_SetString(PyExc_ValueError, "an outline names what it does not have");
            return 0;
        }
        to[k] = (Number)value;
    }
    return 1;
}

static int read_tag(Page *page, Number k)
{
    Py_ssize_t size;
    const char *tag = PyUnicode_AsUTF8AndSize(PyList_GetItem(page->tags, k), &size);
    if (!tag)
        return 0;
    int is = strlen(tag) != (size_t)size ? 0 /* a name may hold any byte, also 0 */
             : !strcmp(tag, "nav")      ? NAV
             : !strcmp(tag, "footer") ? FOOT
             : !strcmp(tag, "ul") || !strcmp(tag, "ol")    ? ITEMS | LISTED
             : !strcmp(tag, "dl") || !strcmp(tag, "table") ? LISTED
                                                           : 0;
    page->is[k] = (uint8_t)is;
    page->lists[k + 1] = page->lists[k] + ((is & LISTED) && size_of(page, k) > 1);
    return 1;
}

/* Every element ends within the one that it begins in. `open` has room for all. */
static int is_sound(const Page *page, Number *open)
{
    Number depth = 0;
    for (Number k = 0; k < page->count; k++) {
        while (depth && page->behind[open[depth - 1]] <= k)
            depth--;
        Number end = depth ? page->behind[open[depth - 1]] : page->count;
        if ((k && !depth) || page->behind[k] <= k || page->behind[k] > end ||
            page->first[k] > page->last[k]) {
            PyErr_SetString(PyExc_ValueError, "an element of an outline ends outside of its own");
            return 0;
        }
        open[depth++] = k;
    }
    return 1;
}

/* --- what the rules ask --- */

static Number below(const Number *sorted, Number count, Number value)
{
    Number low = 0, high = count;
    while (low < high) {
        Number middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What an element calls itself; below 0 with an error. */
static int called(Page *page, Number k)
{
    PyObject *raw = PyList_GetItem(page->attributes, k);
    if (!PyBytes_Check(raw)) {
        PyErr_SetString(PyExc_TypeError, "attributes are bytes");
        return -1;
    }
    if (!PyBytes_Size(raw))
        return 0;
    PyObject *flags = PyDict_GetItemWithError(page->known, raw);
    if (flags)
        return (int)PyLong_AsLong(flags);
    flags = PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(page->look, raw, NULL);
    int found = flags ? (int)PyLong_AsLong(flags) : -1;
    Py_XDECREF(flags);
    return found;
}

/* Has any element from `from` to `to` such a tag, or does it call itself so? */
static int is_any(Page *page, Number from, Number to, int tag, int name)
{
    for (Number k = from; k <= to; k++) {
        if (page->is[k] & tag)
            return 1;
        int found = name ? called(page, k) : 0;
        if (found < 0)
            return -1;
        if (found & name)
            return 1;
    }
    return 0;
}

/* Elements within each other that hold the same links, and the children of the innermost. */
typedef struct {
    Number outer, inner; /* the page itself is no outer one */
    Number size, kids, parts, largest;
    Number wide; /* how many parts have enough links to be columns */
} Group;

static Group group_of(const Page *page, Number element)
{
    Number inner = element, end = page->behind[element], size = size_of(page, element);
    while (inner + 1 < end && size_of(page, inner + 1) == size)
        inner++;
    Group group = {element + (element == 0), inner, size, 0, 0, 0, 0};
    for (Number kid = inner + 1; kid < page->behind[inner]; kid = page->behind[kid]) {
        Number links = size_of(page, kid);
        group.kids++;
        group.parts += links > 1;
        group.wide += links > 1 && links >= page->column;
        if (links > group.largest)
            group.largest = links;
    }
    return group;
}

/* Most kids are of one kind? Python counts. */
static int is_alike(Page *page, const Group *group)
{
    if (group->kids < page->kids || group->largest > page->in_kids)
        return 0;
    PyObject *tags = PyList_New(0), *attributes = PyList_New(0), *answer = NULL;
    int done = tags && attributes;
    Number end = page->behind[group->inner];
    for (Number kid = group->inner + 1; done && kid < end; kid = page->behind[kid])
        done = !PyList_Append(tags, PyList_GetItem(page->tags, kid)) &&
               !PyList_Append(attributes, PyList_GetItem(page->attributes, kid));
    if (done)
        answer = PyObject_CallFunctionObjArgs(page->alike, tags, attributes, NULL);
    int found = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(tags);
    Py_XDECREF(attributes);
    Py_XDECREF(answer);
    return found;
}

static int has_headings(const Page *page, Number inner)
{
    return below(page->headings, page->headed, page->stop[inner]) -
               below(page->headings, page->headed, page->start[inner] + 1) >=
           page->heads;
}

static int has_lists(const Page *page, Number inner)
{
    return page->lists[page->behind[inner]] - page->lists[inner + 1] >= page->inside;
}

static int holds(Page *page, const Group *group, int rule)
{
    Number from = group->outer, to = group->inner;
    switch (rule) {
    case LEAF:
        return !group->parts;
    case HUGE_:
        return group->size > page->huge;
    case PAGE:
        return group->size > page->share * (page->last[0] - page->first[0]);
    case MENU:
        return page->menus ? is_any(page, from, to, NAV, CALLED_MENU) : 0;
    case FOOTER:
        return group->size <= page->footer ? is_any(page, from, to, FOOT, CALLED_FOOTER) : 0;
    case LIST:
        return is_any(page, from, to, ITEMS, 0);
    case COLUMNS:
        return page->column > 0 && group->wide > 1;
    case ALIKE:
        return is_alike(page, group);
    case HEADINGS:
        return has_headings(page, to);
    case LISTS:
        return has_lists(page, to);
    case WRAPPER:
        return page->wrapped > 0 && group->largest >= page->wrapped &&
               group->size - group->largest == 1;
    }
    return 1;
}

/* The first rule that applies; below 0 with an error. */
static int decide(Page *page, const Group *group)
{
    for (int rule = LEAF;; rule++) {
        int found = holds(page, group, rule);
        if (found)
            return found < 0 ? -1 : rule;
    }
}

static int is_cut(int rule)
{
    return rule == HUGE_ || rule == PAGE || rule == COLUMNS || rule == HEADINGS || rule == LISTS ||
           rule == WRAPPER;
}

/* --- the walk --- */

static int put_block(PyObject *found, const Page *page, const Group *group, int rule)
{
    int bounded = group->outer <= group->inner;
    PyObject *block = Py_BuildValue("iiii", (int)page->first[group->inner],
                                    (int)page->last[group->inner],
                                    bounded ? (int)group->outer : 0, rule);
    int failed = !block || PyList_Append(found, block);
    Py_XDECREF(block);
    return !failed;
}

static PyObject *walk(Page *page)
{
    Number *waiting = malloc(((size_t)page->count + 1) * sizeof(Number));
    PyObject *found = waiting ? PyList_New(0) : PyErr_NoMemory();
    Number left = 0;
    if (found && page->last[0] - page->first[0] > 1)
        waiting[left++] = 0;
    while (found && left) {
        Group group = group_of(page, waiting[--left]);
        int rule = decide(page, &group);
        if (rule < 0 || (!is_cut(rule) && !put_block(found, page, &group, rule))) {
            Py_CLEAR(found);
        } else if (is_cut(rule)) { /* the first part is to be the next */
            Number end = page->behind[group.inner], place = left + group.parts;
            left = place;
            for (Number kid = group.inner + 1; kid < end; kid = page->behind[kid])
                if (size_of(page, kid) > 1)
                    waiting[--place] = kid;
        }
    }
    free(waiting);
    return found;
}

static PyObject *blocks(PyObject *module, PyObject *args)
{
    Page page = {0};
    PyObject *behind, *first, *last, *start, *stop, *headings, *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!OOOOOO!(LdLLLLLLLL)O!OO", &PyList_Type, &page.tags,
                          &PyList_Type, &page.attributes, &behind, &first, &last, &start, &stop,
                          &PyList_Type, &headings, &page.huge, &page.share, &page.menus,
                          &page.footer, &page.column, &page.wrapped, &page.inside, &page.kids,
                          &page.in_kids, &page.heads, &PyDict_Type, &page.known, &page.look,
                          &page.alike))
        return NULL;
    Py_ssize_t n = PyList_Size(page.tags), headed = PyList_Size(headings);
    if (n < 1 || n > INT32_MAX / 16 || headed > INT32_MAX / 16 ||
        PyList_Size(page.attributes) != n) {
        PyErr_SetString(PyExc_ValueError, "an outline has the page, and attributes of each tag");
        return NULL;
    }
    Number *block = malloc((6 * (size_t)n + 1 + (size_t)headed) * sizeof(Number));
    page.is = malloc((size_t)n);
    if (!block || !page.is) {
        PyErr_NoMemory();
    } else {
        page.count = (Number)n;
        page.headed = (Number)headed;
        page.behind = block;
        page.first = block + n;
        page.last = block + 2 * n;
        page.start = block + 3 * n;
        page.stop = block + 4 * n;
        page.lists = block + 5 * n;
        page.headings = block + 6 * n + 1;
        int done = read_numbers(behind, n, page.behind, 1, page.count) &&
                   read_numbers(first, n, page.first, 0, INT32_MAX) &&
                   read_numbers(last, n, page.last, 0, INT32_MAX) &&
                   read_numbers(start, n, page.start, -1, INT32_MAX - 1) &&
                   read_numbers(stop, n, page.stop, -1, INT32_MAX - 1) &&
                   read_numbers(headings, headed, page.headings, -1, INT32_MAX) &&
                   is_sound(&page, page.lists);
        page.lists[0] = 0;
        for (Number k = 0; done && k < page.count; k++)
            done = read_tag(&page, k);
        found = done ? walk(&page) : NULL;
    }
    free(block);
    free(page.is);
    return found;
}

static PyMethodDef methods[] = {
    {"blocks", blocks, METH_VARARGS,
     "The blocks of an outline: first link, the one behind the last, element, rule."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.blocks._structural",
                                    "Structural rules.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__structural(void) { return PyModule_Create(&module); }
