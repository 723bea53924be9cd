/* HTML to flat text: what pagekin.web.flattening does, seven times as fast.

It gives the same bytes for every page: a test compares the two on real and on broken pages. Built
where there is a C compiler; where there is none, Python does the work. Three passes over the tags of
a page: where they are, which hide what follows, and what stands for each. All is linear in the page;
nothing is recursive. */

#include "html.h"

/* The numbers of pagekin.web.tags, checked when a Flattener is made. */
enum {
    LOOKED_AT = 128,
    OF_A = LOOKED_AT, OF_A_END, OF_AREA, OF_IMG, OF_INPUT, OF_HTML, OF_BASE, OF_LINK, OF_META,
    OF_TITLE, OF_TEXTAREA,
    HIDING, /* start tags of noscript, template, svg and select, each with its end tag behind */
    OF_SVG = HIDING + 4,
    N_KINDS = HIDING + 8,
};

static const Hiding HIDES = {HIDING, 2, 4, 1, OF_SVG};

typedef struct {
    Reader reader; /* it holds the marks */
    Span mark[N_KINDS];
    Span link, link_end;
} Flattener;

typedef struct {
    Flattener *self;
    Tags tags;
    int32_t *hidden;
    Text text;
    PyObject *hrefs, *raws, *head;
    int tags_in_titles, too_many_links, is_open;
} Page;

static int write_mark(Page *page, Span mark)
{
    return write_span(&page->text, mark.at, mark.size);
}

/* 1: a link begins here; 0: none, it has no address or is one too many. */
static int add_link(Page *page, Token *token)
{
    Span href;
    if (!attribute(page->tags.s, token->raw, token->raw_end, "href", &href))
        return 0;
    if (PyList_Size(page->hrefs) == page->self->reader.max_links) {
        page->too_many_links = 1;
        return 0;
    }
    if (!append_new(page->hrefs, value_of(href, page->self->reader.value_of)) ||
        !append_new(page->raws, bytes_of(&page->tags, token)))
        return NOWHERE;
    return 1;
}

/* An <a> or <area> ends the link before, whatever it is. */
static int write_link(Page *page, Token *token)
{
    Flattener *self = page->self;
    int was_open = page->is_open, found = add_link(page, token);
    if (found == NOWHERE)
        return 0;
    page->is_open = found;
    if (was_open && !write_mark(page, self->link_end))
        return 0;
    if (found)
        return write_mark(page, self->link);
    return was_open || write_mark(page, self->mark[token->kind]);
}

static int write_area(Page *page, Token *token)
{
    if (!write_link(page, token))
        return 0;
    if (!page->is_open)
        return 1;
    page->is_open = 0;
    return write_alt(&page->text, &page->tags, token, page->self->reader.text_of) && write_mark(page, page->self->link_end);
}

/* A title with a tag in it, as in pictures, is none. */
static int write_title(Page *page, Place k)
{
    if (is_closed(&page->tags, k))
        return write_mark(page, page->self->mark[page->tags.tokens[k].kind]);
    page->tags_in_titles |= k + 1 < page->tags.count;
    return write_span(&page->text, " ", 1);
}

static int has_word(const char *s, Place n, const char *word)
{
    Place size = (Place)strlen(word);
    for (Place i = 0; i + size <= n; i++)
        if (lower(s[i]) == word[0] && same_word(s + i, word, size))
            return 1;
    return 0;
}

/* What the head says is looked at by Python; of most <link> and <meta> it is known to say nothing. */
static int see_head(Page *page, Token *token)
{
    static const char *const told_by[] = {NULL, NULL, "canonical", "robots"};
    const char *told = told_by[token->kind - OF_HTML];
    if (told && !has_word(page->tags.s + token->raw, token->raw_end - token->raw, told))
        return 1;
    return append_new(page->head, Py_BuildValue("iy#", token->kind, page->tags.s + token->raw,
                                                token->raw_end - token->raw));
}

static int write_tag(Page *page, Place k)
{
    Token *token = &page->tags.tokens[k];
    switch (token->kind) {
    case OF_A:
        return write_link(page, token);
    case OF_A_END:
        if (!page->is_open)
            break;
        page->is_open = 0;
        return write_mark(page, page->self->link_end);
    case OF_AREA:
        return write_area(page, token);
    case OF_IMG:
    case OF_INPUT:
        return write_alt(&page->text, &page->tags, token, page->self->reader.text_of);
    case OF_TITLE:
    case OF_TEXTAREA:
        return write_title(page, k);
    case OF_HTML:
    case OF_BASE:
    case OF_LINK:
    case OF_META:
        if (!see_head(page, token))
            return 0;
    }
    return write_mark(page, page->self->mark[token->kind]);
}

/* From tag k, which hides what follows, up to its end tag: gaps, and what the head says. */
static int write_hidden(Page *page, Place k, Place end)
{
    for (; k < end; k++) {
        Token *token = &page->tags.tokens[k];
        if (token->kind >= OF_HTML && token->kind <= OF_META && !see_head(page, token))
            return 0;
        if (!write_span(&page->text, " ", 1))
            return 0;
    }
    return 1;
}

static int write_text(Page *page)
{
    Place behind = 0; /* the last tag */
    for (Place k = 0; k < page->tags.count; k++) {
        Token *token = &page->tags.tokens[k];
        if (!write_span(&page->text, page->tags.s + behind, token->start - behind))
            return 0;
        if (token->kind >= HIDING && page->hidden[k] >= 0) {
            Place end = page->hidden[k];
            if (!write_hidden(page, k, end))
                return 0;
            k = end;
            token = &page->tags.tokens[k];
        }
        if (!write_tag(page, k))
            return 0;
        behind = token->end;
    }
    return write_span(&page->text, page->tags.s + behind, page->tags.n - behind) &&
           (!page->is_open || write_mark(page, page->self->link_end));
}

static PyObject *flatten(Reader *self, const char *body, Place size)
{
    Page page = {.self = (Flattener *)self};
    PyObject *found = NULL;
    page.tags.s = body;
    page.tags.n = size;
    page.hrefs = PyList_New(0);
    page.raws = PyList_New(0);
    page.head = PyList_New(0);
    page.text.room = (size_t)size + 1024;
    page.text.at = malloc(page.text.room);
    if (!page.text.at)
        PyErr_NoMemory();
    else if (page.hrefs && page.raws && page.head &&
             tokenize(&page.tags, &self->names, OTHER, OTHER) &&
             (page.hidden = pair_hiding(&page.tags, &HIDES)) && write_text(&page))
        found = Py_BuildValue("y#OOOiii", page.text.at, page.text.size, page.hrefs, page.raws,
                              page.head, page.tags.has_element, page.tags_in_titles,
                              page.too_many_links);
    free(page.text.at);
    free(page.hidden);
    free(page.tags.tokens);
    Py_XDECREF(page.hrefs);
    Py_XDECREF(page.raws);
    Py_XDECREF(page.head);
    return found;
}

/* --- the type --- */

static int take_marks(Flattener *self, PyObject *marks)
{
    if (!PyList_Check(marks) || PyList_Size(marks) != N_KINDS) {
        PyErr_SetString(PyExc_ValueError, "these are not the marks of pagekin.web.tags");
        return 0;
    }
    self->reader.held = PyList_GetSlice(marks, 0, N_KINDS);
    for (int k = 0; self->reader.held && k < N_KINDS; k++)
        if (!span_of(PyList_GetItem(self->reader.held, k), &self->mark[k]))
            return 0;
    return self->reader.held != NULL;
}

static int hold(Flattener *self, PyObject *mark, Span *span)
{
    return !PyList_Append(self->reader.held, mark) && span_of(mark, span);
}

static int init(Flattener *self, PyObject *args, PyObject *named)
{
    PyObject *kinds, *marks, *link, *link_end, *value, *text;
    (void)named;
    if (!is_new(&self->reader) ||
        !PyArg_ParseTuple(args, "O!OSSOOn", &PyDict_Type, &kinds, &marks, &link, &link_end, &value,
                          &text, &self->reader.max_links) ||
        !take_names(&self->reader.names, kinds, N_KINDS) || !take_marks(self, marks) ||
        !hold(self, link, &self->link) || !hold(self, link_end, &self->link_end))
        return -1;
    finish_reader(&self->reader, value, text);
    return 0;
}

static PyObject *call(Reader *self, PyObject *args, PyObject *named)
{
    (void)named;
    return call_reader(self, args, flatten);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Flattener(kinds, marks, link, link_end, value_of, text_of, max_links)\n\n"
                "Called with a page it gives (text, hrefs, tags, head, has_element, tags_in_titles, "
                "too_many_links)."},
    {Py_tp_init, init},
    {Py_tp_call, call},
    {Py_tp_dealloc, free_reader},
    {0, NULL},
};

static PyType_Spec spec = {"pagekin.web._flat.Flattener", sizeof(Flattener), 0, Py_TPFLAGS_DEFAULT,
                           slots};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.web._flat",
                                    "HTML to flat text, as pagekin.web.flattening says it.", -1,
                                    NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__flat(void) { return module_of(&module, &spec, "Flattener"); }
