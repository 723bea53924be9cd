/* What every part in C begins with: Python's stable interface, the version that it tells Python, and
   memory that grows by doubling. */

#ifndef PAGEKIN_PART_H
#define PAGEKIN_PART_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Raised here and in pagekin.native (VERSION) when the arguments or the results of a part change, so
   that no part is used that was built before the change. */
#define PAGEKIN_PART_VERSION 1

/* A module that was made, with its version; NULL with an error if it was not made. */
static inline PyObject *with_version(PyObject *module)
{
    if (module && PyModule_AddIntConstant(module, "VERSION", PAGEKIN_PART_VERSION))
        Py_CLEAR(module);
    return module;
}

/* A block with room for `more` items behind those that are used: the same or a larger one, of which
   `room` then says how many items it has. NULL with an error if there is no memory; the old one stays. */
static inline void *with_room(void *at, size_t *room, size_t used, size_t more, size_t item)
{
    if (at && used + more <= *room)
        return at;
    size_t wanted = 2 * *room + more + 64;
    void *larger = realloc(at, wanted * item);
    if (larger)
        *room = wanted;
    else
        PyErr_NoMemory();
    return larger;
}

#endif
