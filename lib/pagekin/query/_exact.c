/* The terms that a bag shares with many others: what plain_lesser_weights of pagekin.query.exact
   says.

A table says of the low bits of a term where in the bag it stands. Every third term of another bag
may be shared, so nothing is decided in the loop over them: a value is written for each, and counts
if the terms are equal. Terms of the same low bits, which are rare, follow one another in a chain. */

#include "../part.h"

/* Slots that are used: eight for each term, and no more than that, or they are fetched from afar. */
#define LEAST (1 << 12)
#define MOST (1 << 18)

#define CHAIN 0x80000000u /* there is another term of these low bits */

/* Where the term with these low bits that comes first stands among the entries, from 1; of one
   call, and 0 between calls: the interpreter runs one at a time. */
static uint32_t slots[MOST];
static uint32_t lows; /* the bits of a term that tell its slot */

typedef struct {
    const uint8_t *terms;   /* uint32 each */
    const uint8_t *weights; /* float32 each */
    size_t count;
} Bag;

/* A term of the bag that others are compared with. */
typedef struct {
    uint32_t term;
    float weight;
    uint32_t next; /* the slot of the term behind it in its chain */
} Entry;

typedef struct {
    double *values;
    size_t count, room;
} Lesser;

static uint32_t term_at(const Bag *bag, size_t place)
{
    uint32_t term;
    memcpy(&term, bag->terms + 4 * place, 4);
    return term;
}

static float weight_at(const Bag *bag, size_t place)
{
    float weight;
    memcpy(&weight, bag->weights + 4 * place, 4);
    return weight;
}

/* Bytes of terms and of as many weights. */
static int take_bag(PyObject *terms, PyObject *weights, Bag *bag)
{
    char *of_terms, *of_weights;
    Py_ssize_t size, other;
    if (PyBytes_AsStringAndSize(terms, &of_terms, &size) ||
        PyBytes_AsStringAndSize(weights, &of_weights, &other))
        return 0;
    if (size != other || size % 4) {
        PyErr_SetString(PyExc_ValueError, "a bag has as many weights as terms");
        return 0;
    }
    *bag = (Bag){(const uint8_t *)of_terms, (const uint8_t *)of_weights, (size_t)size / 4};
    return 1;
}

/* Entries for the terms of a bag, from 1, and the table that leads to them. Empty slots lead to entry
   0, which is the first term once more: it has a slot, so it is no term whose slot is empty. */
static void note(const Bag *own, Entry *entries)
{
    lows = LEAST - 1;
    while (lows < MOST - 1 && lows < 8 * own->count)
        lows = 2 * lows + 1;
    for (size_t place = own->count; place; place--) {
        uint32_t term = term_at(own, place - 1), *slot = &slots[term & lows];
        entries[place] = (Entry){term, weight_at(own, place - 1), *slot};
        *slot = (uint32_t)place | (*slot ? CHAIN : 0);
    }
    entries[0] = entries[1];
}

static void forget(const Bag *own)
{
    for (size_t place = 0; place < own->count; place++)
        slots[term_at(own, place) & lows] = 0;
}

/* The entry of a term, along the chain from a slot; any other if there is none. */
static uint32_t look_along(const Entry *entries, uint32_t slot, uint32_t term)
{
    while (slot & CHAIN && entries[slot & ~CHAIN].term != term)
        slot = entries[slot & ~CHAIN].next;
    return slot & ~CHAIN;
}

/* Add the lesser weight of each term that both have, in the order of the other's. */
static int compare(const Entry *entries, const Bag *other, Lesser *lesser)
{
    double *values = with_room(lesser->values, &lesser->room, lesser->count, other->count + 1, 8);
    if (!values)
        return 0;
    lesser->values = values;
    size_t count = lesser->count;
    for (size_t place = 0; place < other->count; place++) {
        uint32_t term = term_at(other, place), slot = slots[term & lows];
        if (slot & CHAIN)
            slot = look_along(entries, slot, term);
        float mine = entries[slot].weight, its = weight_at(other, place);
        values[count] = its < mine ? its : mine;
        count += entries[slot].term == term;
    }
    lesser->count = count;
    return 1;
}

/* Compare with all; how many values there are behind each goes to `ends`. */
static int compare_all(const Entry *entries, PyObject *terms, PyObject *weights, Lesser *lesser,
                       char *ends)
{
    for (Py_ssize_t k = 0; k < PyList_Size(terms); k++) {
        Bag other;
        if (!take_bag(PyList_GetItem(terms, k), PyList_GetItem(weights, k), &other) ||
            (entries && !compare(entries, &other, lesser)))
            return 0;
        int64_t end = (int64_t)lesser->count;
        memcpy(ends + 8 * k, &end, 8);
    }
    return 1;
}

static PyObject *lesser_weights(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *own_terms, *own_weights, *terms, *weights;
    Bag own;
    if (!PyArg_ParseTuple(args, "SSO!O!", &own_terms, &own_weights, &PyList_Type, &terms,
                          &PyList_Type, &weights) ||
        !take_bag(own_terms, own_weights, &own))
        return NULL;
    Py_ssize_t count = PyList_Size(terms);
    if (PyList_Size(weights) != count || own.count >= CHAIN)
        return PyErr_Format(PyExc_ValueError, "there are as many weights as terms");
    PyObject *ends = PyBytes_FromStringAndSize(NULL, 8 * count), *result = NULL;
    Entry *entries = own.count ? malloc((own.count + 1) * sizeof(Entry)) : NULL;
    Lesser lesser = {NULL, 0, 0};
    if (own.count && !entries)
        PyErr_NoMemory();
    else if (ends) {
        if (entries)
            note(&own, entries);
        if (compare_all(entries, terms, weights, &lesser, PyBytes_AsString(ends)))
            result = Py_BuildValue("y#O", lesser.count ? (const char *)lesser.values : "",
                                   (Py_ssize_t)(8 * lesser.count), ends);
        forget(&own);
    }
    free(lesser.values);
    free(entries);
    Py_XDECREF(ends);
    return result;
}

static PyMethodDef methods[] = {
    {"lesser_weights", lesser_weights, METH_VARARGS,
     "lesser_weights(terms, weights, terms of others, weights of others): the values, and ends."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.query._exact",
                                    "What bags share.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__exact(void) { return with_version(PyModule_Create(&module)); }
