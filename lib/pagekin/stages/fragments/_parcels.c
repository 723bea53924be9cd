/* Parcels, packed and unpacked: what pagekin.stages.fragments.parcels does, ten times as fast. */

#include "../../part.h"
#include "numbers.h"

/* As in pagekin.stages.fragments.packing and parcels. */
enum { BASE = 252, TWO = 0x20, THREE = 0x60, LITERAL = 0x6E, MARK = 0x70, HIGHEST_MARK = 0x77 };
enum { COUNTS = 96, LAST = 0x80, FLAGS = 0x21, LENGTHS = 9, USUAL = 1, FINAL = 2, SAME = 4 };
enum { HOST_SIZE = 8, OF_TWO = (THREE - TWO) * BASE };
static const uint64_t HIGHEST = (uint64_t)1 << 40; /* of a count that is read on */

/* How long the part of a URL is that all URLs of its host have. */
static size_t host_part(const char *url, size_t size)
{
    const char *end = url + size, *from = url + 2; /* as find does that is told -1 + 3 */
    for (const char *at = url; at + 2 < end; at++)
        if (at[0] == ':' && at[1] == '/' && at[2] == '/') {
            from = at + 3;
            break;
        }
    const char *slash = from < end ? memchr(from, '/', (size_t)(end - from)) : NULL;
    return slash ? (size_t)(slash - url) + 1 : size;
}

static int compare(const char *a, size_t n, const char *b, size_t m)
{
    int order = memcmp(a, b, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

/* --- codes of terms --- */

typedef struct {
    uint32_t term, place; /* one more than the place; 0: nothing is here */
} Slot;

static size_t slot_of(uint32_t term, size_t mask) { return (term * 0x9E3779B1u >> 7) & mask; }

static PyObject *code_table(PyObject *module, PyObject *terms)
{
    Py_buffer view;
    (void)module;
    if (PyObject_GetBuffer(terms, &view, PyBUF_SIMPLE))
        return NULL;
    size_t count = (size_t)view.len / sizeof(uint32_t), slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    PyObject *table = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(slots * sizeof(Slot)));
    if (table) {
        Slot *slot = (Slot *)(void *)PyBytes_AsString(table);
        const uint32_t *term = view.buf;
        memset(slot, 0, slots * sizeof(Slot));
        for (size_t k = 0; k < count; k++) {
            size_t at = slot_of(term[k], slots - 1);
            while (slot[at].place)
                at = (at + 1) & (slots - 1);
            slot[at] = (Slot){term[k], (uint32_t)k + 1};
        }
    }
    PyBuffer_Release(&view);
    return table;
}

/* --- text that grows --- */

typedef struct {
    uint8_t *at;
    size_t size, room;
} Text;

static uint8_t *more(Text *text, size_t size)
{
    void *at = with_room(text->at, &text->room, text->size, size, 1);
    if (!at)
        return NULL;
    text->at = at;
    return text->at + text->size;
}

static int put(Text *text, const void *from, size_t size)
{
    uint8_t *to = more(text, size);
    if (!to)
        return 0;
    if (size)
        memcpy(to, from, size);
    text->size += size;
    return 1;
}

static int put_byte(Text *text, int byte)
{
    uint8_t one = (uint8_t)byte;
    return put(text, &one, 1);
}

static int put_count(Text *text, uint64_t count)
{
    uint8_t digits[16];
    size_t k = sizeof(digits);
    digits[--k] = (uint8_t)(LAST + count % COUNTS);
    while (count /= COUNTS)
        digits[--k] = (uint8_t)(LAST - COUNTS + count % COUNTS);
    return put(text, digits + k, sizeof(digits) - k);
}

/* --- packing --- */

typedef struct {
    const Slot *slots;
    size_t mask;
    const char *cuts;
    const int64_t *bounds;
    size_t n_cuts;
} Packing;

static uint8_t digit(uint64_t value)
{
    value += value >= '\t' - 1 ? 3 : 1;
    return (uint8_t)(value + (value >= '\r'));
}

static uint8_t *put_digits(uint8_t *to, uint64_t number, int count)
{
    for (int k = count - 1; k >= 0; k--, number /= BASE)
        to[k] = digit(number % BASE);
    return to + count;
}

/* A number of a fragment, spelt; at most five bytes. */
static uint8_t *spell(uint8_t *to, const Packing *packing, uint64_t number)
{
    if (number >> KIND_SHIFT) {
        *to = (uint8_t)(MARK | number >> KIND_SHIFT);
        return to + 1;
    }
    uint32_t term = (uint32_t)number;
    size_t at = slot_of(term, packing->mask);
    while (packing->slots[at].place && packing->slots[at].term != term)
        at = (at + 1) & packing->mask;
    uint64_t place = packing->slots[at].place;
    if (!place--) {
        uint64_t power = (uint64_t)BASE * BASE * BASE * BASE;
        *to++ = (uint8_t)(LITERAL + term / power);
        return put_digits(to, term % power, 4);
    }
    if (place < OF_TWO) {
        *to++ = (uint8_t)(TWO + place / BASE);
        return put_digits(to, place % BASE, 1);
    }
    place -= OF_TWO;
    *to++ = (uint8_t)(THREE + place / (BASE * BASE));
    return put_digits(to, place % (BASE * BASE), 2);
}

/* Numbers of a fragment, how many they are before them. */
static int put_section(Text *text, const Packing *packing, const uint8_t *from, size_t size)
{
    if (!put_count(text, size / WIDTH))
        return 0;
    uint8_t *start = more(text, size), *to = start;
    if (!start)
        return 0;
    for (const uint8_t *end = from + size; from < end; from += WIDTH)
        to = spell(to, packing, number_at(from));
    text->size += (size_t)(to - start);
    return 1;
}

typedef struct {
    const char *url;
    size_t size, start; /* of the URL, and of what its host's URLs have in common */
    Py_ssize_t cut, first, last; /* of the cut that it is behind; of its links */
} Target;

/* A link at its place: by URL, and then as on the page. */
typedef struct {
    const Target *target;
    size_t link;
} Placed;

typedef struct {
    int64_t low, high;
} Piece;

typedef struct {
    Packing packing;
    PyObject *targets, *above; /* above: a list, or None */
    const uint8_t *marks, *terms, *tail, *value;
    const int64_t *low, *high;
    const char *own, *host;
    size_t count, n_terms, n_tail, n_own, n_value, most;
    uint64_t usual;
    Text spelt;      /* the terms of the page */
    uint32_t *spots; /* where each of them begins */
    size_t n_targets, n_placed;
    Target *found;
    Placed *placed;
    Py_ssize_t *next;            /* of each link the next one to the same target, or -1 */
    size_t *heading, *local;     /* of each link its headings; of these the number in the parcel */
    PyObject **headings;         /* borrowed */
    size_t n_headings, *used, n_used;
    Piece *pieces;
    int64_t *offsets;
    size_t n_pieces;
    Text parcel, links;
} Page;

static int by_url(const void *a, const void *b)
{
    const Target *x = a, *y = b;
    return compare(x->url, x->size, y->url, y->size);
}

static int by_place(const void *a, const void *b)
{
    const Piece *x = a, *y = b;
    int order = (x->low > y->low) - (x->low < y->low);
    return order ? order : (x->high > y->high) - (x->high < y->high);
}

static int wrong(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return 0;
}

/* The last cut that is not behind a URL, if it is one of its host. */
static Py_ssize_t cut_before(const Packing *packing, const char *url, size_t size, size_t start)
{
    size_t low = 0, high = packing->n_cuts;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *cut = packing->cuts + packing->bounds[middle];
        size_t length = (size_t)(packing->bounds[middle + 1] - packing->bounds[middle]);
        if (compare(cut, length, url, size) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return -1;
    const char *cut = packing->cuts + packing->bounds[low - 1];
    size_t length = (size_t)(packing->bounds[low] - packing->bounds[low - 1]);
    return length >= start && !memcmp(cut, url, start) ? (Py_ssize_t)low - 1 : -1;
}

static Target as_target(const Page *page, const char *url, size_t size)
{
    Target target = {url, size, host_part(url, size), -1, -1, -1};
    target.cut = cut_before(&page->packing, url, size, target.start);
    return target;
}

/* All distinct targets with their links. */
static int find_targets(Page *page)
{
    PyObject *numbers = PyDict_New();
    int fine = numbers != NULL;
    for (size_t k = 0; fine && k < page->count; k++) {
        PyObject *url = PyList_GetItem(page->targets, (Py_ssize_t)k);
        page->next[k] = -1;
        if (url == Py_None)
            continue;
        PyObject *known = PyDict_GetItemWithError(numbers, url);
        if (known) {
            Target *target = &page->found[PyLong_AsSize_t(known)];
            page->next[target->last] = (Py_ssize_t)k;
            target->last = (Py_ssize_t)k;
            continue;
        }
        Py_ssize_t size;
        const char *text = PyErr_Occurred() ? NULL : PyUnicode_AsUTF8AndSize(url, &size);
        PyObject *number = text ? PyLong_FromSize_t(page->n_targets) : NULL;
        fine = number && !PyDict_SetItem(numbers, url, number);
        Py_XDECREF(number);
        if (fine) {
            Target target = as_target(page, text, (size_t)size);
            target.first = target.last = (Py_ssize_t)k;
            page->found[page->n_targets++] = target;
        }
    }
    Py_XDECREF(numbers);
    if (fine)
        qsort(page->found, page->n_targets, sizeof(Target), by_url);
    for (size_t t = 0; fine && t < page->n_targets; t++)
        for (Py_ssize_t k = page->found[t].first; k >= 0; k = page->next[k])
            page->placed[page->n_placed++] = (Placed){&page->found[t], (size_t)k};
    return fine;
}

/* The number of the headings above each link: those of one place are one object. */
static int find_headings(Page *page)
{
    PyObject *last = NULL;
    for (size_t k = 0; k < page->count; k++) {
        PyObject *above = page->above == Py_None ? Py_None : PyList_GetItem(page->above, (Py_ssize_t)k);
        if (!page->n_headings || above != last) {
            if (above != Py_None && (!PyBytes_Check(above) || PyBytes_Size(above) % WIDTH))
                return wrong("headings are no numbers");
            page->headings[page->n_headings++] = above;
        }
        last = above;
        page->heading[k] = page->n_headings - 1;
    }
    /* the same headings at another place are the same */
    PyObject *first = PyDict_New();
    int fine = first != NULL;
    for (size_t h = 0; fine && h < page->n_headings; h++) {
        PyObject *known = PyDict_GetItemWithError(first, page->headings[h]);
        page->local[h] = known ? PyLong_AsSize_t(known) : h;
        if (!known) {
            PyObject *number = PyErr_Occurred() ? NULL : PyLong_FromSize_t(h);
            fine = number && !PyDict_SetItem(first, page->headings[h], number);
            Py_XDECREF(number);
        }
    }
    for (size_t k = 0; fine && k < page->count; k++)
        page->heading[k] = page->local[page->heading[k]];
    for (size_t h = 0; h < page->n_headings; h++)
        page->local[h] = SIZE_MAX;
    Py_XDECREF(first);
    return fine;
}

static int spell_terms(Page *page)
{
    uint8_t *to = more(&page->spelt, WIDTH * page->n_terms), *start = to;
    if (!to)
        return 0;
    for (size_t k = 0; k < page->n_terms; k++) {
        page->spots[k] = (uint32_t)(to - start);
        to = spell(to, &page->packing, number_at(page->terms + WIDTH * k));
    }
    page->spots[page->n_terms] = (uint32_t)(to - start);
    page->spelt.size = (size_t)(to - start);
    return 1;
}

static uint64_t left_of(const Page *page, size_t k)
{
    return number_at(page->marks + WIDTH * k) >> SIDE_SHIFT & 0xFFFF;
}

static uint64_t right_of(const Page *page, size_t k)
{
    return number_at(page->marks + WIDTH * k) & 0xFFFF;
}

static int check_links(Page *page)
{
    for (size_t k = 0; k < page->count; k++) {
        int64_t low = page->low[k], high = page->high[k];
        uint64_t left = left_of(page, k), right = right_of(page, k);
        if (low < 0 || high < low || (uint64_t)high > page->n_terms ||
            left + right > (uint64_t)(high - low))
            return wrong("a window lies outside of the page");
        page->usual = left > page->usual ? left : page->usual;
        page->usual = right > page->usual ? right : page->usual;
    }
    return 1;
}

/* Pieces of the page that hold all windows of some links. */
static void join_pieces(Page *page, const Placed *from, const Placed *end, int whole)
{
    size_t n = 0;
    if (whole) {
        page->pieces[n++] = (Piece){0, (int64_t)page->n_terms};
    } else {
        for (; from < end; from++)
            page->pieces[n++] = (Piece){page->low[from->link], page->high[from->link]};
        qsort(page->pieces, n, sizeof(Piece), by_place);
        size_t kept = 0;
        for (size_t p = 0; p < n; p++) {
            Piece *last = &page->pieces[kept ? kept - 1 : 0];
            if (kept && page->pieces[p].low <= last->high)
                last->high = page->pieces[p].high > last->high ? page->pieces[p].high : last->high;
            else
                page->pieces[kept++] = page->pieces[p];
        }
        n = kept;
    }
    page->n_pieces = n;
    page->offsets[0] = 0;
    for (size_t p = 0; p < n; p++)
        page->offsets[p + 1] = page->offsets[p] + page->pieces[p].high - page->pieces[p].low;
}

/* Where a place of the page, at which a window begins, stands in the pieces. */
static int64_t in_pieces(const Page *page, int64_t place)
{
    size_t low = 0, high = page->n_pieces;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (page->pieces[middle].low <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return page->offsets[low - 1] + place - page->pieces[low - 1].low;
}

static int put_link(Page *page, size_t k, int final, int64_t *behind, size_t *above)
{
    Text *text = &page->links;
    uint64_t left = left_of(page, k), right = right_of(page, k);
    int64_t anchor = in_pieces(page, page->low[k]) + (int64_t)left, step = anchor - *behind;
    uint64_t words = (uint64_t)(page->high[k] - page->low[k]) - left - right;
    size_t *number = &page->local[page->heading[k]];
    if (*number == SIZE_MAX) {
        *number = page->n_used;
        page->used[page->n_used++] = page->heading[k];
    }
    int usual = left == page->usual && right == page->usual, same = *number == *above;
    int shown = words < LENGTHS ? (int)words : LENGTHS;
    int flags = 8 * shown + USUAL * usual + FINAL * final + SAME * same;
    *behind = anchor + (int64_t)words;
    *above = *number;
    return put_count(text, step >= 0 ? 2 * (uint64_t)step : 2 * (uint64_t)-step - 1) &&
           put_byte(text, FLAGS + flags) && (same || put_count(text, *number)) &&
           (usual || (put_count(text, left) && put_count(text, right))) &&
           (shown < LENGTHS || put_count(text, words - LENGTHS));
}

static int put_links(Page *page, const Placed *from, const Placed *end)
{
    int64_t behind = 0;
    size_t above = 0;
    page->links.size = 0;
    for (; from < end; from++) {
        int final = from + 1 == end || from[1].target != from->target;
        if (!put_link(page, from->link, final, &behind, &above))
            return 0;
    }
    return 1;
}

/* The rests of the URLs of some links, how many they are before them. */
static int put_urls(Page *page, size_t start, const Placed *from, const Placed *end)
{
    Text *text = &page->parcel;
    uint64_t count = 0;
    for (const Placed *at = from; at < end; at++)
        count += at == from || at->target != at[-1].target;
    int fine = put_count(text, count);
    for (const Placed *at = from; fine && at < end; at++)
        if (at == from || at->target != at[-1].target)
            fine = put(text, at->target->url + start, at->target->size - start) && put_byte(text, ' ');
    return fine;
}

static int put_own(Page *page, size_t start, int whole)
{
    Text *text = &page->parcel;
    size_t head = page->n_value - 2 - (whole ? WIDTH * page->n_terms : 0);
    return put_byte(text, page->value[1]) && put_byte(text, whole ? '=' : '-') &&
           put(text, page->own + start, page->n_own - start) && put_byte(text, ' ') &&
           put_section(text, &page->packing, page->value + 2, head);
}

static int put_headings(Page *page)
{
    Text *text = &page->parcel;
    if (!put_count(text, page->n_used))
        return 0;
    for (size_t u = 0; u < page->n_used; u++) {
        PyObject *above = page->headings[page->used[u]];
        const char *at = above == Py_None ? "" : PyBytes_AsString(above);
        size_t size = above == Py_None ? 0 : (size_t)PyBytes_Size(above);
        page->local[page->used[u]] = SIZE_MAX;
        if (!put_section(text, &page->packing, (const uint8_t *)at, size))
            return 0;
    }
    page->n_used = 0;
    return 1;
}

static int put_pieces(Page *page)
{
    Text *text = &page->parcel;
    if (!put_count(text, (uint64_t)page->offsets[page->n_pieces]))
        return 0;
    for (size_t p = 0; p < page->n_pieces; p++) {
        uint32_t low = page->spots[page->pieces[p].low], high = page->spots[page->pieces[p].high];
        if (!put(text, page->spelt.at + low, high - low))
            return 0;
    }
    return 1;
}

/* The parcel of some links to one range. */
static PyObject *parcel_of(Page *page, size_t start, const Placed *from, const Placed *end, int own,
                           int goes_on)
{
    Text *text = &page->parcel;
    size_t size = WIDTH * page->n_terms;
    int whole = own && size && page->n_value >= size + 2 &&
                !memcmp(page->value + page->n_value - size, page->terms, size);
    text->size = 0;
    join_pieces(page, from, end, whole);
    int fine = put_links(page, from, end) && put_byte(text, 'p') && put(text, page->host, HOST_SIZE) &&
               (own ? put_own(page, start, whole) : put_byte(text, goes_on ? '~' : '-')) &&
               put_section(text, &page->packing, page->tail, page->n_tail) && put_headings(page) &&
               put_pieces(page) && put_count(text, page->usual) && put_urls(page, start, from, end) &&
               put(text, page->links.at, page->links.size);
    return fine ? PyBytes_FromStringAndSize((char *)text->at, (Py_ssize_t)text->size) : NULL;
}

static int same_range(const Target *a, const Target *b)
{
    return a->start == b->start && a->cut == b->cut && !memcmp(a->url, b->url, a->start);
}

static PyObject *key_of(const Page *page, const Target *target)
{
    const Packing *packing = &page->packing;
    if (target->cut < 0)
        return PyBytes_FromStringAndSize(target->url, (Py_ssize_t)target->start);
    int64_t from = packing->bounds[target->cut], to = packing->bounds[target->cut + 1];
    return PyBytes_FromStringAndSize(packing->cuts + from, (Py_ssize_t)(to - from));
}

static int add_parcel(Page *page, PyObject *parcels, const Target *range, const Placed *from,
                      const Placed *end, int own, int goes_on)
{
    PyObject *value = parcel_of(page, range->start, from, end, own, goes_on);
    PyObject *key = value ? key_of(page, range) : NULL;
    PyObject *pair = key ? PyTuple_Pack(2, key, value) : NULL;
    int fine = pair && !PyList_Append(parcels, pair);
    Py_XDECREF(value);
    Py_XDECREF(key);
    Py_XDECREF(pair);
    return fine;
}

/* What a link is, once its parcel is open. */
static size_t opened_size(const Page *page, size_t k)
{
    PyObject *above = page->headings[page->heading[k]];
    return WIDTH * (size_t)(1 + page->high[k] - page->low[k]) + page->n_tail +
           (above == Py_None ? 0 : (size_t)PyBytes_Size(above));
}

/* The parcels of all links to a range: a new one where the last has enough. */
static int add_range(Page *page, PyObject *parcels, const Target *range, const Placed *from,
                     const Placed *end, int own)
{
    int goes_on = 0;
    do {
        const Placed *to = from;
        for (size_t size = 0; to < end && size <= page->most; to++)
            size += opened_size(page, to->link) +
                    (to == from || to->target != to[-1].target ? to->target->size : 0);
        if (!add_parcel(page, parcels, range, from, to, own, goes_on))
            return 0;
        goes_on = to < end && to->target == to[-1].target;
        own = 0;
        from = to;
    } while (from < end);
    return 1;
}

static PyObject *parcels_of(Page *page)
{
    PyObject *parcels = PyList_New(0);
    Target own = as_target(page, page->own, page->n_own);
    const Placed *from = page->placed, *end = page->placed + page->n_placed;
    int waits = 1, fine = parcels != NULL;
    while (fine && (from < end || waits)) {
        int mine = from < end && same_range(from->target, &own);
        if (waits && !mine && (from == end || by_url(&own, from->target) < 0)) {
            fine = add_range(page, parcels, &own, from, from, 1);
            waits = 0;
            continue;
        }
        const Placed *to = from + 1;
        while (to < end && same_range(from->target, to->target))
            to++;
        fine = add_range(page, parcels, from->target, from, to, mine);
        waits = waits && !mine;
        from = to;
    }
    if (!fine)
        Py_CLEAR(parcels);
    return parcels;
}

static PyObject *packed(Page *page)
{
    size_t room = page->count + 1;
    PyObject *parcels = NULL;
    page->spots = malloc((page->n_terms + 1) * sizeof(*page->spots));
    page->found = malloc(room * sizeof(Target));
    page->placed = malloc(room * sizeof(Placed));
    page->next = malloc(room * sizeof(Py_ssize_t));
    page->heading = malloc(room * sizeof(size_t));
    page->local = malloc(room * sizeof(size_t));
    page->used = malloc(room * sizeof(size_t));
    page->headings = malloc(room * sizeof(PyObject *));
    page->pieces = malloc(room * sizeof(Piece));
    page->offsets = malloc((room + 1) * sizeof(int64_t));
    if (!(page->spots && page->found && page->placed && page->next && page->heading && page->local && page->used &&
          page->headings && page->pieces && page->offsets))
        PyErr_NoMemory();
    else if (check_links(page) && find_targets(page) && find_headings(page) && spell_terms(page))
        parcels = parcels_of(page);
    free(page->spots);
    free(page->found);
    free(page->placed);
    free(page->next);
    free(page->heading);
    free(page->local);
    free(page->used);
    free(page->headings);
    free(page->pieces);
    free(page->offsets);
    free(page->spelt.at);
    free(page->parcel.at);
    free(page->links.at);
    return parcels;
}

static int is_right(const Page *page, const Py_buffer *low, const Py_buffer *high, size_t n_marks,
                    size_t n_terms, size_t n_host, size_t n_table)
{
    size_t links = page->count * sizeof(int64_t), slots = n_table / sizeof(Slot);
    if (n_marks != WIDTH * page->count || (size_t)low->len != links || (size_t)high->len != links ||
        (page->above != Py_None &&
         (!PyList_Check(page->above) || (size_t)PyList_Size(page->above) != page->count)))
        return wrong("every link has a mark, a window and a heading");
    if (n_terms % WIDTH || page->n_tail % WIDTH || page->n_value < 2 ||
        (page->n_value - 2) % WIDTH || n_host != HOST_SIZE)
        return wrong("what a page says is no fragments");
    if (!slots || (slots & (slots - 1)) || n_terms > UINT32_MAX)
        return wrong("there is no table of codes");
    return 1;
}

static PyObject *pack(PyObject *module, PyObject *args)
{
    Page page = {.usual = 0};
    PyObject *low_object, *high_object, *bounds_object, *parcels = NULL;
    const char *marks, *terms, *tail, *value, *table;
    Py_ssize_t n_marks, n_terms, n_tail, n_value, n_table, n_own, n_host, n_cuts, most;
    Py_buffer low, high, bounds;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#y#O!y#y#OOOy#y#y#y#On", &page.own, &n_own, &value, &n_value,
                          &PyList_Type, &page.targets, &marks, &n_marks, &terms, &n_terms,
                          &low_object, &high_object, &page.above, &tail, &n_tail, &page.host, &n_host,
                          &table, &n_table, &page.packing.cuts, &n_cuts, &bounds_object, &most))
        return NULL;
    page.most = most < 0 ? 0 : (size_t)most;
    page.count = (size_t)PyList_Size(page.targets);
    page.marks = (const uint8_t *)marks;
    page.terms = (const uint8_t *)terms;
    page.tail = (const uint8_t *)tail;
    page.value = (const uint8_t *)value;
    page.n_terms = (size_t)n_terms / WIDTH;
    page.n_tail = (size_t)n_tail;
    page.n_value = (size_t)n_value;
    page.n_own = (size_t)n_own;
    page.packing.slots = (const Slot *)(const void *)table;
    page.packing.mask = (size_t)n_table / sizeof(Slot) - 1;
    if (PyObject_GetBuffer(low_object, &low, PyBUF_SIMPLE))
        return NULL;
    if (!PyObject_GetBuffer(high_object, &high, PyBUF_SIMPLE)) {
        if (!PyObject_GetBuffer(bounds_object, &bounds, PyBUF_SIMPLE)) {
            page.low = low.buf;
            page.high = high.buf;
            page.packing.bounds = bounds.buf;
            page.packing.n_cuts = (size_t)bounds.len / sizeof(int64_t) - 1;
            if (is_right(&page, &low, &high, (size_t)n_marks, (size_t)n_terms, (size_t)n_host,
                         (size_t)n_table))
                parcels = packed(&page);
            PyBuffer_Release(&bounds);
        }
        PyBuffer_Release(&high);
    }
    PyBuffer_Release(&low);
    return parcels;
}

/* --- unpacking --- */

typedef struct {
    const uint8_t *at, *end;
} Reader;

typedef struct {
    int64_t low, size; /* of the window in the text */
    uint64_t left, right;
    size_t above;
} Link;

typedef struct {
    PyObject *url, *value;
    const char *url_text, *text;
    size_t n_url, n_text;
} Record;

typedef struct {
    size_t start, size;
} Span;

typedef struct {
    const uint8_t *terms; /* with codes, as fragments have them */
    size_t n_terms, per_record, most; /* links in a record; bytes of links before the last of a parcel */
    size_t opened; /* bytes of records */
    Text numbers, url; /* of a parcel: its text, tail and headings; a URL */
    Span *above;
    Link *links;
    Span *urls; /* in the parcel */
    Record *records;
    size_t n_above, above_room, n_links, links_room, n_urls, urls_room, n_records, records_room;
} Unpacking;

static int damaged(void)
{
    PyErr_SetString(PyExc_ValueError, "a parcel is damaged");
    return 0;
}

static int take_count(Reader *reader, uint64_t *count)
{
    *count = 0;
    while (reader->at < reader->end && *count < HIGHEST) {
        uint8_t byte = *reader->at++;
        if (byte >= LAST) {
            *count = COUNTS * *count + byte - LAST;
            return 1;
        }
        if (byte < LAST - COUNTS)
            break;
        *count = COUNTS * *count + byte - (LAST - COUNTS);
    }
    return damaged();
}

static uint64_t take_digits(Reader *reader, int count)
{
    uint64_t number = 0;
    while (count--) {
        uint8_t byte = *reader->at++;
        number = BASE * number + byte - 1 - (byte > '\r') - 2 * (byte > '\t');
    }
    return number;
}

/* Numbers as fragments have them, behind those that are there; where they lie. */
static int take_section(Unpacking *un, Reader *reader, Span *span)
{
    uint64_t count;
    if (!take_count(reader, &count))
        return 0;
    if (count > (uint64_t)(reader->end - reader->at))
        return damaged();
    uint8_t *to = more(&un->numbers, WIDTH * count);
    if (!to)
        return 0;
    *span = (Span){un->numbers.size, WIDTH * count};
    for (uint64_t k = 0; k < count; k++, to += WIDTH) {
        int first = reader->at < reader->end ? *reader->at++ : 0;
        int digits = first > MARK ? 0 : first >= LITERAL ? 4 : first >= THREE ? 2 : 1;
        if (first < TWO || first > HIGHEST_MARK || first == MARK || digits > reader->end - reader->at)
            return damaged();
        uint64_t number = take_digits(reader, digits);
        if (!digits) {
            put_number(to, (uint64_t)(first - MARK) << KIND_SHIFT);
        } else if (digits == 4) {
            number += (uint64_t)(first - LITERAL) * BASE * BASE * BASE * BASE;
            if (first >= MARK || number > UINT32_MAX)
                return damaged();
            put_number(to, number);
        } else {
            number += digits == 1 ? (uint64_t)(first - TWO) * BASE
                                  : (uint64_t)(first - THREE) * BASE * BASE + OF_TWO;
            if (number >= un->n_terms)
                return damaged();
            memcpy(to, un->terms + WIDTH * number, WIDTH);
        }
    }
    un->numbers.size += WIDTH * count;
    return 1;
}

/* The rest of a URL, up to the blank behind it. */
static int take_rest(Reader *reader, Span *rest, const uint8_t *value)
{
    const uint8_t *end = memchr(reader->at, ' ', (size_t)(reader->end - reader->at));
    if (!end)
        return damaged();
    *rest = (Span){(size_t)(reader->at - value), (size_t)(end - reader->at)};
    reader->at = end + 1;
    return 1;
}

#define ROOM(list, count, room, type)                                                              \
    do {                                                                                           \
        type *larger = with_room(list, &(room), count, 1, sizeof(type));                           \
        if (!larger)                                                                               \
            return 0;                                                                              \
        (list) = larger;                                                                           \
    } while (0)

/* A record to be written; its value is to be filled. */
static char *add_record(Unpacking *un, PyObject *url, size_t size)
{
    void *larger = with_room(un->records, &un->records_room, un->n_records, 1, sizeof(Record));
    if (!larger)
        return NULL;
    un->records = larger;
    PyObject *value = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!value)
        return NULL;
    Py_INCREF(url);
    char *text = PyBytes_AsString(value);
    size_t n_url = (size_t)PyBytes_Size(url);
    un->records[un->n_records++] = (Record){url, value, PyBytes_AsString(url), text, n_url, size};
    un->opened += n_url + size;
    return text;
}

static PyObject *url_of(Unpacking *un, const char *key, size_t start, const uint8_t *rest, size_t size)
{
    un->url.size = 0;
    if (!put(&un->url, key, start) || !put(&un->url, rest, size))
        return NULL;
    return PyBytes_FromStringAndSize((char *)un->url.at, (Py_ssize_t)un->url.size);
}

/* Some fragments of links become the value of a record. */
static int put_fragments(Unpacking *un, PyObject *url, const uint8_t *host, Span text, Span tail,
                         size_t from, size_t end, int first)
{
    size_t size = 2 + HOST_SIZE;
    const uint8_t *numbers = un->numbers.at;
    for (size_t k = from; k < end; k++)
        size += WIDTH + (size_t)un->links[k].size + un->above[un->links[k].above].size + tail.size;
    char *to = add_record(un, url, size);
    if (!to)
        return 0;
    *to++ = 'l';
    memcpy(to, host, HOST_SIZE);
    to += HOST_SIZE;
    *to++ = first ? '1' : '0';
    for (size_t k = from; k < end; k++) {
        const Link *link = &un->links[k];
        Span above = un->above[link->above];
        put_number((uint8_t *)to, (uint64_t)LINK << KIND_SHIFT | link->left << SIDE_SHIFT | link->right);
        to += WIDTH;
        memcpy(to, numbers + text.start + link->low, (size_t)link->size);
        to += link->size;
        memcpy(to, numbers + above.start, above.size);
        to += above.size;
        memcpy(to, numbers + tail.start, tail.size);
        to += tail.size;
    }
    return 1;
}

/* What is known of a parcel while its links are read. */
typedef struct {
    uint64_t usual;
    Span text, tail;
    int64_t behind; /* the end of the last anchor */
    size_t above, size; /* number of the last headings; of links, opened */
} Parcel;

/* The links of the next URL, which takes so many bytes more. */
static int take_links(Unpacking *un, Reader *reader, Parcel *parcel, size_t more)
{
    for (int final = 0; !final;) {
        uint64_t step, number, words, left = parcel->usual, right = parcel->usual;
        if (parcel->size > un->most)
            return damaged();
        if (!take_count(reader, &step))
            return 0;
        int flags = reader->at < reader->end ? *reader->at++ - FLAGS : -1;
        if (flags < 0 || flags >= 8 * (LENGTHS + 1))
            return damaged();
        words = (uint64_t)flags >> 3;
        final = flags & FINAL;
        if (!(flags & SAME)) {
            if (!take_count(reader, &number))
                return 0;
            parcel->above = (size_t)number;
        }
        if (!(flags & USUAL) && !(take_count(reader, &left) && take_count(reader, &right)))
            return 0;
        if (words == LENGTHS) {
            if (!take_count(reader, &number))
                return 0;
            words += number;
        }
        int64_t half = (int64_t)((step + 1) / 2), anchor = parcel->behind + (step & 1 ? -half : half);
        int64_t low = anchor - (int64_t)left, n_text = (int64_t)(parcel->text.size / WIDTH);
        parcel->behind = anchor + (int64_t)words;
        int64_t high = parcel->behind + (int64_t)right;
        if (low < 0 || high > n_text || parcel->above >= un->n_above || left > 0xFFFF || right > 0xFFFF)
            return damaged();
        ROOM(un->links, un->n_links, un->links_room, Link);
        un->links[un->n_links++] =
            (Link){WIDTH * low, WIDTH * (high - low), left, right, parcel->above};
        parcel->size += WIDTH * (size_t)(1 + high - low) + parcel->tail.size +
                        un->above[parcel->above].size + more;
        more = 0;
    }
    return 1;
}

/* The value of the page's own fragment. */
static int put_page(Unpacking *un, PyObject *url, char flag, Span head, Span text)
{
    char *to = add_record(un, url, 2 + head.size + text.size);
    if (!to)
        return 0;
    *to++ = 'c';
    *to++ = flag;
    memcpy(to, un->numbers.at + head.start, head.size);
    memcpy(to + head.size, un->numbers.at + text.start, text.size);
    return 1;
}

/* Headings, a count before them. */
static int take_headings(Unpacking *un, Reader *reader)
{
    uint64_t count;
    if (!take_count(reader, &count))
        return 0;
    for (un->n_above = 0; count; count--) {
        Span above;
        if (!take_section(un, reader, &above))
            return 0;
        ROOM(un->above, un->n_above, un->above_room, Span);
        un->above[un->n_above++] = above;
    }
    return 1;
}

/* The rests of URLs, a count before them. */
static int take_urls(Unpacking *un, Reader *reader, const uint8_t *value)
{
    uint64_t count;
    if (!take_count(reader, &count))
        return 0;
    for (un->n_urls = 0; count; count--) {
        Span rest;
        if (!take_rest(reader, &rest, value))
            return 0;
        ROOM(un->urls, un->n_urls, un->urls_room, Span);
        un->urls[un->n_urls++] = rest;
    }
    return 1;
}

/* The records of the links to the next URL; `first` unless an earlier parcel has some. */
static int open_links(Unpacking *un, Reader *reader, Parcel *parcel, PyObject *url,
                      const uint8_t *host, int first)
{
    un->n_links = 0;
    if (!take_links(un, reader, parcel, (size_t)PyBytes_Size(url)))
        return 0;
    for (size_t k = 0; k < un->n_links; k += un->per_record, first = 0) {
        size_t end = un->n_links - k < un->per_record ? un->n_links : k + un->per_record;
        if (!put_fragments(un, url, host, parcel->text, parcel->tail, k, end, first))
            return 0;
    }
    return 1;
}

static int open_parcel(Unpacking *un, const char *key, size_t start, const uint8_t *value, size_t size)
{
    Reader reader = {value + 1 + HOST_SIZE, value + size};
    Parcel parcel = {.behind = 0};
    Span head = {0, 0}, own = {0, 0}, none = {0, 0};
    if (size < 3 + HOST_SIZE || value[0] != 'p')
        return damaged();
    char flag = (char)*reader.at++, shared = '-';
    int has_own = flag == '0' || flag == '1';
    if (!has_own && flag != '-' && flag != '~')
        return damaged();
    un->numbers.size = 0;
    if (has_own) {
        shared = (char)*reader.at++;
        if (!take_rest(&reader, &own, value) || !take_section(un, &reader, &head))
            return 0;
    }
    if (!take_section(un, &reader, &parcel.tail) || !take_headings(un, &reader) ||
        !take_section(un, &reader, &parcel.text))
        return 0;
    if (has_own) {
        PyObject *url = url_of(un, key, start, value + own.start, own.size);
        int fine = url && put_page(un, url, flag, head, shared == '=' ? parcel.text : none);
        Py_XDECREF(url);
        if (!fine)
            return 0;
    }
    if (!take_count(&reader, &parcel.usual) || !take_urls(un, &reader, value))
        return 0;
    for (size_t u = 0; u < un->n_urls; u++) {
        PyObject *url = url_of(un, key, start, value + un->urls[u].start, un->urls[u].size);
        int fine = url && open_links(un, &reader, &parcel, url, value + 1, u || flag != '~');
        Py_XDECREF(url);
        if (!fine)
            return 0;
    }
    return reader.at == reader.end || damaged();
}

static int open_folded(Unpacking *un, const char *key, size_t start, const uint8_t *value, size_t size)
{
    Reader reader = {value + 1, value + size};
    Span rest;
    if (!take_rest(&reader, &rest, value))
        return 0;
    PyObject *url = url_of(un, key, start, value + rest.start, rest.size);
    char *to = url ? add_record(un, url, 1 + (size_t)(reader.end - reader.at)) : NULL;
    Py_XDECREF(url);
    if (!to)
        return 0;
    *to = 'f';
    memcpy(to + 1, reader.at, (size_t)(reader.end - reader.at));
    return 1;
}

static int by_record(const void *a, const void *b)
{
    const Record *x = a, *y = b;
    int order = compare(x->url_text, x->n_url, y->url_text, y->n_url);
    return order ? order : compare(x->text, x->n_text, y->text, y->n_text);
}

static void sort_records(Record *records, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (by_record(records + k - 1, records + k) > 0) {
            qsort(records, count, sizeof(Record), by_record);
            return;
        }
}

/* The records from `from` on, sorted, as a list. */
static PyObject *list_of(Unpacking *un, size_t from)
{
    sort_records(un->records + from, un->n_records - from);
    PyObject *list = PyList_New((Py_ssize_t)(un->n_records - from));
    for (size_t k = from; list && k < un->n_records; k++) {
        PyObject *pair = PyTuple_Pack(2, un->records[k].url, un->records[k].value);
        if (!pair || PyList_SetItem(list, (Py_ssize_t)(k - from), pair))
            Py_CLEAR(list);
    }
    return list;
}

/* A range is at its end: its records, and how many bytes they are. */
static int add_opened(Unpacking *un, PyObject *ranges, PyObject *key, size_t from, size_t before)
{
    PyObject *list = list_of(un, from);
    PyObject *range = list ? Py_BuildValue("OOn", key, list, (Py_ssize_t)(un->opened - before)) : NULL;
    int fine = range && !PyList_Append(ranges, range);
    Py_XDECREF(list);
    Py_XDECREF(range);
    return fine;
}

/* Open pairs until there is enough; gives the place of the next one, or -1. */
static Py_ssize_t open_some(Unpacking *un, PyObject *pairs, Py_ssize_t start, size_t enough,
                            PyObject *ranges)
{
    PyObject *last = NULL; /* borrowed */
    size_t from = 0, before = 0;
    Py_ssize_t k = start;
    for (; k < PyList_Size(pairs) && (k == start || un->opened < enough); k++) {
        PyObject *pair = PyList_GetItem(pairs, k), *key_object = NULL, *value_object = NULL;
        if (PyTuple_Check(pair) && PyTuple_Size(pair) == 2) {
            key_object = PyTuple_GetItem(pair, 0);
            value_object = PyTuple_GetItem(pair, 1);
        }
        if (!key_object || !PyBytes_Check(key_object) || !PyBytes_Check(value_object)) {
            PyErr_SetString(PyExc_TypeError, "pairs of bytes are wanted");
            return -1;
        }
        const char *key = PyBytes_AsString(key_object);
        const uint8_t *value = (const uint8_t *)PyBytes_AsString(value_object);
        size_t n_key = (size_t)PyBytes_Size(key_object), size = (size_t)PyBytes_Size(value_object);
        if (last && compare(key, n_key, PyBytes_AsString(last), (size_t)PyBytes_Size(last))) {
            if (!add_opened(un, ranges, last, from, before))
                return -1;
            from = un->n_records;
            before = un->opened;
        }
        last = key_object;
        size_t start_size = host_part(key, n_key);
        if (!(size && value[0] == 'f' ? open_folded(un, key, start_size, value, size)
                                      : open_parcel(un, key, start_size, value, size)))
            return -1;
    }
    return !last || add_opened(un, ranges, last, from, before) ? k : -1;
}

static PyObject *unpack(PyObject *module, PyObject *args)
{
    Unpacking un = {.most = 0};
    PyObject *pairs, *made = NULL;
    const char *terms;
    Py_ssize_t start, n_terms, per_record, most, enough;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!ny#nnn", &PyList_Type, &pairs, &start, &terms, &n_terms,
                          &per_record, &most, &enough))
        return NULL;
    if (start < 0 || per_record < 1 || most < 0 || enough < 0 || n_terms % WIDTH) {
        wrong("records have one link at least, and terms five bytes");
        return NULL;
    }
    un.terms = (const uint8_t *)terms;
    un.n_terms = (size_t)n_terms / WIDTH;
    un.per_record = (size_t)per_record;
    un.most = (size_t)most;
    PyObject *ranges = PyList_New(0);
    Py_ssize_t next = ranges ? open_some(&un, pairs, start, (size_t)enough, ranges) : -1;
    if (next >= 0)
        made = Py_BuildValue("On", ranges, next);
    Py_XDECREF(ranges);
    for (size_t k = 0; k < un.n_records; k++) {
        Py_DECREF(un.records[k].url);
        Py_DECREF(un.records[k].value);
    }
    free(un.numbers.at);
    free(un.url.at);
    free(un.above);
    free(un.links);
    free(un.urls);
    free(un.records);
    return made;
}

/* --- the module --- */

static PyMethodDef methods[] = {
    {"code_table", code_table, METH_O, "A table of the places of terms, for pack."},
    {"pack", pack, METH_VARARGS,
     "pack(url, value, targets, marks, terms, low, high, above, tail, host, table, cuts, bounds, most)\n\n"
     "The parcels of a page, as pagekin.stages.fragments.parcels makes them."},
    {"unpack", unpack, METH_VARARGS,
     "unpack(pairs, start, terms, per_record, most, enough)\n\n"
     "The records in sorted parcels, by range, as pagekin.stages.fragments.parcels reads them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.stages.fragments._parcels",
                                    "Parcels, packed and unpacked.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__parcels(void) { return with_version(PyModule_Create(&module)); }
