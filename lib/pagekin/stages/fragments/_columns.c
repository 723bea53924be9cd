/* What the values of some URLs say, in columns: what pagekin.stages.fragments.columns does, twice as fast.

URL by URL: the numbers of its fragments are read, each term gets its place, and what is sorted is
only the terms of one URL, which lie in the cache. Sums are of whole numbers, so that their order
does not matter. */

#include "../../part.h"
#include "numbers.h"

/* As in pagekin.bags.fragments, places and values. */
enum { NOWHERE = 0x3FFF, WITHIN_HOST = 0x4000, PLACES = 0x8000, KINDS = 8 };
enum { OWN_TEXT = 2, HOST = 1, HOST_SIZE = 8, FLAG = 9, LINK_TEXT = 10 };
enum { PLACE_BITS = 16, RUN = 8, MANY = 48 };

typedef struct {
    void *at;
    size_t size, room; /* bytes */
} Column;

static int reserve(Column *column, size_t size)
{
    void *at = with_room(column->at, &column->room, column->size, size, 1);
    if (at)
        column->at = at;
    return at != NULL;
}

static int append(Column *column, const void *item, size_t size)
{
    if (!reserve(column, size))
        return 0;
    memcpy((char *)column->at + column->size, item, size);
    column->size += size;
    return 1;
}

static int append_count(Column *column, int64_t count)
{
    return append(column, &count, sizeof(count));
}

typedef struct {
    const int64_t *weights;
    const int32_t *least; /* place of the terms of each kind of section, at least */
    uint64_t *keys, *spare; /* of one URL: term and place */
    size_t count, room;
    Column crawled, links, pages, hosts, host_of, host_url, bounds, terms, sums;
    int64_t n_terms, n_links, dropped;
} Columns;

/* --- sorting by term --- */

static void insert(uint64_t *keys, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        uint64_t key = keys[k];
        size_t j = k;
        for (; j && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static void merge(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t *to)
{
    while (n && m) {
        int is_b = *b < *a;
        *to++ = is_b ? *b : *a;
        b += is_b;
        m -= (size_t)is_b;
        a += !is_b;
        n -= (size_t)!is_b;
    }
    memcpy(to, a, n * sizeof(*a));
    memcpy(to + n, b, m * sizeof(*b));
}

/* The sorted keys; they lie in one of the two. */
static uint64_t *merge_sort(uint64_t *keys, uint64_t *spare, size_t n)
{
    for (size_t k = 0; k < n; k += RUN)
        insert(keys + k, n - k < RUN ? n - k : RUN);
    for (size_t size = RUN; size < n; size *= 2) {
        for (size_t k = 0; k < n; k += 2 * size) {
            size_t first = n - k < size ? n - k : size;
            size_t rest = n - k - first;
            merge(keys + k, first, keys + k + first, rest < size ? rest : size, spare + k);
        }
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
    return keys;
}

/* By the bytes of the terms alone, from the last to the first. */
static uint64_t *radix_sort(uint64_t *keys, uint64_t *spare, size_t n)
{
    uint32_t starts[4][256] = {{0}};
    for (size_t k = 0; k < n; k++)
        for (int d = 0; d < 4; d++)
            starts[d][keys[k] >> (PLACE_BITS + 8 * d) & 0xFF]++;
    for (int d = 0; d < 4; d++) {
        uint32_t start = 0;
        for (int b = 0; b < 256; b++) {
            uint32_t count = starts[d][b];
            starts[d][b] = start;
            start += count;
        }
        for (size_t k = 0; k < n; k++)
            spare[starts[d][keys[k] >> (PLACE_BITS + 8 * d) & 0xFF]++] = keys[k];
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
    return keys;
}

/* --- one URL --- */

static inline int is_mark(const uint8_t *at) { return at[0] & 0x70; }

static int make_room(Columns *columns, size_t more)
{
    if (columns->count + more <= columns->room)
        return 1;
    size_t room = 2 * columns->room + more;
    uint64_t *keys = realloc(columns->keys, room * sizeof(*keys));
    if (keys)
        columns->keys = keys;
    uint64_t *spare = realloc(columns->spare, room * sizeof(*spare));
    if (spare)
        columns->spare = spare;
    if (!keys || !spare) {
        PyErr_NoMemory();
        return 0;
    }
    columns->room = room;
    return 1;
}

/* The terms of some fragments, each with its place. */
static int add_text(Columns *columns, const uint8_t *text, size_t size, int64_t within)
{
    if (size % WIDTH || (size && !is_mark(text))) {
        PyErr_SetString(PyExc_ValueError, "a value holds no fragments");
        return 0;
    }
    if (!make_room(columns, size / WIDTH))
        return 0;
    const uint8_t *end = text + size;
    uint64_t *keys = columns->keys;
    size_t count = columns->count;
    while (text < end) {
        uint64_t mark = number_at(text), kind = mark >> 32;
        const uint8_t *from = text + WIDTH;
        for (text = from; text < end && !is_mark(text);)
            text += WIDTH;
        int64_t n = (text - from) / WIDTH, least = columns->least[kind];
        int64_t left = -1, right = n;
        if (kind == LINK) {
            left = (int64_t)(mark >> 16 & 0xFFFF);
            right = n - 1 - (int64_t)(mark & 0xFFFF);
            columns->n_links++;
        }
        for (int64_t t = 0; t < n; t++, from += WIDTH) {
            int64_t place = left - t;
            if (place < t - right)
                place = t - right;
            if (place < least)
                place = least;
            if (place > NOWHERE)
                place = NOWHERE;
            keys[count++] = number_at(from) << PLACE_BITS | (uint64_t)(place + within);
        }
    }
    columns->count = count;
    return 1;
}

/* Equal terms become one; those of weight 0 are no terms. */
static int finish_terms(Columns *columns)
{
    size_t n = columns->count;
    uint64_t *keys = n < MANY ? merge_sort(columns->keys, columns->spare, n)
                              : radix_sort(columns->keys, columns->spare, n);
    if (!reserve(&columns->terms, n * sizeof(uint32_t)) ||
        !reserve(&columns->sums, n * sizeof(int64_t)))
        return 0;
    uint32_t *terms = (uint32_t *)columns->terms.at + columns->n_terms;
    int64_t *sums = (int64_t *)columns->sums.at + columns->n_terms;
    size_t found = 0;
    for (size_t k = 0; k < n;) {
        uint32_t term = (uint32_t)(keys[k] >> PLACE_BITS);
        int64_t sum = 0;
        for (; k < n && (uint32_t)(keys[k] >> PLACE_BITS) == term; k++)
            sum += columns->weights[keys[k] & (PLACES - 1)];
        terms[found] = term;
        sums[found] = sum;
        found += sum != 0;
    }
    columns->terms.size += found * sizeof(uint32_t);
    columns->sums.size += found * sizeof(int64_t);
    columns->n_terms += (int64_t)found;
    columns->count = 0;
    return 1;
}

typedef struct {
    PyObject *values, *folded;
    Py_ssize_t first, end; /* of the URL's values */
    int64_t url;
    int is_taken;          /* its own content was read before */
    const char *own_host;  /* or NULL */
} Url;

static int add_url(Columns *columns, Url *url)
{
    int64_t crawled = 0, pages = 0, hosts = 0;
    const char *last_host = NULL;
    columns->n_links = 0;
    for (Py_ssize_t k = url->first; k < url->end; k++) {
        char *value;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(url->values, k), &value, &size))
            return 0;
        const uint8_t *text = (const uint8_t *)value;
        if (size >= LINK_TEXT && *value == 'l') {
            const char *host = value + HOST;
            int is_new = !last_host || memcmp(last_host, host, HOST_SIZE);
            int is_own = url->own_host && !memcmp(url->own_host, host, HOST_SIZE);
            pages += value[FLAG] == '1';
            hosts += is_new;
            last_host = host;
            if (is_new && (!append(&columns->host_of, host, HOST_SIZE) ||
                           !append_count(&columns->host_url, url->url)))
                return 0;
            if (!add_text(columns, text + LINK_TEXT, (size_t)(size - LINK_TEXT),
                          is_own ? WITHIN_HOST : 0))
                return 0;
            continue;
        }
        last_host = NULL;
        if (size >= OWN_TEXT && *value == 'c') {
            if (crawled || url->is_taken)
                columns->dropped++;
            else if (!add_text(columns, text + OWN_TEXT, (size_t)(size - OWN_TEXT), 0))
                return 0;
            crawled |= !url->is_taken;
        } else if (*value == 'f') {
            PyObject *place = PyLong_FromSsize_t(k);
            int failed = !place || PyList_Append(url->folded, place);
            Py_XDECREF(place);
            if (failed)
                return 0;
        } else {
            PyErr_SetString(PyExc_ValueError, "no value of a URL");
            return 0;
        }
    }
    return finish_terms(columns) && append_count(&columns->crawled, crawled) &&
           append_count(&columns->links, columns->n_links) &&
           append_count(&columns->pages, pages) && append_count(&columns->hosts, hosts) &&
           append_count(&columns->bounds, columns->n_terms);
}

/* --- all --- */

static int add_all(Columns *columns, Url *url, PyObject *starts, const char *taken,
                   const char *own_hosts)
{
    Py_ssize_t count = PyList_Size(starts), last = PyList_Size(url->values);
    url->first = 0;
    if (!append_count(&columns->bounds, 0))
        return 0;
    for (Py_ssize_t u = 0; u < count; u++) {
        url->url = u;
        url->end = u + 1 < count ? PyLong_AsSsize_t(PyList_GetItem(starts, u + 1)) : last;
        if (url->end < url->first || url->end > last) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "the values of a URL lie elsewhere");
            return 0;
        }
        url->is_taken = taken[u] != 0;
        url->own_host = own_hosts ? own_hosts + HOST_SIZE * u : NULL;
        if (!add_url(columns, url))
            return 0;
        url->first = url->end;
    }
    return 1;
}

static PyObject *take(Column *column)
{
    return PyByteArray_FromStringAndSize(column->at, (Py_ssize_t)column->size);
}

static PyObject *result_of(Columns *columns, PyObject *folded)
{
    return Py_BuildValue("NNNNNNNNNOL", take(&columns->crawled), take(&columns->links),
                         take(&columns->pages), take(&columns->hosts), take(&columns->host_of),
                         take(&columns->host_url), take(&columns->bounds), take(&columns->terms),
                         take(&columns->sums), folded, (long long)columns->dropped);
}

static void free_all(Columns *columns)
{
    Column *all[] = {&columns->crawled, &columns->links,    &columns->pages,
                     &columns->hosts,   &columns->host_of,  &columns->host_url,
                     &columns->bounds,  &columns->terms,    &columns->sums};
    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
        free(all[k]->at);
    free(columns->keys);
    free(columns->spare);
}

static PyObject *columns_of(PyObject *module, PyObject *args)
{
    Columns columns = {.room = 0};
    Url url = {NULL, NULL, 0, 0, 0, 0, NULL};
    PyObject *starts, *found = NULL;
    const char *weights, *least, *taken, *own_hosts;
    Py_ssize_t n_weights, n_least, n_taken, n_hosts;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!y#y#y#z#", &PyList_Type, &url.values, &PyList_Type, &starts,
                          &weights, &n_weights, &least, &n_least, &taken, &n_taken, &own_hosts,
                          &n_hosts))
        return NULL;
    Py_ssize_t urls = PyList_Size(starts);
    if (n_weights != PLACES * (Py_ssize_t)sizeof(int64_t) ||
        n_least != KINDS * (Py_ssize_t)sizeof(int32_t) || n_taken != urls ||
        (own_hosts && n_hosts != HOST_SIZE * urls)) {
        PyErr_SetString(PyExc_ValueError, "each place has a weight, each URL what is known of it");
        return NULL;
    }
    int64_t *table = malloc((size_t)n_weights); /* aligned, wherever the bytes came from */
    int32_t least_of[KINDS];
    memcpy(least_of, least, sizeof(least_of));
    if (table)
        memcpy(table, weights, (size_t)n_weights);
    else
        PyErr_NoMemory();
    columns.weights = table;
    columns.least = least_of;
    url.folded = PyList_New(0);
    if (table && url.folded && add_all(&columns, &url, starts, taken, own_hosts))
        found = result_of(&columns, url.folded);
    free_all(&columns);
    free(table);
    Py_XDECREF(url.folded);
    return found;
}

/* --- bags as text --- */

static char pairs_of_digits[4096][2]; /* of base64, for each twelve bits */

static void spell_digits(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int k = 0; k < 4096; k++) {
        pairs_of_digits[k][0] = digits[k >> 6];
        pairs_of_digits[k][1] = digits[k & 63];
    }
}

static char *put_twelve(char *to, unsigned bits)
{
    memcpy(to, pairs_of_digits[bits], 2);
    return to + 2;
}

/* Bytes of two pieces as one, in base64. */
static char *put_base64(char *to, const uint8_t *first, size_t n, const uint8_t *second, size_t m)
{
    uint8_t three[3];
    size_t size = n + m, k = 0;
    while (k < size) {
        size_t count = size - k < 3 ? size - k : 3;
        const uint8_t *at = three;
        if (count == 3 && k + 3 <= n)
            at = first + k;
        else if (count == 3 && k >= n)
            at = second + (k - n);
        else
            for (size_t j = 0; j < 3; j++)
                three[j] = j >= count ? 0 : k + j < n ? first[k + j] : second[k + j - n];
        unsigned bits = (unsigned)at[0] << 16 | (unsigned)at[1] << 8 | at[2];
        to = put_twelve(put_twelve(to, bits >> 12), bits & 0xFFF);
        k += count;
        if (count < 3)
            to[-1] = '=';
        if (count < 2)
            to[-2] = '=';
    }
    return to;
}

static char *put_count(char *to, int64_t count)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + count % 10);
    while (count /= 10);
    while (n)
        *to++ = digits[--n];
    *to++ = ' ';
    return to;
}

typedef struct {
    const int64_t *crawled, *links, *pages, *hosts, *bounds;
    const uint8_t *terms, *weights;
} Bags;

static PyObject *value_of(const Bags *bags, Py_ssize_t k)
{
    size_t low = 4 * (size_t)bags->bounds[k], size = 4 * (size_t)bags->bounds[k + 1] - low;
    char head[4 * 21], *to = head;
    to = put_count(to, bags->crawled[k]);
    to = put_count(to, bags->links[k]);
    to = put_count(to, bags->pages[k]);
    to = put_count(to, bags->hosts[k]);
    Py_ssize_t n_head = to - head, n_text = (Py_ssize_t)((2 * size + 2) / 3 * 4);
    PyObject *value = PyBytes_FromStringAndSize(NULL, n_head + n_text);
    if (value) {
        to = PyBytes_AsString(value);
        memcpy(to, head, (size_t)n_head);
        put_base64(to + n_head, bags->terms + low, size, bags->weights + low, size);
    }
    return value;
}

enum { N_BUFFERS = 7 };

static PyObject *values_of(const Py_buffer *views)
{
    Bags bags = {views[0].buf, views[1].buf, views[2].buf, views[3].buf, views[4].buf,
                 views[5].buf, views[6].buf};
    Py_ssize_t size = views[0].len, count = size / 8;
    int fits = size % 8 == 0 && views[4].len == size + 8 && views[5].len == views[6].len;
    for (int k = 1; k < 4; k++)
        fits &= views[k].len == size;
    for (Py_ssize_t k = 0; fits && k < count; k++)
        fits &= bags.bounds[k] >= 0 && bags.bounds[k] <= bags.bounds[k + 1] &&
                bags.crawled[k] >= 0 && bags.links[k] >= 0 && bags.pages[k] >= 0 &&
                bags.hosts[k] >= 0;
    if (!fits || bags.bounds[count] > views[5].len / 4) {
        PyErr_SetString(PyExc_ValueError, "these columns do not belong together");
        return NULL;
    }
    PyObject *values = PyList_New(count);
    for (Py_ssize_t k = 0; values && k < count; k++) {
        PyObject *value = value_of(&bags, k);
        if (!value || PyList_SetItem(values, k, value))
            Py_CLEAR(values);
    }
    return values;
}

static PyObject *bag_values(PyObject *module, PyObject *args)
{
    PyObject *objects[N_BUFFERS], *values = NULL;
    Py_buffer views[N_BUFFERS];
    int n = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &objects[5], &objects[6]))
        return NULL;
    while (n < N_BUFFERS && !PyObject_GetBuffer(objects[n], &views[n], PyBUF_SIMPLE))
        n++;
    if (n == N_BUFFERS)
        values = values_of(views);
    while (n)
        PyBuffer_Release(&views[--n]);
    return values;
}

static PyMethodDef methods[] = {
    {"bag_values", bag_values, METH_VARARGS,
     "bag_values(crawled, links, pages, hosts, bounds, terms, weights)\n\n"
     "The values of bags, as pagekin.bags.bag writes each."},
    {"columns", columns_of, METH_VARARGS,
     "columns(values, starts, weights, least, taken, own_hosts)\n\n"
     "What the values of some URLs say, as pagekin.stages.fragments.columns tells it."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.stages.fragments._columns",
                                    "Values of URLs in columns.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__columns(void)
{
    spell_digits();
    return with_version(PyModule_Create(&module));
}
