/* A page to its flat text and its outline: what pagekin.web.flat and pagekin.web.outline do, seven times
   as fast.

It gives the same for every page: tests compare them on real and on broken pages. The tags of a page
are found once, and paired where they hide what they hold; then one pass over them writes the text, and
another, with a stack of open elements, the outline. All is linear in the page, and nothing is recursive.

Tokens rest on the same part of the HTML standard as pagekin.web.tags (13.2.5, tokenization), whose
regular expressions say what is matched here. */

#include <stddef.h>

#include "../part.h"

enum { LONGEST_NAME = 20, SLOTS = 1024 }; /* three times as many slots as there are names of tags */
enum { NOWHERE = -1 };

/* Text numbers of pagekin.web.tags. */
enum {
    COMMENT = 0, /* no tag, also the inside of a script */
    OTHER = 1,
    LOOKED_AT = 128,
    OF_A = LOOKED_AT, OF_A_END, OF_AREA, OF_IMG, OF_INPUT, OF_HTML, OF_BASE, OF_LINK, OF_META,
    OF_TITLE, OF_TEXTAREA,
    HIDING, /* start tags of noscript, template, svg and select, each with its end tag behind */
    OF_SVG = HIDING + 4,
    N_TEXT_NUMBERS = HIDING + 8,
};

/* Element numbers of pagekin.web.tags: END is what an end tag has more than its start tag, and those of
   some elements come with their names, in this order. */
enum { END = 128 };
enum { IMG, PLAIN, HR, LINK, OPTION, FORM, PARAGRAPH, ITEM, HEADING, TERM, UL, OL, MENU, DIR, DL,
       TABLE, CELL, UNSEEN, UNSEEN_LAST, N_ELEMENTS };

typedef struct {
    const char *at;
    Py_ssize_t size;
} Span;

typedef struct {
    Py_ssize_t start, end;     /* of the whole: from its "<", a script with what it holds */
    Py_ssize_t name, name_end; /* with the slash of an end tag; empty where it is no tag */
    Py_ssize_t raw, raw_end;   /* attributes, as written */
    uint8_t text, element;     /* its numbers */
} Tag;

/* --- characters --- */

enum { BLANK = 1, LETTER = 2 };

static uint8_t class_of[256];

static void classify_characters(void)
{
    for (const char *c = "\t\n\f\r "; *c; c++)
        class_of[(uint8_t)*c] |= BLANK;
    for (int c = 'a'; c <= 'z'; c++)
        class_of[c] = class_of[c - 'a' + 'A'] = LETTER;
}

#define IS(c, class) (class_of[(uint8_t)(c)] & (class))

static inline char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* Is it this word in lower case, but for case? */
static int same_word(const char *s, const char *word, Py_ssize_t size)
{
    for (Py_ssize_t k = 0; k < size; k++)
        if (lower(s[k]) != word[k])
            return 0;
    return 1;
}

static Py_ssize_t find(const char *s, Py_ssize_t from, Py_ssize_t n, char c)
{
    const char *found = from < n ? memchr(s + from, c, (size_t)(n - from)) : NULL;
    return found ? found - s : NOWHERE;
}

/* --- tags --- */

/* Where the ">" of a tag is whose attributes begin here; NOWHERE if a quote or the tag never ends. */
static Py_ssize_t end_of_attributes(const char *s, Py_ssize_t i, Py_ssize_t n)
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

static Py_ssize_t end_of_comment(const char *s, Py_ssize_t i, Py_ssize_t n)
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
static Py_ssize_t end_of_bogus(const char *s, Py_ssize_t i, Py_ssize_t n)
{
    Py_ssize_t end = find(s, i, n, '>');
    return end == NOWHERE ? n : end + 1;
}

/* Where the end tag of an element without tags inside begins. */
static Py_ssize_t end_of_raw(const char *s, Py_ssize_t i, Py_ssize_t n, const char *word,
                             Py_ssize_t size)
{
    while ((i = find(s, i, n, '<')) != NOWHERE) {
        Py_ssize_t behind = i + 2 + size;
        if (behind < n && s[i + 1] == '/' && same_word(s + i + 2, word, size) &&
            (IS(s[behind], BLANK) || s[behind] == '/' || s[behind] == '>'))
            return i;
        i++;
    }
    return n;
}

static const char *const RAW[] = {"script", "style", "iframe"};

/* The tag that begins at i, behind its "<" and slash; 0 if it never ends. */
static int read_tag(const char *s, Py_ssize_t i, Py_ssize_t n, Tag *tag)
{
    while (i < n && !IS(s[i], BLANK) && s[i] != '/' && s[i] != '>')
        i++;
    Py_ssize_t end = end_of_attributes(s, i, n);
    if (end == NOWHERE)
        return 0;
    tag->name_end = tag->raw = i;
    tag->raw_end = end;
    tag->end = end + 1;
    return 1;
}

/* The next tag, or what is none but looks like one, from i on; 0 if there is none. */
static int next_tag(const char *s, Py_ssize_t i, Py_ssize_t n, Tag *tag)
{
    while ((i = find(s, i, n, '<')) != NOWHERE) {
        tag->start = i++;
        if (i == n)
            return 0;
        tag->text = COMMENT;
        tag->name = tag->name_end = tag->raw = tag->raw_end = i;
        if (IS(s[i], LETTER)) {
            if (!read_tag(s, i, n, tag)) {
                tag->end = n;
                return 1;
            }
            tag->text = OTHER;
            for (int k = 0; k < 3; k++) {
                Py_ssize_t size = (Py_ssize_t)strlen(RAW[k]);
                if (tag->name_end - i == size && same_word(s + i, RAW[k], size)) {
                    tag->text = COMMENT;
                    tag->name_end = tag->name;
                    tag->end = end_of_raw(s, tag->end, n, RAW[k], size);
                }
            }
            return 1;
        }
        if (s[i] == '/' && i + 1 < n && IS(s[i + 1], LETTER)) {
            if (read_tag(s, i + 1, n, tag))
                tag->text = OTHER;
            else
                tag->end = n;
            return 1;
        }
        if (s[i] == '!' && i + 2 < n && s[i + 1] == '-' && s[i + 2] == '-') {
            tag->end = end_of_comment(s, i + 3, n);
            return 1;
        }
        if (s[i] == '!' || s[i] == '?' || s[i] == '/') {
            tag->end = end_of_bogus(s, i + 1, n);
            return 1;
        }
    }
    return 0;
}

/* --- names of tags --- */

typedef struct {
    char name[LONGEST_NAME];
    uint8_t length, text, element;
} Slot;

/* The slot of a name as written, or the free one where it belongs. */
static Slot *find_slot(Slot *slots, const char *name, Py_ssize_t size)
{
    unsigned hash = 2166136261u;
    for (Py_ssize_t k = 0; k < size; k++)
        hash = (hash ^ (uint8_t)lower(name[k])) * 16777619u;
    Slot *slot = &slots[(hash ^ hash >> 15) % SLOTS];
    while (slot->length && !(slot->length == size && same_word(name, slot->name, size)))
        if (++slot == slots + SLOTS)
            slot = slots;
    return slot;
}

static void look_up_numbers(Slot *slots, const char *name, Py_ssize_t size, Tag *tag)
{
    Slot *slot = size > LONGEST_NAME ? NULL : find_slot(slots, name, size);
    int is_known = slot && slot->length;
    tag->text = is_known ? slot->text : OTHER;
    tag->element = is_known ? slot->element : *name == '/' ? END + OTHER : OTHER;
}

static int span_of(PyObject *bytes, Span *span)
{
    char *at;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &at, &span->size))
        return 0;
    span->at = at;
    return 1;
}

/* Fill the slots from a dictionary: name -> its text and element number. */
static int read_names(Slot *slots, PyObject *numbers)
{
    PyObject *name, *pair;
    Py_ssize_t k = 0;
    if (PyDict_Size(numbers) > SLOTS / 2) {
        PyErr_SetString(PyExc_ValueError, "more names of tags than there is room for");
        return 0;
    }
    while (PyDict_Next(numbers, &k, &name, &pair)) {
        Span span;
        int text, element;
        if (!span_of(name, &span) || !PyTuple_Check(pair) ||
            !PyArg_ParseTuple(pair, "ii", &text, &element)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "a name of a tag has two numbers");
            return 0;
        }
        if (!span.size || span.size > LONGEST_NAME || text < 0 || text >= N_TEXT_NUMBERS ||
            element < 0 || element >= 2 * END) {
            PyErr_SetString(PyExc_ValueError, "these are not the numbers of pagekin.web.tags");
            return 0;
        }
        Slot *slot = find_slot(slots, span.at, span.size);
        memcpy(slot->name, span.at, (size_t)span.size);
        slot->length = (uint8_t)span.size;
        slot->text = (uint8_t)text;
        slot->element = (uint8_t)element;
    }
    return 1;
}

/* --- attributes --- */

/* The value of an attribute by its lower-case name. 0: not there; a value not given is empty. */
static int attribute(const char *s, const Tag *tag, const char *wanted, Span *value)
{
    Py_ssize_t i = tag->raw, n = tag->raw_end, size = (Py_ssize_t)strlen(wanted);
    for (;;) {
        while (i < n && (IS(s[i], BLANK) || s[i] == '/'))
            i++;
        if (i == n)
            return 0;
        Py_ssize_t name = i;
        do
            i++;
        while (i < n && !IS(s[i], BLANK) && s[i] != '/' && s[i] != '=');
        int is_wanted = i - name == size && same_word(s + name, wanted, size);
        Span found = {s + i, 0};
        Py_ssize_t equals = i;
        while (equals < n && IS(s[equals], BLANK))
            equals++;
        if (equals < n && s[equals] == '=') {
            i = equals + 1;
            while (i < n && IS(s[i], BLANK))
                i++;
            if (i < n && (s[i] == '"' || s[i] == '\'')) {
                Py_ssize_t end = find(s, i + 1, n, s[i]);
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

/* --- a reader, and one page --- */

typedef struct {
    PyObject_HEAD
    Slot slots[SLOTS];
    uint8_t element[N_ELEMENTS];
    PyObject *marks; /* of each text number what stands for it, then of a link's start and end */
    Span mark[N_TEXT_NUMBERS + 2];
    PyObject *attribute_value; /* resolves character references in an attribute */
    Py_ssize_t max_links;
} Reader;

typedef struct {
    Reader *reader;
    const char *s;
    Py_ssize_t n;
    Tag *tags;
    Py_ssize_t count;
    size_t room;
    int32_t *hidden_to; /* of each tag that hides what follows its end tag; others are below 0 */
    int has_element;
} Page;

static int find_tags(Page *page)
{
    Tag tag;
    for (Py_ssize_t i = 0; next_tag(page->s, i, page->n, &tag); i = tag.end) {
        Tag *more = with_room(page->tags, &page->room, (size_t)page->count, 1, sizeof(Tag));
        if (!more)
            return 0;
        page->tags = more;
        tag.element = 0;
        if (tag.text == OTHER) {
            const char *name = page->s + tag.name;
            look_up_numbers(page->reader->slots, name, tag.name_end - tag.name, &tag);
            page->has_element |= *name != '/';
        }
        page->tags[page->count++] = tag;
    }
    return 1;
}

static int ends_with_slash(Page *page, Tag *tag)
{
    return tag->raw < tag->raw_end && page->s[tag->raw_end - 1] == '/';
}

/* Start and end tags of what is hidden are paired like brackets, by name. */
static int pair_hiding(Page *page)
{
    int32_t waiting[4] = {NOWHERE, NOWHERE, NOWHERE, NOWHERE};
    int32_t *hidden_to = page->hidden_to = malloc((size_t)(page->count + 1) * sizeof(int32_t));
    if (!hidden_to) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t k = 0; k < page->count; k++) {
        int number = page->tags[k].text - HIDING;
        hidden_to[k] = NOWHERE;
        if (number < 0)
            continue;
        int32_t *open = &waiting[number / 2];
        if (number % 2 == 0) {
            if (number != OF_SVG - HIDING || !ends_with_slash(page, &page->tags[k])) {
                hidden_to[k] = -2 - *open; /* who waits behind it, until its end is found */
                *open = (int32_t)k;
            }
        } else if (*open != NOWHERE) {
            int32_t start = *open;
            *open = -2 - hidden_to[start];
            hidden_to[start] = (int32_t)k;
        }
    }
    return 1;
}

/* Is the tag behind this one its own end tag? */
static int is_closed(Page *page, Py_ssize_t k)
{
    Tag *tag = &page->tags[k], *next = tag + 1;
    if (k + 1 == page->count)
        return 0;
    Py_ssize_t size = tag->name_end - tag->name;
    const char *name = page->s + tag->name, *end = page->s + next->name;
    int closed = next->name_end - next->name == size + 1 && *end == '/';
    for (Py_ssize_t c = 0; closed && c < size; c++)
        closed = lower(name[c]) == lower(end[c + 1]);
    return closed;
}

/* --- text that grows, and lists --- */

typedef struct {
    char *at;
    Py_ssize_t size;
    size_t room;
} Text;

static int write_span(Text *text, Span span)
{
    if (!span.size)
        return 1;
    char *more = with_room(text->at, &text->room, (size_t)text->size, (size_t)span.size, 1);
    if (!more)
        return 0;
    text->at = more;
    memcpy(text->at + text->size, span.at, (size_t)span.size);
    text->size += span.size;
    return 1;
}

static int write_page(Text *text, Page *page, Py_ssize_t start, Py_ssize_t end)
{
    return write_span(text, (Span){page->s + start, end - start});
}

static const Span GAP = {" ", 1}, AND = {"&amp;", 5};

/* An attribute's value; Python knows what its character references stand for. */
static PyObject *value_of(Reader *reader, Span value)
{
    if (find(value.at, 0, value.size, '&') == NOWHERE)
        return PyUnicode_DecodeUTF8(value.at, value.size, "strict");
    PyObject *raw = PyBytes_FromStringAndSize(value.at, value.size), *found = NULL;
    if (raw)
        found = PyObject_CallFunctionObjArgs(reader->attribute_value, raw, NULL);
    Py_XDECREF(raw);
    return found;
}

/* The alternative text of a tag, between gaps. Its references are resolved, and each "&" is written as
   one, because those of the text are resolved later. */
static int write_alt(Text *text, Page *page, Tag *tag)
{
    Span alt = {"", 0};
    attribute(page->s, tag, "alt", &alt);
    if (find(alt.at, 0, alt.size, '&') == NOWHERE)
        return write_span(text, GAP) && write_span(text, alt) && write_span(text, GAP);
    PyObject *value = value_of(page->reader, alt);
    Span rest;
    rest.at = value ? PyUnicode_AsUTF8AndSize(value, &rest.size) : NULL;
    int done = rest.at && write_span(text, GAP);
    for (Py_ssize_t at; done && (at = find(rest.at, 0, rest.size, '&')) != NOWHERE;) {
        done = write_span(text, (Span){rest.at, at}) && write_span(text, AND);
        rest = (Span){rest.at + at + 1, rest.size - at - 1};
    }
    done = done && write_span(text, rest) && write_span(text, GAP);
    Py_XDECREF(value);
    return done;
}

static PyObject *attributes_of(Page *page, Tag *tag)
{
    return PyBytes_FromStringAndSize(page->s + tag->raw, tag->raw_end - tag->raw);
}

static int append_new(PyObject *list, PyObject *item)
{
    if (!item)
        return 0;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return !failed;
}

/* --- the flat text --- */

typedef struct {
    Page *page;
    Text text;
    PyObject *hrefs, *links, *head; /* links: their attributes as written */
    int tags_in_titles, too_many_links, is_open;
} Flat;

enum { LINK_START = N_TEXT_NUMBERS, LINK_END };

static int write_mark(Flat *flat, int number)
{
    return write_span(&flat->text, flat->page->reader->mark[number]);
}

/* 1: a link begins here; 0: none, it has no address or is one too many. */
static int add_link(Flat *flat, Tag *tag)
{
    Reader *reader = flat->page->reader;
    Span href;
    if (!attribute(flat->page->s, tag, "href", &href))
        return 0;
    if (PyList_Size(flat->hrefs) == reader->max_links) {
        flat->too_many_links = 1;
        return 0;
    }
    if (!append_new(flat->hrefs, value_of(reader, href)) ||
        !append_new(flat->links, attributes_of(flat->page, tag)))
        return NOWHERE;
    return 1;
}

/* An <a> or <area> ends the link before, whatever it is. */
static int write_link(Flat *flat, Tag *tag)
{
    int was_open = flat->is_open, found = add_link(flat, tag);
    if (found == NOWHERE)
        return 0;
    flat->is_open = found;
    if (was_open && !write_mark(flat, LINK_END))
        return 0;
    if (found)
        return write_mark(flat, LINK_START);
    return was_open || write_mark(flat, tag->text);
}

static int write_area(Flat *flat, Tag *tag)
{
    if (!write_link(flat, tag))
        return 0;
    if (!flat->is_open)
        return 1;
    flat->is_open = 0;
    return write_alt(&flat->text, flat->page, tag) && write_mark(flat, LINK_END);
}

/* A title with a tag in it, as in pictures, is none. */
static int write_title(Flat *flat, Py_ssize_t k)
{
    if (is_closed(flat->page, k))
        return write_mark(flat, flat->page->tags[k].text);
    flat->tags_in_titles |= k + 1 < flat->page->count;
    return write_span(&flat->text, GAP);
}

static int has_word(const char *s, Py_ssize_t n, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    for (Py_ssize_t i = 0; i + size <= n; i++)
        if (lower(s[i]) == word[0] && same_word(s + i, word, size))
            return 1;
    return 0;
}

/* Python reads what the head says; most <link> and <meta> say nothing. */
static int add_head(Flat *flat, Tag *tag)
{
    static const char *const said_by[] = {NULL, NULL, "canonical", "robots"};
    const char *word = said_by[tag->text - OF_HTML], *raw = flat->page->s + tag->raw;
    Py_ssize_t size = tag->raw_end - tag->raw;
    if (word && !has_word(raw, size, word))
        return 1;
    return append_new(flat->head, Py_BuildValue("iy#", tag->text, raw, size));
}

static int write_tag(Flat *flat, Py_ssize_t k)
{
    Tag *tag = &flat->page->tags[k];
    switch (tag->text) {
    case OF_A:
        return write_link(flat, tag);
    case OF_A_END:
        if (!flat->is_open)
            break;
        flat->is_open = 0;
        return write_mark(flat, LINK_END);
    case OF_AREA:
        return write_area(flat, tag);
    case OF_IMG:
    case OF_INPUT:
        return write_alt(&flat->text, flat->page, tag);
    case OF_TITLE:
    case OF_TEXTAREA:
        return write_title(flat, k);
    case OF_HTML:
    case OF_BASE:
    case OF_LINK:
    case OF_META:
        if (!add_head(flat, tag))
            return 0;
    }
    return write_mark(flat, tag->text);
}

/* From tag k, which hides what follows, up to its end tag: gaps, and what the head says. */
static int write_hidden(Flat *flat, Py_ssize_t k, Py_ssize_t end)
{
    for (; k < end; k++) {
        Tag *tag = &flat->page->tags[k];
        if (tag->text >= OF_HTML && tag->text <= OF_META && !add_head(flat, tag))
            return 0;
        if (!write_span(&flat->text, GAP))
            return 0;
    }
    return 1;
}

static int write_flat(Flat *flat)
{
    Page *page = flat->page;
    Py_ssize_t behind = 0; /* the last tag */
    for (Py_ssize_t k = 0; k < page->count; k++) {
        if (!write_page(&flat->text, page, behind, page->tags[k].start))
            return 0;
        if (page->hidden_to[k] >= 0) {
            Py_ssize_t end = page->hidden_to[k];
            if (!write_hidden(flat, k, end))
                return 0;
            k = end;
        }
        if (!write_tag(flat, k))
            return 0;
        behind = page->tags[k].end;
    }
    return write_page(&flat->text, page, behind, page->n) &&
           (!flat->is_open || write_mark(flat, LINK_END));
}

/* --- the outline --- */

enum { ENDED = 0 }; /* the number of an element that ends with the last block in it */

/* An open element. The page is the lowest, at depth 0. */
typedef struct {
    int32_t tag;         /* its start tag */
    int32_t same, block; /* depths of the open elements below it of its number, and that are blocks */
    int32_t node;        /* what it is in the outline, if it holds a link */
    uint8_t number;
} Element;

/* An element of the outline. */
typedef struct {
    int32_t start, behind, first, last, stop;
} Node;

typedef struct {
    Page *page;
    const uint8_t *element; /* numbers of the reader */
    Element *stack;
    int32_t height, n_put; /* of the stack, and of its lowest part that is in the outline */
    int32_t open[END];     /* depth of the innermost open element of each number; 0: none */
    int32_t block;         /* of the innermost block */
    Node *nodes;
    Py_ssize_t n_nodes;
    size_t room;
    int32_t link;        /* depth of the link whose text is read; 0: of none */
    Py_ssize_t link_tag; /* its start tag */
    Py_ssize_t from;     /* the text behind which tag is next, plus 1 */
    Text text, worded;
    PyObject *elements, *hrefs, *texts, *headings;
} Outline;

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t innermost(Outline *o, int element) { return o->open[o->element[element]]; }

static Element *top(Outline *o) { return &o->stack[o->height - 1]; }

/* The texts between tags from `from` to before tag `end`, with the images among them. */
static int add_texts(Outline *o, Py_ssize_t end)
{
    Page *page = o->page;
    for (Py_ssize_t k = o->from; k <= end; k++) {
        Tag *before = &page->tags[k - 1];
        Py_ssize_t stop = k < page->count ? page->tags[k].start : page->n;
        if (before->element == o->element[IMG] && k - 1 > o->link_tag &&
            !write_alt(&o->text, page, before))
            return 0;
        if (!write_page(&o->text, page, before->end, stop))
            return 0;
    }
    return 1;
}

/* Does it begin with a letter or digit of ASCII, blanks apart? */
static char is_worded(Text *text)
{
    Py_ssize_t i = 0;
    while (i < text->size && (IS(text->at[i], BLANK) || text->at[i] == '\v'))
        i++;
    return i < text->size &&
           (IS(text->at[i], LETTER) || (text->at[i] >= '0' && text->at[i] <= '9'));
}

/* The link whose text is being read ends. */
static int end_text(Outline *o, Py_ssize_t tag)
{
    if (!o->link)
        return 1;
    o->link = 0;
    if (!add_texts(o, tag))
        return 0;
    PyObject *text = PyBytes_FromStringAndSize(o->text.at, o->text.size);
    char worded = is_worded(&o->text);
    o->text.size = 0;
    return append_new(o->texts, text) && write_span(&o->worded, (Span){&worded, 1});
}

static void push_any(Outline *o, uint8_t number, Py_ssize_t tag)
{
    int32_t depth = o->height++;
    o->stack[depth] = (Element){(int32_t)tag, o->open[number], o->block, 0, number};
    o->open[number] = depth;
    if (number >= o->element[FORM])
        o->block = depth;
}

/* An element begins; one that ends with its own start tag is none. */
static void push(Outline *o, uint8_t number, Py_ssize_t k)
{
    Tag *tag = &o->page->tags[k];
    if (ends_with_slash(o->page, tag)) {
        char before = tag->raw_end - 1 > tag->raw ? o->page->s[tag->raw_end - 2] : ' ';
        if (before == '"' || before == '\'' || IS(before, BLANK))
            return;
    }
    push_any(o, number, k);
}

/* End the elements from this depth on, and those that only waited for them. */
static int close_from(Outline *o, int32_t depth, Py_ssize_t tag)
{
    if (depth <= o->link && !end_text(o, tag))
        return 0;
    while (o->height > depth || (o->height > 1 && top(o)->number == ENDED)) {
        Element *element = top(o);
        int32_t height = --o->height;
        if (element->number != ENDED)
            o->open[element->number] = element->same;
        if (o->block == height)
            o->block = element->block;
        if (o->n_put > height) {
            Node *node = &o->nodes[element->node];
            o->n_put--;
            node->behind = (int32_t)o->n_nodes;
            node->last = (int32_t)PyList_Size(o->hrefs);
            node->stop = (int32_t)tag;
        }
    }
    return 1;
}

/* The cell or table in which we are. */
static int32_t scope(Outline *o) { return larger(innermost(o, CELL), innermost(o, TABLE)); }

/* The list, if not a cell or a table in it, to which an item here belongs. */
static int32_t list_around(Outline *o, uint8_t number)
{
    int32_t around = scope(o);
    if (number != o->element[ITEM])
        return larger(around, innermost(o, DL));
    for (int list = UL; list <= DIR; list++)
        around = larger(around, innermost(o, list));
    return around;
}

/* Close the element of this number if it lies in the one at the border; NOWHERE on failure. */
static int close_above(Outline *o, uint8_t number, int32_t border, Py_ssize_t tag)
{
    int32_t depth = o->open[number];
    if (depth <= border)
        return 0;
    return close_from(o, depth, tag) ? 1 : NOWHERE;
}

static int end_paragraph(Outline *o, Py_ssize_t tag)
{
    return close_above(o, o->element[PARAGRAPH], scope(o), tag) != NOWHERE;
}

/* The depth from which on an end tag ends elements of this number. */
static int32_t border_of(Outline *o, uint8_t number)
{
    uint8_t table = o->element[TABLE];
    if (number == o->element[ITEM])
        return list_around(o, number);
    if (number > table)
        return o->open[table];
    return number == table ? 0 : scope(o);
}

static int end_element(Outline *o, uint8_t number, Py_ssize_t tag)
{
    int32_t depth = o->open[number];
    if (!depth)
        return 1;
    if (depth == o->height - 1 && top(o)->number == number)
        return close_from(o, depth, tag);
    if (number == o->element[LINK] && !end_text(o, tag))
        return 0;
    if (depth <= border_of(o, number))
        return 1;
    if (number <= o->element[FORM] && depth < o->block) {
        o->open[number] = o->stack[depth].same;
        o->stack[depth].number = ENDED;
        return 1;
    }
    return close_from(o, depth, tag);
}

static int start_block(Outline *o, uint8_t number, Py_ssize_t tag)
{
    if (!end_paragraph(o, tag))
        return 0;
    push(o, number, tag);
    return 1;
}

/* What is no part of the element before it, as an option of another. */
static int start_sibling(Outline *o, uint8_t number, Py_ssize_t tag)
{
    if (top(o)->number == number && !close_from(o, o->height - 1, tag))
        return 0;
    push(o, number, tag);
    return 1;
}

static int start_heading(Outline *o, uint8_t number, Py_ssize_t tag)
{
    return append_new(o->headings, PyLong_FromSsize_t(tag)) && end_paragraph(o, tag) &&
           start_sibling(o, number, tag);
}

static int start_item(Outline *o, uint8_t number, Py_ssize_t tag)
{
    return close_above(o, number, list_around(o, number), tag) != NOWHERE &&
           start_block(o, number, tag);
}

/* Of a table; without one it is no element. */
static int start_table_part(Outline *o, uint8_t number, Py_ssize_t tag)
{
    int32_t table = innermost(o, TABLE);
    int closed = 0;
    if (!table)
        return 1;
    for (int other = number; !closed && other <= o->element[CELL]; other++)
        if ((closed = close_above(o, (uint8_t)other, table, tag)) == NOWHERE)
            return 0;
    push(o, number, tag);
    return 1;
}

/* What it holds is no text of the link around it. */
static int start_unseen(Outline *o, uint8_t number, Py_ssize_t tag)
{
    Py_ssize_t end = o->page->hidden_to[tag];
    push(o, number, tag);
    if (end >= 0 && o->link) {
        if (!add_texts(o, tag))
            return 0;
        if (end + 1 > o->from)
            o->from = end + 1;
    }
    return 1;
}

/* All open elements hold the link that begins here. */
static int put_out(Outline *o)
{
    for (; o->n_put < o->height; o->n_put++) {
        Node *more = with_room(o->nodes, &o->room, (size_t)o->n_nodes, 1, sizeof(Node));
        if (!more)
            return 0;
        o->nodes = more;
        Element *element = &o->stack[o->n_put];
        element->node = (int32_t)o->n_nodes;
        o->nodes[o->n_nodes++] = (Node){element->tag, 0, (int32_t)PyList_Size(o->hrefs), 0, 0};
    }
    return 1;
}

static int start_link(Outline *o, uint8_t number, Py_ssize_t k)
{
    Reader *reader = o->page->reader;
    Span href;
    if (o->open[number] && !end_element(o, number, k))
        return 0;
    if (!attribute(o->page->s, &o->page->tags[k], "href", &href)) {
        push(o, number, k);
        return 1;
    }
    if (PyList_Size(o->hrefs) >= reader->max_links)
        return 1;
    o->link = o->height;
    o->link_tag = k;
    o->from = k + 1;
    push_any(o, number, k);
    return put_out(o) && append_new(o->elements, PyLong_FromLong(top(o)->node)) &&
           append_new(o->hrefs, value_of(reader, href));
}

static int start_element(Outline *o, uint8_t number, Py_ssize_t tag)
{
    const uint8_t *of = o->element;
    if (number == of[LINK])
        return start_link(o, number, tag);
    if (number == of[IMG] || number == of[PLAIN])
        return 1; /* no elements; add_texts sees images */
    if (number == of[HEADING])
        return start_heading(o, number, tag);
    if (number == of[ITEM] || number == of[TERM])
        return start_item(o, number, tag);
    if (number == of[FORM]) /* no form is in another */
        return o->open[number] || start_block(o, number, tag);
    if (number == of[HR])
        return end_paragraph(o, tag);
    if (number == of[OPTION])
        return start_sibling(o, number, tag);
    if (number >= of[UNSEEN] && number <= of[UNSEEN_LAST])
        return start_unseen(o, number, tag);
    if (number > of[TABLE])
        return start_table_part(o, number, tag);
    if (number > of[FORM])
        return start_block(o, number, tag);
    push(o, number, tag);
    return 1;
}

static int write_outline(Outline *o)
{
    o->stack[0] = (Element){NOWHERE, 0, 0, 0, ENDED};
    o->height = 1;
    if (!put_out(o))
        return 0;
    for (Py_ssize_t k = 0; k < o->page->count; k++) {
        uint8_t number = o->page->tags[k].element;
        if (number && !(number < END ? start_element(o, number, k)
                                     : end_element(o, (uint8_t)(number - END), k)))
            return 0;
    }
    return close_from(o, 0, o->page->count);
}

/* --- columns of the outline --- */

/* Name of the element; the page, which is none, is "page". */
static PyObject *name_of(Outline *o, const Node *node)
{
    char name[LONGEST_NAME];
    Py_ssize_t size = 0;
    if (node->start < 0)
        return PyUnicode_FromString("page");
    Tag *tag = &o->page->tags[node->start];
    for (Py_ssize_t k = tag->name; k < tag->name_end && size < LONGEST_NAME; k++)
        name[size++] = lower(o->page->s[k]);
    return PyUnicode_Decode(name, size, "ascii", "replace");
}

static PyObject *raw_of(Outline *o, const Node *node)
{
    if (node->start < 0)
        return PyBytes_FromStringAndSize("", 0);
    return attributes_of(o->page, &o->page->tags[node->start]);
}

static PyObject *column(Outline *o, PyObject *(*item_of)(Outline *, const Node *))
{
    PyObject *list = PyList_New(o->n_nodes);
    for (Py_ssize_t k = 0; list && k < o->n_nodes; k++) {
        PyObject *item = item_of(o, &o->nodes[k]);
        if (!item || PyList_SetItem(list, k, item))
            Py_CLEAR(list);
    }
    return list;
}

/* The column of a field of the nodes, by its offset in them. */
static PyObject *numbers(Outline *o, size_t field)
{
    PyObject *list = PyList_New(o->n_nodes);
    for (Py_ssize_t k = 0; list && k < o->n_nodes; k++) {
        const int32_t *number = (const int32_t *)((const char *)&o->nodes[k] + field);
        PyObject *item = PyLong_FromLong(*number);
        if (!item || PyList_SetItem(list, k, item))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *columns_of(Outline *o)
{
    return Py_BuildValue(
        "NNNNNNNOOOy#O", column(o, name_of), column(o, raw_of), numbers(o, offsetof(Node, behind)),
        numbers(o, offsetof(Node, first)), numbers(o, offsetof(Node, last)),
        numbers(o, offsetof(Node, start)), numbers(o, offsetof(Node, stop)), o->elements, o->hrefs,
        o->texts, o->worded.at ? o->worded.at : "", o->worded.size, o->headings);
}

static PyObject *make_outline(Page *page)
{
    Outline o = {.page = page, .element = page->reader->element};
    PyObject *found = NULL;
    o.elements = PyList_New(0);
    o.hrefs = PyList_New(0);
    o.texts = PyList_New(0);
    o.headings = PyList_New(0);
    o.stack = malloc((size_t)(page->count + 1) * sizeof(Element));
    if (!o.stack)
        PyErr_NoMemory();
    else if (o.elements && o.hrefs && o.texts && o.headings && write_outline(&o))
        found = columns_of(&o);
    free(o.stack);
    free(o.nodes);
    free(o.text.at);
    free(o.worded.at);
    Py_XDECREF(o.elements);
    Py_XDECREF(o.hrefs);
    Py_XDECREF(o.texts);
    Py_XDECREF(o.headings);
    return found;
}

static PyObject *make_flat(Page *page)
{
    Flat flat = {.page = page};
    PyObject *found = NULL;
    flat.hrefs = PyList_New(0);
    flat.links = PyList_New(0);
    flat.head = PyList_New(0);
    flat.text.room = (size_t)page->n + 1024;
    flat.text.at = malloc(flat.text.room);
    if (!flat.text.at)
        PyErr_NoMemory();
    else if (flat.hrefs && flat.links && flat.head && write_flat(&flat))
        found = Py_BuildValue("y#OOOiii", flat.text.at, flat.text.size, flat.hrefs, flat.links,
                              flat.head, page->has_element, flat.tags_in_titles,
                              flat.too_many_links);
    free(flat.text.at);
    Py_XDECREF(flat.hrefs);
    Py_XDECREF(flat.links);
    Py_XDECREF(flat.head);
    return found;
}

/* --- the type --- */

static PyObject *call(Reader *self, PyObject *args, PyObject *named)
{
    PyObject *body, *flat = NULL, *outline = NULL, *found = NULL;
    int with_outline;
    Span span;
    (void)named;
    if (!self->attribute_value) {
        PyErr_SetString(PyExc_TypeError, "this reader was not made");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "Sp", &body, &with_outline) || !span_of(body, &span))
        return NULL;
    if (span.size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a page of more than 2 GB");
        return NULL;
    }
    Page page = {.reader = self, .s = span.at, .n = span.size};
    if (find_tags(&page) && pair_hiding(&page) && (flat = make_flat(&page)) &&
        (!with_outline || (outline = make_outline(&page))))
        found = Py_BuildValue("OO", flat, outline ? outline : Py_None);
    free(page.tags);
    free(page.hidden_to);
    Py_XDECREF(flat);
    Py_XDECREF(outline);
    return found;
}

static int read_marks(Reader *self, PyObject *marks)
{
    if (!PyList_Check(marks) || PyList_Size(marks) != N_TEXT_NUMBERS + 2) {
        PyErr_SetString(PyExc_ValueError, "these are not the marks of pagekin.web.tags");
        return 0;
    }
    self->marks = PyList_GetSlice(marks, 0, N_TEXT_NUMBERS + 2);
    for (int k = 0; self->marks && k < N_TEXT_NUMBERS + 2; k++)
        if (!span_of(PyList_GetItem(self->marks, k), &self->mark[k]))
            return 0;
    return self->marks != NULL;
}

static int read_elements(Reader *self, const char *elements, Py_ssize_t n)
{
    const uint8_t *of = (const uint8_t *)elements;
    int is_right = n == N_ELEMENTS;
    for (Py_ssize_t k = 0; is_right && k < n; k++)
        is_right = of[k] > OTHER && of[k] < END;
    if (!is_right || of[UNSEEN] > of[UNSEEN_LAST] || of[FORM] >= of[TABLE]) {
        PyErr_SetString(PyExc_ValueError, "these are not the elements of pagekin.web.tags");
        return 0;
    }
    memcpy(self->element, elements, N_ELEMENTS);
    return 1;
}

static int init(Reader *self, PyObject *args, PyObject *named)
{
    PyObject *numbers, *marks, *attribute_value;
    const char *elements;
    Py_ssize_t n;
    (void)named;
    if (self->marks || self->attribute_value) { /* it may be at work */
        PyErr_SetString(PyExc_TypeError, "a reader is made once");
        return -1;
    }
    if (!PyArg_ParseTuple(args, "O!y#OOn", &PyDict_Type, &numbers, &elements, &n, &marks,
                          &attribute_value, &self->max_links) ||
        !read_names(self->slots, numbers) || !read_elements(self, elements, n) ||
        !read_marks(self, marks))
        return -1;
    Py_INCREF(attribute_value);
    self->attribute_value = attribute_value;
    return 0;
}

static void dealloc(Reader *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->marks);
    Py_XDECREF(self->attribute_value);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyType_Slot type_slots[] = {
    {Py_tp_doc, "Reader(numbers, elements, marks, attribute_value, max_links)\n\n"
                "Called with a page, and whether its outline is wanted, it gives what\n"
                "pagekin.web.flat gives of it, and the columns of the outline or None."},
    {Py_tp_init, init},
    {Py_tp_call, call},
    {Py_tp_dealloc, dealloc},
    {0, NULL},
};

static PyType_Spec spec = {"pagekin.web._html.Reader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT,
                           type_slots};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.web._html",
                                    "Pages to flat texts and outlines, as pagekin.web.markup wants "
                                    "them.", -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__html(void)
{
    classify_characters();
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (!made || !type || PyModule_AddObjectRef(made, "Reader", type))
        Py_CLEAR(made);
    Py_XDECREF(type);
    return with_version(made);
}
