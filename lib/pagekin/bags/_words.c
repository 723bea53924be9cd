/* Words become records, records become one, and the best forms are found: what forms_records,
merge_forms and best_forms of pagekin.bags.vocabulary do, nine times as fast.

Names in a record are in order, so two records are merged as sorted lists are; of many, each with
its neighbour, until one is left. */

#include "../part.h"
#include "../text/xxh32.h"

#define WORDS_KEY "!words/"
enum { DIGITS = 2, BUCKETS = 1 << 4 * DIGITS }; /* hexadecimal ones of a hash, that name a bucket */
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

/* --- words of a task --- */

typedef struct {
    uint32_t hash, size;
    size_t at; /* of its name, in the block */
    uint64_t count;
} Entry;

typedef struct {
    Text names;
    Entry *entries;
    size_t size, room;
} Words;

static size_t bucket_of(const Entry *entry)
{
    return entry->hash >> (32 - 4 * DIGITS);
}

/* How many bytes two words begin with, whole letters. */
static size_t common(const char *a, size_t n, const char *b, size_t m)
{
    size_t k = 0;
    while (k < n && k < m && a[k] == b[k])
        k++;
    while (k && ((k < n && (a[k] & 0xC0) == 0x80) || (k < m && (b[k] & 0xC0) == 0x80)))
        k--;
    return k;
}

/* What both begin with; and where they differ, behind blanks, how the form ends and how the term. */
static int write_name(Text *names, PyObject *term, PyObject *form)
{
    PyObject *of_term = PyUnicode_AsEncodedString(term, "utf-8", "replace");
    PyObject *of_form = of_term ? PyUnicode_AsEncodedString(form, "utf-8", "replace") : NULL;
    int done = 0;
    if (of_form) {
        const char *a = PyBytes_AsString(of_form), *b = PyBytes_AsString(of_term);
        size_t n = (size_t)PyBytes_Size(of_form), m = (size_t)PyBytes_Size(of_term);
        size_t k = common(a, n, b, m);
        done = write_span(names, a, k) &&
               ((k == n && k == m) || (write_span(names, " ", 1) && write_span(names, a + k, n - k))) &&
               (k == m || (write_span(names, " ", 1) && write_span(names, b + k, m - k)));
    }
    Py_XDECREF(of_term);
    Py_XDECREF(of_form);
    return done;
}

static int add_entry(Words *words, uint32_t hash, PyObject *term, PyObject *form, int64_t seen)
{
    Entry *entries = with_room(words->entries, &words->room, words->size, 1, sizeof(Entry));
    if (!entries)
        return 0;
    words->entries = entries;
    size_t at = words->names.size;
    if (!PyUnicode_Check(term) || !PyUnicode_Check(form) || seen < 0) {
        PyErr_SetString(PyExc_TypeError, "a form is text, its term too, and is counted");
        return 0;
    }
    if (!write_name(&words->names, term, form))
        return 0;
    entries[words->size++] = (Entry){hash, (uint32_t)(words->names.size - at), at,
                                     (uint64_t)seen};
    return 1;
}

/* A part: hashes, terms, forms, and how often each was seen. */
static int add_part(Words *words, PyObject *part)
{
    Py_buffer hashes, seen;
    PyObject *terms, *forms;
    if (!PyArg_ParseTuple(part, "y*O!O!y*", &hashes, &PyList_Type, &terms, &PyList_Type, &forms,
                          &seen))
        return 0;
    Py_ssize_t count = PyList_Size(terms);
    int done = PyList_Size(forms) == count && hashes.len == 4 * count && seen.len == 8 * count;
    if (!done)
        PyErr_SetString(PyExc_ValueError, "columns of words that are not of one length");
    for (Py_ssize_t k = 0; done && k < count; k++) {
        uint32_t hash;
        int64_t number;
        memcpy(&hash, (char *)hashes.buf + 4 * k, 4);
        memcpy(&number, (char *)seen.buf + 8 * k, 8);
        done = add_entry(words, hash, PyList_GetItem(terms, k), PyList_GetItem(forms, k), number);
    }
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&seen);
    return done;
}

/* Entries with their names beside them, to be sorted. */
typedef struct {
    const char *name;
    size_t size;
    uint64_t count;
} Named;

static int by_name(const void *a, const void *b)
{
    const Named *one = a, *other = b;
    return compare(one->name, one->size, other->name, other->size);
}

/* The entries of a bucket in the order of their names, each once; gives how many are left. */
static size_t summed(Named *named, size_t count)
{
    size_t kept = 0;
    qsort(named, count, sizeof(Named), by_name);
    for (size_t k = 0; k < count; k++) {
        if (kept && !by_name(&named[kept - 1], &named[k]))
            named[kept - 1].count += named[k].count;
        else
            named[kept++] = named[k];
    }
    return kept;
}

/* The record of a bucket, and its key. */
static PyObject *bucket_record(size_t bucket, const Named *named, size_t count, Text *counts,
                               Text *names)
{
    char key[sizeof(WORDS_KEY) + DIGITS] = WORDS_KEY;
    size_t length = sizeof(WORDS_KEY) - 1;
    for (int k = DIGITS; k-- > 0;)
        key[length++] = "0123456789abcdef"[bucket >> 4 * k & 15];
    counts->size = names->size = 0;
    for (size_t k = 0; k < count; k++)
        if (!write_count(counts, named[k].count) || !write_span(names, k ? "|" : " ", 1) ||
            !write_span(names, named[k].name, named[k].size))
            return NULL;
    if (!write_span(counts, names->at, names->size))
        return NULL;
    return Py_BuildValue("y#y#", key, (Py_ssize_t)length, counts->at + 1,
                         (Py_ssize_t)counts->size - 1);
}

/* The records of all buckets, in their order; `dealt` are the entries' places by bucket, and
   `ends` where each bucket ends there. */
static PyObject *records_of(const Words *words, const uint32_t *dealt, const size_t *ends)
{
    Named *named = NULL;
    size_t room = 0;
    Text counts = {NULL, 0, 0}, names = {NULL, 0, 0};
    PyObject *found = PyList_New(0);
    for (size_t b = 0, start = 0; found && b < BUCKETS; start = ends[b++]) {
        size_t count = ends[b] - start;
        Named *larger = with_room(named, &room, 0, count, sizeof(Named));
        if (!larger) {
            Py_CLEAR(found);
            break;
        }
        named = larger;
        for (size_t k = 0; k < count; k++) {
            const Entry *entry = &words->entries[dealt[start + k]];
            named[k] = (Named){words->names.at + entry->at, entry->size, entry->count};
        }
        if (!count)
            continue;
        count = summed(named, count);
        PyObject *record = bucket_record(b, named, count, &counts, &names);
        if (!record || PyList_Append(found, record))
            Py_CLEAR(found);
        Py_XDECREF(record);
    }
    free(named);
    free(counts.at);
    free(names.at);
    return found;
}

/* Entries are dealt to buckets, and sorted in each. */
static PyObject *all_records(const Words *words)
{
    size_t *ends = calloc(BUCKETS + 1, sizeof(size_t));
    uint32_t *dealt = malloc((words->size + 1) * sizeof(uint32_t));
    PyObject *found = NULL;
    if (!ends || !dealt || words->size > UINT32_MAX) {
        PyErr_NoMemory();
    } else {
        for (size_t k = 0; k < words->size; k++)
            ends[bucket_of(&words->entries[k]) + 1]++;
        for (size_t b = 0; b < BUCKETS; b++)
            ends[b + 1] += ends[b];
        for (size_t k = 0; k < words->size; k++) /* a start moves to its bucket's end */
            dealt[ends[bucket_of(&words->entries[k])]++] = (uint32_t)k;
        found = records_of(words, dealt, ends);
    }
    free(ends);
    free(dealt);
    return found;
}

static PyObject *forms_records(PyObject *module, PyObject *parts)
{
    Words words = {{NULL, 0, 0}, NULL, 0, 0};
    PyObject *part, *found = NULL;
    (void)module;
    PyObject *rest = PyObject_GetIter(parts);
    if (!rest)
        return NULL;
    int done = 1;
    while (done && (part = PyIter_Next(rest))) {
        done = add_part(&words, part);
        Py_DECREF(part);
    }
    Py_DECREF(rest);
    if (!PyErr_Occurred())
        found = all_records(&words);
    free(words.names.at);
    free(words.entries);
    return found;
}

/* --- the form of each term --- */

typedef struct {
    const char *term, *form;
    size_t term_size, form_size;
    uint64_t count;
    uint32_t hash;
} Known;

static int by_term(const Known *one, const Known *other)
{
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return compare(one->term, one->term_size, other->term, other->term_size);
}

/* By hash, by term, the most frequent form first, of equal ones the first in order. */
static int by_rank(const void *a, const void *b)
{
    const Known *one = a, *other = b;
    int found = by_term(one, other);
    if (found)
        return found;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return compare(one->form, one->form_size, other->form, other->form_size);
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* A start and an ending, joined at `to`, which moves behind them; where no ending is, the start. */
static const char *joined(const char *start, size_t size, const char *ending, size_t more, char **to)
{
    if (!more)
        return start;
    char *at = *to;
    memcpy(at, start, size);
    memcpy(at + size, ending, more);
    *to += size + more;
    return at;
}

/* Term and form of an entry. */
static Known entry_of(const Reader *reader, char **to)
{
    const char *end = reader->name + reader->size;
    const char *start_end = memchr(reader->name, ' ', reader->size);
    const char *of_form = start_end ? start_end + 1 : end;
    const char *form_end = memchr(of_form, ' ', (size_t)(end - of_form));
    size_t size = start_end ? (size_t)(start_end - reader->name) : reader->size;
    size_t n_form = (size_t)((form_end ? form_end : end) - of_form);
    size_t n_term = form_end ? (size_t)(end - form_end - 1) : 0;
    Known one = {.term_size = size + n_term, .form_size = size + n_form, .count = reader->count};
    one.term = joined(reader->name, size, form_end ? form_end + 1 : end, n_term, to);
    one.form = joined(reader->name, size, of_form, n_form, to);
    one.hash = term_hash((const uint8_t *)one.term, one.term_size);
    return one;
}

/* The entries of a record whose terms are used; `to` has room for twice the record. */
static Known *known_of(const char *at, size_t size, const uint32_t *used, size_t n_used, char *to,
                       size_t *count)
{
    Reader reader;
    Known *known = NULL;
    size_t room = 0;
    *count = 0;
    for (int more = begin(&reader, at, size); more; more = next_entry(&reader)) {
        if (reader.done)
            return known ? known : with_room(NULL, &room, 0, 1, sizeof(Known));
        char *unused = to;
        Known one = entry_of(&reader, &to);
        if (!bsearch(&one.hash, used, n_used, sizeof(uint32_t), by_number)) {
            to = unused;
            continue;
        }
        Known *larger = with_room(known, &room, *count, 1, sizeof(Known));
        if (!larger)
            break;
        known = larger;
        known[(*count)++] = one;
    }
    free(known);
    return NULL;
}

/* Where the forms of the term at `k` end; `sum` becomes how often all of them were seen. */
static size_t end_of_term(const Known *known, size_t count, size_t k, uint64_t *sum)
{
    size_t end = k;
    for (*sum = 0; end < count && !by_term(&known[k], &known[end]); end++)
        *sum += known[end].count;
    return end;
}

/* Of each hash the most frequent term, with its most frequent form. */
static int write_best(const Known *known, size_t count, Text *hashes, Text *entries,
                      Py_ssize_t *shared)
{
    *shared = 0;
    for (size_t k = 0; k < count;) {
        uint64_t most, sum;
        size_t best = k, end = end_of_term(known, count, k, &most);
        int terms = 1;
        for (; end < count && known[end].hash == known[k].hash; terms++) {
            size_t next = end;
            end = end_of_term(known, count, next, &sum);
            if (sum > most) { /* of equal ones the first in order */
                most = sum;
                best = next;
            }
        }
        *shared += terms > 1;
        if (!write_span(hashes, (const char *)&known[k].hash, sizeof(uint32_t)) ||
            (k && !write_span(entries, "|", 1)) ||
            !write_span(entries, known[best].term, known[best].term_size) ||
            !write_span(entries, " ", 1) ||
            !write_span(entries, known[best].form, known[best].form_size))
            return 0;
        k = end;
    }
    return 1;
}

static PyObject *best_forms(PyObject *module, PyObject *args)
{
    const char *record;
    Py_ssize_t size, shared;
    Py_buffer used;
    PyObject *found = NULL;
    Text hashes = {NULL, 0, 0}, entries = {NULL, 0, 0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y#y*", &record, &size, &used))
        return NULL;
    size_t n_used = (size_t)used.len / sizeof(uint32_t), count;
    uint32_t *sorted = malloc(n_used * sizeof(uint32_t) + 1);
    char *words = malloc(2 * (size_t)size + 1);
    Known *known = NULL;
    if (sorted && words) {
        memcpy(sorted, used.buf, n_used * sizeof(uint32_t));
        known = known_of(record, (size_t)size, sorted, n_used, words, &count);
    } else {
        PyErr_NoMemory();
    }
    if (known) {
        qsort(known, count, sizeof(Known), by_rank);
        if (write_best(known, count, &hashes, &entries, &shared))
            found = Py_BuildValue("y#y#n", hashes.at ? hashes.at : "", (Py_ssize_t)hashes.size,
                                  entries.at ? entries.at : "", (Py_ssize_t)entries.size, shared);
    }
    PyBuffer_Release(&used);
    free(sorted);
    free(words);
    free(known);
    free(hashes.at);
    free(entries.at);
    return found;
}

static PyMethodDef methods[] = {
    {"best_forms", best_forms, METH_VARARGS,
     "Of a record the hashes that are used, the entries of their terms, and how many are shared."},
    {"forms_records", forms_records, METH_O, "Records of the words that a task has seen."},
    {"merge_words", merge_words, METH_O, "One record of words of a list of them."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.bags._words",
                                    "Records of words.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__words(void) { return with_version(PyModule_Create(&module)); }
