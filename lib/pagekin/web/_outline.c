/* The outline of a page: what pagekin.web.outline and pagekin.web.nesting do, seven times as fast.

It gives the same columns for every page: a test compares the two on real and on broken pages. One
pass over the tags, with a stack of open elements; each is pushed and popped once, and knows the open
element of its name below it, so that none is ever searched. */

#include "html.h"

enum { END = 128, ENDED = 0 }; /* of pagekin.web.elements and nesting */

/* Numbers of names, in the order in which Python gives them. */
enum { IMG, PLAIN, HR, LINK, OPTION, FORM, PARAGRAPH, ITEM, HEADING, TERM, UL, OL, MENU, DIR, DL,
       TABLE, CELL, UNSEEN, UNSEEN_LAST, SVG, N_SPECIAL };

typedef struct {
    Reader reader;
    uint8_t number[N_SPECIAL];
    Hiding hiding;
} Outliner;

/* An open element. The page is the lowest, at depth 0. */
typedef struct {
    int32_t place;       /* of its start tag */
    int32_t same, block; /* depths of the open elements below it of its name, and that are blocks */
    int32_t node;        /* what it is in the outline, if it holds a link */
    uint8_t kind;
} Element;

/* An element of the outline. */
typedef struct {
    int32_t place, behind, first, last, stop;
} Node;

typedef struct {
    Outliner *self;
    Tags tags;
    int32_t *hidden;
    Element *stack;
    int32_t height, n_put; /* of the stack, and of its lowest part that is in the outline */
    int32_t open[END];     /* depth of the innermost open element of each number; 0: none */
    int32_t block;         /* of the innermost block */
    Node *nodes;
    Place n_nodes;
    size_t room;
    int32_t link;         /* depth of the link whose text is read; 0: of none */
    Place link_place;     /* its start tag */
    Place from;           /* the text behind which tag is next, plus 1 */
    Place shown;          /* behind this tag nothing is hidden */
    Text text, worded;
    PyObject *elements, *hrefs, *texts, *headings;
    int tags_in_titles;
} Page;

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t opened(Page *page, int special) { return page->open[page->self->number[special]]; }

static Element *top(Page *page) { return &page->stack[page->height - 1]; }

/* --- texts of links --- */

/* The texts between tags from `page->from` to before tag `end`, with the images among them. */
static int add_texts(Page *page, Place end)
{
    Token *tokens = page->tags.tokens;
    for (Place k = page->from; k <= end; k++) {
        Token *before = &tokens[k - 1];
        Place stop = k < page->tags.count ? tokens[k].start : page->tags.n;
        if (before->kind == page->self->number[IMG] && k - 1 > page->link_place &&
            !write_alt(&page->text, &page->tags, before, page->self->reader.text_of))
            return 0;
        if (!write_span(&page->text, page->tags.s + before->end, stop - before->end))
            return 0;
    }
    return 1;
}

/* Does it begin with a letter or digit of ASCII, blanks apart? */
static char is_worded(const char *s, Place n)
{
    Place i = 0;
    while (i < n && (IS(s[i], BLANK) || s[i] == '\v'))
        i++;
    return i < n && (IS(s[i], LETTER) || (s[i] >= '0' && s[i] <= '9'));
}

static int end_text(Page *page, Place place)
{
    if (!page->link)
        return 1;
    page->link = 0;
    if (!add_texts(page, place))
        return 0;
    PyObject *text = PyBytes_FromStringAndSize(page->text.at, page->text.size);
    char worded = is_worded(page->text.at, page->text.size);
    page->text.size = 0;
    return append_new(page->texts, text) && write_span(&page->worded, &worded, 1);
}

/* --- the stack --- */

static void push_any(Page *page, uint8_t kind, Place place)
{
    int32_t depth = page->height++;
    page->stack[depth] = (Element){(int32_t)place, page->open[kind], page->block, 0, kind};
    page->open[kind] = depth;
    if (kind >= page->self->number[FORM])
        page->block = depth;
}

/* An element begins; one that ends with its own start tag is none. */
static void push(Page *page, uint8_t kind, Place place)
{
    Token *token = &page->tags.tokens[place];
    if (ends_with_slash(&page->tags, token)) {
        char before = token->raw_end - 1 > token->raw ? page->tags.s[token->raw_end - 2] : ' ';
        if (before == '"' || before == '\'' || IS(before, BLANK))
            return;
    }
    push_any(page, kind, place);
}

/* End the elements from this depth on, and those that only waited for them. */
static int close_from(Page *page, int32_t depth, Place place)
{
    if (depth <= page->link && !end_text(page, place))
        return 0;
    while (page->height > depth || (page->height > 1 && top(page)->kind == ENDED)) {
        Element *element = top(page);
        int32_t height = --page->height;
        if (element->kind != ENDED)
            page->open[element->kind] = element->same;
        if (page->block == height)
            page->block = element->block;
        if (page->n_put > height) {
            Node *node = &page->nodes[element->node];
            page->n_put--;
            node->behind = (int32_t)page->n_nodes;
            node->last = (int32_t)PyList_Size(page->hrefs);
            node->stop = (int32_t)place;
        }
    }
    return 1;
}

/* The cell or table in which we are. */
static int32_t scope(Page *page) { return larger(opened(page, CELL), opened(page, TABLE)); }

/* The list, if not a cell or a table in it, to which an item here belongs. */
static int32_t list_around(Page *page, uint8_t kind)
{
    int32_t around = scope(page);
    if (kind != page->self->number[ITEM])
        return larger(around, opened(page, DL));
    for (int list = UL; list <= DIR; list++)
        around = larger(around, opened(page, list));
    return around;
}

/* Close the element of this number if it lies in the one at the border; -1 on failure. */
static int close_above(Page *page, uint8_t kind, int32_t border, Place place)
{
    int32_t depth = page->open[kind];
    if (depth <= border)
        return 0;
    return close_from(page, depth, place) ? 1 : -1;
}

static int end_paragraph(Page *page, Place place)
{
    return close_above(page, page->self->number[PARAGRAPH], scope(page), place) >= 0;
}

/* The depth from which on an end tag ends elements of this number. */
static int32_t border_of(Page *page, uint8_t kind)
{
    uint8_t table = page->self->number[TABLE];
    if (kind == page->self->number[ITEM])
        return list_around(page, kind);
    if (kind > table)
        return page->open[table];
    return kind == table ? 0 : scope(page);
}

static int end_element(Page *page, uint8_t kind, Place place)
{
    int32_t depth = page->open[kind];
    if (!depth)
        return 1;
    if (depth == page->height - 1 && top(page)->kind == kind)
        return close_from(page, depth, place);
    if (kind == page->self->number[LINK] && !end_text(page, place))
        return 0;
    if (depth <= border_of(page, kind))
        return 1;
    if (kind <= page->self->number[FORM] && depth < page->block) {
        page->open[kind] = page->stack[depth].same;
        page->stack[depth].kind = ENDED;
        return 1;
    }
    return close_from(page, depth, place);
}

/* --- start tags --- */

static int start_block(Page *page, uint8_t kind, Place place)
{
    if (!end_paragraph(page, place))
        return 0;
    push(page, kind, place);
    return 1;
}

/* What is no part of the element before it, as an option of another. */
static int start_beside(Page *page, uint8_t kind, Place place)
{
    if (top(page)->kind == kind && !close_from(page, page->height - 1, place))
        return 0;
    push(page, kind, place);
    return 1;
}

static int start_heading(Page *page, uint8_t kind, Place place)
{
    return append_new(page->headings, PyLong_FromSsize_t(place)) && end_paragraph(page, place) &&
           start_beside(page, kind, place);
}

static int start_item(Page *page, uint8_t kind, Place place)
{
    return close_above(page, kind, list_around(page, kind), place) >= 0 &&
           start_block(page, kind, place);
}

/* Of a table; without one it is no element. */
static int start_part(Page *page, uint8_t kind, Place place)
{
    int32_t table = opened(page, TABLE);
    int closed = 0;
    if (!table)
        return 1;
    for (uint8_t other = kind; !closed && other <= page->self->number[CELL]; other++)
        if ((closed = close_above(page, other, table, place)) < 0)
            return 0;
    push(page, kind, place);
    return 1;
}

/* What it holds is no text of the link around it. */
static int start_unseen(Page *page, uint8_t kind, Place place)
{
    Place end = page->hidden[place];
    push(page, kind, place);
    if (end > page->shown)
        page->shown = end;
    if (end >= 0 && page->link) {
        if (!add_texts(page, place))
            return 0;
        if (end + 1 > page->from)
            page->from = end + 1;
    }
    return 1;
}

/* All open elements hold the link that begins here. */
static int put_out(Page *page)
{
    for (; page->n_put < page->height; page->n_put++) {
        Node *more = with_room(page->nodes, &page->room, (size_t)page->n_nodes, 1, sizeof(Node));
        if (!more)
            return 0;
        page->nodes = more;
        Element *element = &page->stack[page->n_put];
        element->node = (int32_t)page->n_nodes;
        page->nodes[page->n_nodes++] =
            (Node){element->place, 0, (int32_t)PyList_Size(page->hrefs), 0, 0};
    }
    return 1;
}

static int start_link(Page *page, uint8_t kind, Place place)
{
    Token *token = &page->tags.tokens[place];
    Span href;
    if (page->open[kind] && !end_element(page, kind, place))
        return 0;
    if (!attribute(page->tags.s, token->raw, token->raw_end, "href", &href)) {
        push(page, kind, place);
        return 1;
    }
    if (PyList_Size(page->hrefs) >= page->self->reader.max_links)
        return 1;
    page->link = page->height;
    page->link_place = place;
    page->from = place + 1;
    push_any(page, kind, place);
    return put_out(page) && append_new(page->elements, PyLong_FromLong(top(page)->node)) &&
           append_new(page->hrefs, value_of(href, page->self->reader.value_of));
}

static int start_element(Page *page, uint8_t kind, Place place)
{
    const uint8_t *number = page->self->number;
    if (kind == number[LINK])
        return start_link(page, kind, place);
    if (kind == number[IMG])
        return 1; /* add_texts sees it */
    if (kind == number[HEADING])
        return start_heading(page, kind, place);
    if (kind == number[ITEM] || kind == number[TERM])
        return start_item(page, kind, place);
    if (kind == number[FORM]) /* no form is in another */
        return page->open[kind] || start_block(page, kind, place);
    if (kind == number[HR])
        return end_paragraph(page, place);
    if (kind == number[OPTION])
        return start_beside(page, kind, place);
    if (kind == number[PLAIN]) {
        page->tags_in_titles |= place >= page->shown && place + 1 < page->tags.count &&
                                !is_closed(&page->tags, place);
        return 1;
    }
    if (kind >= number[UNSEEN] && kind <= number[UNSEEN_LAST])
        return start_unseen(page, kind, place);
    if (kind > number[TABLE])
        return start_part(page, kind, place);
    if (kind > number[FORM])
        return start_block(page, kind, place);
    push(page, kind, place);
    return 1;
}

static int read_page(Page *page)
{
    page->stack[0] = (Element){NOWHERE, 0, 0, 0, ENDED};
    page->height = 1;
    if (!put_out(page))
        return 0;
    for (Place k = 0; k < page->tags.count; k++) {
        uint8_t kind = page->tags.tokens[k].kind;
        if (!kind)
            continue;
        if (kind < END ? !start_element(page, kind, k) : !end_element(page, kind - END, k))
            return 0;
    }
    return close_from(page, 0, page->tags.count);
}

/* --- columns --- */

typedef int32_t (*Field)(const Node *);

static int32_t behind(const Node *node) { return node->behind; }
static int32_t first(const Node *node) { return node->first; }
static int32_t last(const Node *node) { return node->last; }
static int32_t start(const Node *node) { return node->place; }
static int32_t stop(const Node *node) { return node->stop; }

static PyObject *column(Page *page, Field field)
{
    PyObject *list = PyList_New(page->n_nodes);
    for (Place k = 0; list && k < page->n_nodes; k++)
        if (PyList_SetItem(list, k, PyLong_FromLong(field(&page->nodes[k]))))
            Py_CLEAR(list);
    return list;
}

/* Name and attributes of the element: of the page, which is none, the name is "page". */
static PyObject *name_of(Page *page, const Node *node)
{
    char name[LONGEST_NAME];
    Place size = 0;
    if (node->place < 0)
        return PyUnicode_FromString("page");
    Token *token = &page->tags.tokens[node->place];
    char all = 0;
    for (Place k = token->name; k < token->name_end && size < LONGEST_NAME; k++)
        all |= name[size++] = lower(page->tags.s[k]);
    if (all & 0x80)
        return PyUnicode_Decode(name, size, "ascii", "replace");
    return PyUnicode_DecodeUTF8(name, size, "strict");
}

static PyObject *raw_of(Page *page, const Node *node)
{
    if (node->place < 0)
        return PyBytes_FromStringAndSize("", 0);
    return bytes_of(&page->tags, &page->tags.tokens[node->place]);
}

static PyObject *list_of(Page *page, PyObject *(*item_of)(Page *, const Node *))
{
    PyObject *list = PyList_New(page->n_nodes);
    for (Place k = 0; list && k < page->n_nodes; k++) {
        PyObject *item = item_of(page, &page->nodes[k]);
        if (!item || PyList_SetItem(list, k, item))
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *columns_of(Page *page)
{
    return Py_BuildValue("NNNNNNNOOOy#Oi", list_of(page, name_of), list_of(page, raw_of),
                         column(page, behind), column(page, first), column(page, last),
                         column(page, start), column(page, stop), page->elements, page->hrefs,
                         page->texts, page->worded.at ? page->worded.at : "", page->worded.size,
                         page->headings, page->tags_in_titles);
}

static PyObject *outline(Reader *self, const char *body, Place size)
{
    Page page = {.self = (Outliner *)self};
    PyObject *found = NULL;
    page.tags.s = body;
    page.tags.n = size;
    page.elements = PyList_New(0);
    page.hrefs = PyList_New(0);
    page.texts = PyList_New(0);
    page.headings = PyList_New(0);
    if (page.elements && page.hrefs && page.texts && page.headings &&
        tokenize(&page.tags, &self->names, OTHER, END + OTHER) &&
        (page.hidden = pair_hiding(&page.tags, &page.self->hiding))) {
        page.stack = malloc((size_t)(page.tags.count + 1) * sizeof(Element));
        if (!page.stack)
            PyErr_NoMemory();
        else if (read_page(&page))
            found = columns_of(&page);
    }
    free(page.tags.tokens);
    free(page.hidden);
    free(page.stack);
    free(page.nodes);
    free(page.text.at);
    free(page.worded.at);
    Py_XDECREF(page.elements);
    Py_XDECREF(page.hrefs);
    Py_XDECREF(page.texts);
    Py_XDECREF(page.headings);
    return found;
}

/* --- the type --- */

static int take_numbers(Outliner *self, const char *special, Place n)
{
    int is_right = n == N_SPECIAL;
    for (Place k = 0; is_right && k < n; k++)
        is_right = special[k] > OTHER && (uint8_t)special[k] < END;
    if (is_right) {
        memcpy(self->number, special, N_SPECIAL);
        int count = self->number[UNSEEN_LAST] - self->number[UNSEEN] + 1;
        is_right = count > 0 && count <= 8 && self->number[FORM] < self->number[TABLE];
        self->hiding = (Hiding){self->number[UNSEEN], 1, count, END, self->number[SVG]};
    }
    if (!is_right)
        PyErr_SetString(PyExc_ValueError, "these are not the numbers of pagekin.web.elements");
    return is_right;
}

static int init(Outliner *self, PyObject *args, PyObject *named)
{
    PyObject *numbers, *value, *text;
    const char *special;
    Place n;
    (void)named;
    if (!is_new(&self->reader) ||
        !PyArg_ParseTuple(args, "O!y#OOn", &PyDict_Type, &numbers, &special, &n, &value, &text,
                          &self->reader.max_links) ||
        !take_names(&self->reader.names, numbers, 2 * END) || !take_numbers(self, special, n))
        return -1;
    finish_reader(&self->reader, value, text);
    return 0;
}

static PyObject *call(Reader *self, PyObject *args, PyObject *named)
{
    (void)named;
    return call_reader(self, args, outline);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Outliner(numbers, special, value_of, text_of, max_links)\n\n"
                "Called with a page it gives the columns of its outline, and whether there are tags "
                "in titles."},
    {Py_tp_init, init},
    {Py_tp_call, call},
    {Py_tp_dealloc, free_reader},
    {0, NULL},
};

static PyType_Spec spec = {"pagekin.web._outline.Outliner", sizeof(Outliner), 0,
                           Py_TPFLAGS_DEFAULT, slots};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.web._outline",
                                    "Outlines of pages, as pagekin.web.outline makes them.", -1,
                                    NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__outline(void) { return module_of(&module, &spec, "Outliner"); }
