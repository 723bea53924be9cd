/* Memory that grows by doubling, for all parts in C. */

#ifndef PAGEKIN_ROOM_H
#define PAGEKIN_ROOM_H

#include <Python.h>
#include <stdlib.h>

/* A block with room for `more` items behind those that are used: the same or a larger one, of which
   `room` then says how many items it has. NULL with an error if there is no memory; the old one stays. */
static void *with_room(void *at, size_t *room, size_t used, size_t more, size_t item)
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
