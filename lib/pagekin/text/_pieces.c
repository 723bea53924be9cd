/* Text to the numbers of its words: class Pieces of pagekin.text.tokens, four times as fast.

Text is UTF-8. Of characters beyond ASCII those of most European text are known here: letters of
Latin-1 and Russian, which are lowered, and punctuation, which separates. So more pieces are plainly
words than in Python, whose words are the same in the end.

A hash table of its own, because each piece of a running text would else be a Python object first.
Its pieces lie one behind the other in one block, so a word takes a third of the memory as well. The
hash has a secret of each process: no page can be written to fill one slot. */

#include "../part.h"

typedef struct {
    uint32_t hash;     /* its lower half */
    uint32_t at, size; /* in the block; a slot without size is free */
    int32_t number; /* below SEVERAL: where its numbers are */
} Slot;

typedef struct {
    PyObject_HEAD
    Slot *slots;
    uint32_t room, used; /* room is a power of two */
    char *block;
    size_t block_size, block_room;
    int32_t *several; /* numbers of pieces that are not one word, the number of them before each */
    size_t several_size, several_room;
    uint64_t secret;
    PyObject *words; /* a list of str: the words by their numbers */
    Py_ssize_t max_letters;
    uint8_t plain[128]; /* what stands for each character of ASCII */
} Pieces;

enum { FIRST_ROOM = 1024, UNKNOWN = -99, SEVERAL = -100 }; /* markers lie above */

/* --- the table --- */

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_of(const char *s, size_t size, uint64_t secret)
{
    uint64_t hash = secret ^ size, word;
    for (; size >= 8; s += 8, size -= 8) {
        memcpy(&word, s, 8);
        hash = mixed(hash ^ word, secret | 1);
    }
    word = 0;
    for (size_t k = 0; k < size; k++)
        word |= (uint64_t)(uint8_t)s[k] << 8 * k;
    return mixed(hash ^ word, 0x9E3779B97F4A7C15u ^ (secret >> 1 | 1));
}

/* The slot of a piece, or the free one where it belongs. */
static Slot *find(Pieces *self, const char *s, size_t size, uint64_t long_hash)
{
    uint32_t hash = (uint32_t)long_hash, last = self->room - 1;
    for (uint32_t k = hash & last;; k = (k + 1) & last) {
        Slot *slot = &self->slots[k];
        if (!slot->size || (slot->hash == hash && slot->size == size &&
                            !memcmp(self->block + slot->at, s, size)))
            return slot;
    }
}

static int grow(Pieces *self)
{
    uint32_t room = self->room ? 2 * self->room : FIRST_ROOM, last = room - 1;
    Slot *slots = calloc(room, sizeof(Slot));
    if (!slots) {
        PyErr_NoMemory();
        return 0;
    }
    for (uint32_t j = 0; j < self->room; j++) {
        if (!self->slots[j].size)
            continue;
        uint32_t k = self->slots[j].hash & last;
        while (slots[k].size)
            k = (k + 1) & last;
        slots[k] = self->slots[j];
    }
    free(self->slots);
    self->slots = slots;
    self->room = room;
    return 1;
}

static int put(Pieces *self, const char *s, size_t size, int32_t number)
{
    if (!size || size > UINT32_MAX - self->block_size) {
        PyErr_SetString(PyExc_ValueError, "no piece, or more than 4 GB of them");
        return 0;
    }
    if (3 * (uint64_t)self->used >= 2 * (uint64_t)self->room && !grow(self))
        return 0;
    uint64_t hash = hash_of(s, size, self->secret);
    Slot *slot = find(self, s, size, hash);
    if (!slot->size) {
        char *block = with_room(self->block, &self->block_room, self->block_size, size, 1);
        if (!block)
            return 0;
        self->block = block;
        memcpy(self->block + self->block_size, s, size);
        slot->hash = (uint32_t)hash;
        slot->at = (uint32_t)self->block_size;
        slot->size = (uint32_t)size;
        self->block_size += size;
        self->used++;
    }
    slot->number = number;
    return 1;
}

/* --- numbers --- */

static int is_made(Pieces *self)
{
    if (!self->words)
        PyErr_SetString(PyExc_TypeError, "these pieces were not made");
    return self->words != NULL;
}

static int is_ascii(const char *s, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if ((uint8_t)s[k] & 0x80)
            return 0;
    return 1;
}

/* A new word; one that is too long is none, and not remembered. */
static int learn(Pieces *self, const char *s, size_t size, size_t letters, int32_t *number)
{
    *number = 0;
    if ((Py_ssize_t)letters > self->max_letters)
        return 1;
    Py_ssize_t next = PyList_Size(self->words);
    PyObject *word = PyUnicode_DecodeUTF8(s, (Py_ssize_t)size, "strict");
    int failed = !word || PyList_Append(self->words, word);
    Py_XDECREF(word);
    *number = (int32_t)next;
    return !failed && put(self, s, size, *number);
}

typedef struct {
    int32_t *at;
    size_t size, room;
} Numbers;

static int append(Numbers *found, const int32_t *numbers, size_t size)
{
    int32_t *more = with_room(found->at, &found->room, found->size, size, sizeof(int32_t));
    if (!more)
        return 0;
    found->at = more;
    memcpy(found->at + found->size, numbers, size * sizeof(int32_t));
    found->size += size;
    return 1;
}

/* A number of Python's, of a word (0 and above) or of a marker; 0 with an error for others. */
static int number_of(PyObject *item, int32_t least, int32_t *number)
{
    long value = PyLong_AsLong(item); /* a TypeError for what is no whole number */
    if (value == -1 && PyErr_Occurred())
        return 0;
    if (value < least || value > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a number of a piece is neither a word's nor a marker's");
        return 0;
    }
    *number = (int32_t)value;
    return 1;
}

/* The numbers in a list of Python's. */
static int append_list(Numbers *found, PyObject *list)
{
    int32_t number;
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "the numbers of a piece are a list");
        return 0;
    }
    for (Py_ssize_t k = 0; k < PyList_Size(list); k++)
        if (!number_of(PyList_GetItem(list, k), UNKNOWN, &number) || !append(found, &number, 1))
            return 0;
    return 1;
}

/* Python looks at what is odd and unknown. */
static int look_closely(PyObject *look_up, const char *s, size_t size, Numbers *found)
{
    PyObject *piece = PyBytes_FromStringAndSize(s, (Py_ssize_t)size);
    PyObject *list = piece ? PyObject_CallFunctionObjArgs(look_up, piece, NULL) : NULL;
    int done = list && append_list(found, list);
    Py_XDECREF(piece);
    Py_XDECREF(list);
    return done;
}

/* --- pieces of a text --- */

typedef struct {
    Pieces *self;
    PyObject *look_up;
    Numbers found;
    char *piece; /* the one that is being read, in lower case */
    size_t size, letters;
    int is_odd; /* only Unicode knows whether it is a word */
} Cutting;

static inline void add(Cutting *cut, uint8_t byte) { cut->piece[cut->size++] = (char)byte; }

/* Append the numbers of the piece that ends here, if there is one. */
static int end_piece(Cutting *cut)
{
    Pieces *self = cut->self;
    size_t size = cut->size, letters = cut->letters;
    int32_t number;
    int is_odd = cut->is_odd;
    if (!size)
        return 1;
    cut->size = cut->letters = 0;
    cut->is_odd = 0;
    Slot *slot = find(self, cut->piece, size, hash_of(cut->piece, size, self->secret));
    if (slot->size && slot->number <= SEVERAL) {
        const int32_t *several = self->several + (SEVERAL - slot->number);
        return append(&cut->found, several + 1, (size_t)several[0]);
    }
    if (slot->size)
        number = slot->number;
    else if (is_odd)
        return look_closely(cut->look_up, cut->piece, size, &cut->found);
    else if (!learn(self, cut->piece, size, letters, &number))
        return 0;
    return append(&cut->found, &number, 1);
}

enum { SEPARATOR, WORD, ODD };

/* What a character of two bytes is; the bytes in lower case. */
static int sort_of_two(uint8_t *first, uint8_t *second)
{
    uint8_t b = *second;
    switch (*first) {
    case 0xC2: /* Latin-1: signs, but for three letters, the soft hyphen, which vanishes, and the
                  dieresis, which may take an accent behind it */
        return b == 0xA8 || b == 0xAA || b == 0xAD || b == 0xB5 || b == 0xBA ? ODD : SEPARATOR;
    case 0xC3: /* its letters */
        if (b == 0x97 || b == 0xB7)
            return SEPARATOR;
        if (b < 0x9F)
            *second = b + 0x20;
        return WORD;
    case 0xD0: /* Cyrillic */
        if (b < 0xB0) {
            *first = b >= 0x90 && b < 0xA0 ? 0xD0 : 0xD1;
            *second = b < 0x90 ? b + 0x10 : b < 0xA0 ? b + 0x20 : b - 0x20;
        }
        return WORD;
    case 0xD1:
        return b < 0xA0 ? WORD : ODD;
    }
    return ODD;
}

/* Of three bytes: general punctuation and the signs of currencies. */
static int sort_of_three(uint8_t a, uint8_t b, uint8_t c)
{
    if (a != 0xE2)
        return ODD;
    if (b == 0x80) /* but for joiners, which vanish */
        return c == 0x8C || c == 0x8D ? ODD : SEPARATOR;
    if (b == 0x81) /* but for another, and two letters */
        return c == 0xA0 || c == 0xB1 || c == 0xBF ? ODD : SEPARATOR;
    return b == 0x82 && c >= 0xA0 ? SEPARATOR : ODD;
}

static inline size_t length_of(uint8_t first)
{
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static int cut_text(Cutting *cut, const uint8_t *s, size_t n)
{
    const uint8_t *plain = cut->self->plain;
    for (size_t i = 0; i < n;) {
        uint8_t byte = s[i];
        if (byte < 0x80) {
            i++;
            if (plain[byte] != ' ') {
                add(cut, plain[byte]);
                cut->letters++;
            } else if (!end_piece(cut))
                return 0;
            continue;
        }
        size_t size = length_of(byte);
        if (size > n - i)
            size = n - i;
        uint8_t two[2] = {byte, size > 1 ? s[i + 1] : 0};
        int sort = size == 2   ? sort_of_two(&two[0], &two[1])
                   : size == 3 ? sort_of_three(byte, s[i + 1], s[i + 2])
                               : ODD;
        if (sort == SEPARATOR) {
            if (!end_piece(cut))
                return 0;
        } else {
            for (size_t k = 0; k < size; k++)
                add(cut, k < 2 ? two[k] : s[i + k]);
            cut->letters++;
            cut->is_odd |= sort == ODD;
        }
        i += size;
    }
    return end_piece(cut);
}

static PyObject *numbers(Pieces *self, PyObject *args)
{
    const char *s;
    Py_ssize_t n;
    PyObject *look_up, *result = NULL;
    if (!is_made(self) || !PyArg_ParseTuple(args, "y#O", &s, &n, &look_up))
        return NULL;
    if ((uint64_t)n > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a text of more than 4 GB");
        return NULL;
    }
    size_t room = (size_t)n / 4 + 16;
    Cutting cut = {.self = self, .look_up = look_up, .piece = malloc((size_t)n + 1)};
    cut.found = (Numbers){malloc(room * sizeof(int32_t)), 0, room};
    if (!cut.found.at || !cut.piece)
        PyErr_NoMemory();
    else if (cut_text(&cut, (const uint8_t *)s, (size_t)n))
        result = PyBytes_FromStringAndSize((char *)cut.found.at,
                                           (Py_ssize_t)(cut.found.size * sizeof(int32_t)));
    free(cut.found.at);
    free(cut.piece);
    return result;
}

/* --- the type --- */

static PyObject *get_number(Pieces *self, PyObject *piece)
{
    char *s;
    Py_ssize_t n;
    if (!is_made(self) || PyBytes_AsStringAndSize(piece, &s, &n))
        return NULL;
    size_t size = (size_t)n;
    Slot *slot = find(self, s, size, hash_of(s, size, self->secret));
    int32_t number = size ? UNKNOWN : 0;
    if (slot->size)
        number = slot->number;
    else if (size && is_ascii(s, size) && !learn(self, s, size, size, &number))
        return NULL;
    return PyLong_FromLong(number);
}

static PyObject *put_piece(Pieces *self, PyObject *args)
{
    const char *s;
    Py_ssize_t n;
    PyObject *list;
    if (!is_made(self) || !PyArg_ParseTuple(args, "y#O!", &s, &n, &PyList_Type, &list))
        return NULL;
    Numbers several = {self->several, self->several_size, self->several_room};
    int32_t count = (int32_t)PyList_Size(list);
    int32_t number = SEVERAL - (int32_t)several.size;
    int done = append(&several, &count, 1) && append_list(&several, list);
    self->several = several.at;
    self->several_room = several.room;
    if (done && count == 1)
        number = several.at[self->several_size + 1];
    else
        self->several_size = several.size;
    if (!done || !put(self, s, (size_t)n, number))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *put_words(Pieces *self, PyObject *args)
{
    PyObject *pieces, *numbers;
    if (!is_made(self) ||
        !PyArg_ParseTuple(args, "O!O!", &PyList_Type, &pieces, &PyList_Type, &numbers))
        return NULL;
    Py_ssize_t count = PyList_Size(pieces);
    if (PyList_Size(numbers) != count) {
        PyErr_SetString(PyExc_ValueError, "each piece has one number");
        return NULL;
    }
    char *s;
    Py_ssize_t n;
    int32_t number;
    for (Py_ssize_t k = 0; k < count; k++)
        if (PyBytes_AsStringAndSize(PyList_GetItem(pieces, k), &s, &n) ||
            !number_of(PyList_GetItem(numbers, k), 0, &number))
            return NULL;
    for (Py_ssize_t k = 0; k < count; k++)
        if (PyBytes_AsStringAndSize(PyList_GetItem(pieces, k), &s, &n) ||
            !number_of(PyList_GetItem(numbers, k), 0, &number) || !put(self, s, (size_t)n, number))
            return NULL;
    Py_RETURN_NONE;
}

static Py_ssize_t length(Pieces *self) { return (Py_ssize_t)self->used; }

static int init(Pieces *self, PyObject *args, PyObject *named)
{
    PyObject *words;
    const char *plain, *secret;
    Py_ssize_t n, n_secret;
    (void)named;
    if (self->words) {
        PyErr_SetString(PyExc_TypeError, "Pieces are made once");
        return -1;
    }
    if (!PyArg_ParseTuple(args, "O!ny#y#", &PyList_Type, &words, &self->max_letters, &plain, &n,
                          &secret, &n_secret))
        return -1;
    if (n_secret != sizeof(self->secret)) {
        PyErr_SetString(PyExc_ValueError, "the secret of the hash has eight bytes");
        return -1;
    }
    if (n < (Py_ssize_t)sizeof(self->plain)) {
        PyErr_SetString(PyExc_ValueError, "a character of ASCII has nothing that stands for it");
        return -1;
    }
    memcpy(self->plain, plain, sizeof(self->plain));
    memcpy(&self->secret, secret, sizeof(self->secret));
    if (!self->room && !grow(self))
        return -1;
    Py_INCREF(words);
    self->words = words;
    return 0;
}

static void dealloc(Pieces *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->words);
    free(self->several);
    free(self->slots);
    free(self->block);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"numbers", (PyCFunction)numbers, METH_VARARGS,
     "The numbers of the pieces of a text, as int32."},
    {"number", (PyCFunction)get_number, METH_O, "The number of one piece."},
    {"put", (PyCFunction)put_piece, METH_VARARGS, "Remember the numbers of a piece."},
    {"put_words", (PyCFunction)put_words, METH_VARARGS, "Remember pieces that are words."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot type_slots[] = {
    {Py_tp_doc, "Pieces(words, max_letters, plain, secret): their numbers; words get new ones."},
    {Py_tp_init, init},
    {Py_tp_methods, methods},
    {Py_sq_length, length},
    {Py_tp_dealloc, dealloc},
    {0, NULL},
};

static PyType_Spec spec = {"pagekin.text._pieces.Pieces", sizeof(Pieces), 0,
                           Py_TPFLAGS_DEFAULT, type_slots};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "pagekin.text._pieces",
                                    "Pieces of text to numbers, as pagekin.text.tokens says them.",
                                    -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__pieces(void)
{
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (!made || !type || PyModule_AddObjectRef(made, "Pieces", type))
        Py_CLEAR(made);
    Py_XDECREF(type);
    return with_version(made);
}
