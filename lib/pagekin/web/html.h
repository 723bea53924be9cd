/* What the readers of HTML in C share: tokens, names and attributes, and text that grows.

It rests on the same part of the HTML standard as pagekin.web.scan (13.2.5, tokenization), whose
regular expressions say what is matched here. */

#ifndef PAGEKIN_HTML_H
#define PAGEKIN_HTML_H

#include "../part.h"

#define LONGEST_NAME 20
#define SLOTS 1024 /* for the names of tags: three times as many as there are */
#define NOWHERE (-1)

enum { COMMENT = 0, OTHER = 1 }; /* no tag, and one of which nothing is known */

typedef Py_ssize_t Place;

typedef struct {
    Place start, end;      /* of the whole: from its "<", a script with what it holds */
    Place name, name_end;  /* with the slash of an end tag; empty where it is no tag */
    Place raw, raw_end;    /* attributes, as written */
    uint8_t kind;
} Token;

typedef struct {
    const char *at;
    Place size;
} Span;

/* --- characters --- */

enum { BLANK = 1, LETTER = 2 };

static uint8_t sort_of[256];

static void sort_characters(void)
{
    for (const char *c = "\t\n\f\r "; *c; c++)
        sort_of[(uint8_t)*c] |= BLANK;
    for (int c = 'a'; c <= 'z'; c++)
        sort_of[c] = sort_of[c - 'a' + 'A'] = LETTER;
}

#define IS(c, sort) (sort_of[(uint8_t)(c)] & (sort))

static inline char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

static int same_word(const char *s, const char *word, Place size)
{
    for (Place k = 0; k < size; k++)
        if (lower(s[k]) != word[k])
            return 0;
    return 1;
}

static Place find(const char *s, Place from, Place n, char c)
{
    const char *found = from < n ? memchr(s + from, c, (size_t)(n - from)) : NULL;
    return found ? found - s : NOWHERE;
}

/* --- tokens --- */

/* Where the ">" of a tag is whose attributes begin here; NOWHERE if a quote or the tag never ends. */
static Place end_of_attributes(const char *s, Place i, Place n)
{
    for (;;) {
        while (i < n && s[i] != '>' && s[i] != '=')
            i++;
        if (i == n)
            return NOWHERE;
        if (s[i] == '>')
            return i;
        do
            i++;
        while (i < n && IS(s[i], BLANK));
        if (i == n)
            return NOWHERE;
        if (s[i] == '"' || s[i] == '\'') {
            i = find(s, i + 1, n, s[i]);
            if (i == NOWHERE)
                return NOWHERE;
            i++;
        } else {
            while (i < n && s[i] != '>' && !IS(s[i], BLANK))
                i++;
        }
    }
}

static Place end_of_comment(const char *s, Place i, Place n)
{
    if (i < n && s[i] == '>')
        return i + 1;
    if (i + 1 < n && s[i] == '-' && s[i + 1] == '>')
        return i + 2;
    while ((i = find(s, i, n, '-')) != NOWHERE) {
        if (i + 2 < n && s[i + 1] == '-') {
            if (s[i + 2] == '>')
                return i + 3;
            if (s[i + 2] == '!' && i + 3 < n && s[i + 3] == '>')
                return i + 4;
        }
        i++;
    }
    return n;
}

/* Behind the next ">", or the end of the page. */
static Place end_of_bogus(const char *s, Place i, Place n)
{
    Place end = find(s, i, n, '>');
    return end == NOWHERE ? n : end + 1;
}

/* Where the end tag of an element without tags inside begins. */
static Place end_of_raw(const char *s, Place i, Place n, const char *word, Place size)
{
    while ((i = find(s, i, n, '<')) != NOWHERE) {
        Place behind = i + 2 + size;
        if (behind < n && s[i + 1] == '/' && same_word(s + i + 2, word, size) &&
            (IS(s[behind], BLANK) || s[behind] == '/' || s[behind] == '>'))
            return i;
        i++;
    }
    return n;
}

static const char *const RAW[] = {"script", "style", "iframe"};

/* The tag that begins at i, behind its "<" and slash; 0 if it never ends. */
static int read_tag(const char *s, Place i, Place n, Token *token)
{
    while (i < n && !IS(s[i], BLANK) && s[i] != '/' && s[i] != '>')
        i++;
    Place end = end_of_attributes(s, i, n);
    if (end == NOWHERE)
        return 0;
    token->name_end = token->raw = i;
    token->raw_end = end;
    token->end = end + 1;
    return 1;
}

/* The next token from i on; 0 if there is none. */
static int next_token(const char *s, Place i, Place n, Token *token)
{
    while ((i = find(s, i, n, '<')) != NOWHERE) {
        token->start = i++;
        if (i == n)
            return 0;
        token->kind = COMMENT;
        token->name = token->name_end = token->raw = token->raw_end = i;
        if (IS(s[i], LETTER)) {
            if (!read_tag(s, i, n, token)) {
                token->end = n;
                return 1;
            }
            token->kind = OTHER;
            for (int k = 0; k < 3; k++) {
                Place size = (Place)strlen(RAW[k]);
                if (token->name_end - i == size && same_word(s + i, RAW[k], size)) {
                    token->kind = COMMENT;
                    token->name_end = token->name;
                    token->end = end_of_raw(s, token->end, n, RAW[k], size);
                }
            }
            return 1;
        }
        if (s[i] == '/' && i + 1 < n && IS(s[i + 1], LETTER)) {
            if (read_tag(s, i + 1, n, token))
                token->kind = OTHER;
            else
                token->end = n;
            return 1;
        }
        if (s[i] == '!' && i + 2 < n && s[i + 1] == '-' && s[i + 2] == '-') {
            token->end = end_of_comment(s, i + 3, n);
            return 1;
        }
        if (s[i] == '!' || s[i] == '?' || s[i] == '/') {
            token->end = end_of_bogus(s, i + 1, n);
            return 1;
        }
    }
    return 0;
}

/* --- names of tags --- */

typedef struct {
    char name[LONGEST_NAME];
    uint8_t length, kind;
} Slot;

typedef struct {
    Slot slots[SLOTS];
} Names;

static Slot *find_slot(Names *names, const char *name, Place size)
{
    unsigned hash = 2166136261u;
    for (Place k = 0; k < size; k++)
        hash = (hash ^ (uint8_t)lower(name[k])) * 16777619u;
    Slot *slot = &names->slots[(hash ^ hash >> 15) % SLOTS];
    while (slot->length && !(slot->length == size && same_word(name, slot->name, size)))
        if (++slot == names->slots + SLOTS)
            slot = names->slots;
    return slot;
}

/* The number of a name as written; `other` if it is not known. */
static uint8_t kind_of(Names *names, const char *name, Place size, uint8_t other)
{
    if (size > LONGEST_NAME)
        return other;
    Slot *slot = find_slot(names, name, size);
    return slot->length ? slot->kind : other;
}

static int span_of(PyObject *bytes, Span *span)
{
    char *at;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &at, &span->size))
        return 0;
    span->at = at;
    return 1;
}

/* Take the numbers of names from a dictionary; all are below `end`. */
static int take_names(Names *names, PyObject *numbers, long end)
{
    PyObject *name, *number;
    Place k = 0, taken = 0;
    memset(names, 0, sizeof(*names));
    while (PyDict_Next(numbers, &k, &name, &number)) {
        Span span;
        long kind = PyLong_AsLong(number);
        if (!span_of(name, &span) || (kind == -1 && PyErr_Occurred()))
            return 0;
        if (!span.size || span.size > LONGEST_NAME || kind < 0 || kind >= end ||
            ++taken > SLOTS / 2) {
            PyErr_SetString(PyExc_ValueError, "these are not the numbers of tags");
            return 0;
        }
        Slot *slot = find_slot(names, span.at, span.size);
        memcpy(slot->name, span.at, (size_t)span.size);
        slot->length = (uint8_t)span.size;
        slot->kind = (uint8_t)kind;
    }
    return 1;
}

/* --- attributes --- */

/* The value of an attribute by its lower-case name. 0: not there; a value not given is empty. */
static int attribute(const char *s, Place i, Place n, const char *wanted, Span *value)
{
    Place size = (Place)strlen(wanted);
    for (;;) {
        while (i < n && (IS(s[i], BLANK) || s[i] == '/'))
            i++;
        if (i == n)
            return 0;
        Place name = i;
        do
            i++;
        while (i < n && !IS(s[i], BLANK) && s[i] != '/' && s[i] != '=');
        int is_wanted = i - name == size && same_word(s + name, wanted, size);
        Span found = {s + i, 0};
        Place equals = i;
        while (equals < n && IS(s[equals], BLANK))
            equals++;
        if (equals < n && s[equals] == '=') {
            i = equals + 1;
            while (i < n && IS(s[i], BLANK))
                i++;
            if (i < n && (s[i] == '"' || s[i] == '\'')) {
                Place end = find(s, i + 1, n, s[i]);
                if (end != NOWHERE) { /* one that never ends begins another name */
                    found = (Span){s + i + 1, end - i - 1};
                    i = end + 1;
                }
            } else {
                found.at = s + i;
                while (i < n && !IS(s[i], BLANK))
                    i++;
                found.size = s + i - found.at;
            }
        }
        if (is_wanted) {
            *value = found;
            return 1;
        }
    }
}

/* --- one page --- */

typedef struct {
    const char *s;
    Place n;
    Token *tokens;
    Place count;
    size_t room;
    int has_element;
} Tags;

/* All tags of a page with their numbers; of unknown start and end tags these are given. */
static int tokenize(Tags *tags, Names *names, uint8_t other, uint8_t other_end)
{
    Token token;
    for (Place i = 0; next_token(tags->s, i, tags->n, &token); i = token.end) {
        Token *more = with_room(tags->tokens, &tags->room, (size_t)tags->count, 1, sizeof(Token));
        if (!more)
            return 0;
        tags->tokens = more;
        if (token.kind == OTHER) {
            const char *name = tags->s + token.name;
            token.kind = kind_of(names, name, token.name_end - token.name,
                                 *name == '/' ? other_end : other);
            tags->has_element |= *name != '/';
        }
        tags->tokens[tags->count++] = token;
    }
    return 1;
}

static int ends_with_slash(Tags *tags, Token *token)
{
    return token->raw < token->raw_end && tags->s[token->raw_end - 1] == '/';
}

/* Is the tag behind this one its own end tag? */
static int is_closed(Tags *tags, Place k)
{
    Token *token = &tags->tokens[k], *next = token + 1;
    if (k + 1 == tags->count)
        return 0;
    Place size = token->name_end - token->name;
    const char *name = tags->s + token->name, *end = tags->s + next->name;
    int closed = next->name_end - next->name == size + 1 && *end == '/';
    for (Place c = 0; closed && c < size; c++)
        closed = lower(name[c]) == lower(end[c + 1]);
    return closed;
}

/* Of tags that hide what follows, the places of the end tags that belong to them; below 0 of those
   without one. They are numbered `first`, `first + step` ... and their end tags `to_end` more. */
typedef struct {
    int first, step, count, to_end, svg;
} Hiding;

static int32_t *pair_hiding(Tags *tags, const Hiding *hiding)
{
    int32_t waiting[8];
    int32_t *hidden = malloc((size_t)(tags->count + 1) * sizeof(int32_t));
    if (!hidden) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int k = 0; k < hiding->count; k++)
        waiting[k] = NOWHERE;
    for (Place k = 0; k < tags->count; k++) {
        int kind = tags->tokens[k].kind - hiding->first;
        hidden[k] = NOWHERE;
        if (kind < 0)
            continue;
        int which = kind / hiding->step, end = kind - hiding->to_end;
        if (kind % hiding->step == 0 && which < hiding->count) {
            if (kind != hiding->svg - hiding->first || !ends_with_slash(tags, &tags->tokens[k])) {
                hidden[k] = -2 - waiting[which]; /* who waits behind it, until its end is found */
                waiting[which] = (int32_t)k;
            }
        } else if (end >= 0 && end % hiding->step == 0 && end / hiding->step < hiding->count) {
            which = end / hiding->step;
            int32_t begin = waiting[which];
            if (begin != NOWHERE) {
                waiting[which] = -2 - hidden[begin];
                hidden[begin] = (int32_t)k;
            }
        }
    }
    return hidden;
}

/* --- text that grows --- */

typedef struct {
    char *at;
    Place size;
    size_t room;
} Text;

static int write_span(Text *text, const char *at, Place size)
{
    if (!size)
        return 1;
    char *more = with_room(text->at, &text->room, (size_t)text->size, (size_t)size, 1);
    if (!more)
        return 0;
    text->at = more;
    memcpy(text->at + text->size, at, (size_t)size);
    text->size += size;
    return 1;
}

static PyObject *bytes_of(Tags *tags, Token *token)
{
    return PyBytes_FromStringAndSize(tags->s + token->raw, token->raw_end - token->raw);
}

/* The alternative text of a tag, between blanks; one with an "&" Python is asked for. */
static int write_alt(Text *text, Tags *tags, Token *token, PyObject *text_of)
{
    Span alt = {"", 0};
    attribute(tags->s, token->raw, token->raw_end, "alt", &alt);
    if (find(alt.at, 0, alt.size, '&') == NOWHERE)
        return write_span(text, " ", 1) && write_span(text, alt.at, alt.size) &&
               write_span(text, " ", 1);
    PyObject *raw = bytes_of(tags, token);
    PyObject *found = raw ? PyObject_CallFunctionObjArgs(text_of, raw, NULL) : NULL;
    Span span;
    int done = found && span_of(found, &span) && write_span(text, span.at, span.size);
    Py_XDECREF(raw);
    Py_XDECREF(found);
    return done;
}

static int append_new(PyObject *list, PyObject *item)
{
    if (!item)
        return 0;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return !failed;
}

/* An attribute's value; Python knows what its character references stand for. */
static PyObject *value_of(Span value, PyObject *resolve)
{
    if (find(value.at, 0, value.size, '&') == NOWHERE)
        return PyUnicode_DecodeUTF8(value.at, value.size, "strict");
    PyObject *raw = PyBytes_FromStringAndSize(value.at, value.size);
    PyObject *found = raw ? PyObject_CallFunctionObjArgs(resolve, raw, NULL) : NULL;
    Py_XDECREF(raw);
    return found;
}

/* --- what a reader of pages is made of --- */

typedef struct {
    PyObject_HEAD
    Names names;
    PyObject *held;     /* what its spans point into, or NULL */
    PyObject *value_of; /* tells an attribute with character references */
    PyObject *text_of;  /* tells an image whose text has an "&" */
    Place max_links;
} Reader;

/* A reader is made once: it may be at work. */
static int is_new(Reader *reader)
{
    if (!reader->held && !reader->text_of)
        return 1;
    PyErr_SetString(PyExc_TypeError, "a reader is made once");
    return 0;
}

static void finish_reader(Reader *reader, PyObject *value_of, PyObject *text_of)
{
    Py_INCREF(value_of);
    Py_INCREF(text_of);
    reader->value_of = value_of;
    reader->text_of = text_of;
}

/* Read the page that is the one argument. */
static PyObject *call_reader(Reader *reader, PyObject *args,
                             PyObject *(*read)(Reader *, const char *, Place))
{
    PyObject *body;
    Span page;
    if (!reader->text_of) {
        PyErr_SetString(PyExc_TypeError, "this reader was not made");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "S", &body) || !span_of(body, &page))
        return NULL;
    return read(reader, page.at, page.size);
}

static void free_reader(Reader *reader)
{
    PyTypeObject *type = Py_TYPE((PyObject *)reader);
    Py_XDECREF(reader->held);
    Py_XDECREF(reader->value_of);
    Py_XDECREF(reader->text_of);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(reader);
    Py_DECREF(type);
}

static PyObject *module_of(struct PyModuleDef *definition, PyType_Spec *spec, const char *name)
{
    sort_characters();
    PyObject *module = PyModule_Create(definition), *type = PyType_FromSpec(spec);
    if (!module || !type || PyModule_AddObjectRef(module, name, type))
        Py_CLEAR(module);
    Py_XDECREF(type);
    return with_version(module);
}

#endif
