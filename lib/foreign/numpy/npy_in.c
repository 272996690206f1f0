/* npy_in.c - Parses the signature, the length, the dictionary and the type of
 * an array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_in.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "try.h"
#include "typed_memory.h"

/* --- Types ---------------------------------------------------------------- */

struct known {
    char letter;
    unsigned size;
    varve_dtype dtype;
    const char *descr; /* as written to files */
};

static const struct known known[] = {
    { 'b', 1, VARVE_BOOL, "|b1" },
    { 'i', 1, VARVE_INT8, "|i1" },
    { 'i', 2, VARVE_INT16, "<i2" },
    { 'i', 4, VARVE_INT32, "<i4" },
    { 'i', 8, VARVE_INT64, "<i8" },
    { 'u', 1, VARVE_UINT8, "|u1" },
    { 'u', 2, VARVE_UINT16, "<u2" },
    { 'u', 4, VARVE_UINT32, "<u4" },
    { 'u', 8, VARVE_UINT64, "<u8" },
    { 'f', 2, VARVE_FLOAT16, "<f2" },
    { 'f', 4, VARVE_FLOAT32, "<f4" },
    { 'f', 8, VARVE_FLOAT64, "<f8" },
    { 'c', 8, VARVE_COMPLEX64, "<c8" },
    { 'c', 16, VARVE_COMPLEX128, "<c16" },
    { 0, 2, VARVE_BFLOAT16, "<V2" },
    { 0, 1, VARVE_FLOAT8_E4M3FN, "|V1" },
    { 0, 1, VARVE_FLOAT8_E5M2, "|V1" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* Numbers of other sizes (long double), raw bytes, dates and durations. */
static const char others[] = "fcVMm";

static bool is_order(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '|';
}

bool vv_npy_is_object(const char *descr, size_t size)
{
    if (size > 0 && is_order(*descr)) {
        descr++;
        size--;
    }
    if (size == 0 || *descr != 'O')
        return false;
    for (size_t i = 1; i < size; i++) {
        if (descr[i] < '0' || descr[i] > '9')
            return false;
    }
    return true;
}

/* Returns true if the text is empty or a unit of a date, such as "[ns]" or
 * "[25us]". */
static bool is_unit(const char *at, size_t size)
{
    if (size == 0)
        return true;
    if (size < 3 || size > 16 || at[0] != '[' || at[size - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < size; i++) {
        bool is_digit = at[i] >= '0' && at[i] <= '9';
        if (!is_digit && !(at[i] >= 'a' && at[i] <= 'z') &&
            !(at[i] >= 'A' && at[i] <= 'Z') && at[i] != '/')
            return false;
    }
    return true;
}

static void set_kind(struct vv_npy_header *h, char letter, uint64_t size)
{
    h->item_size = size;
    h->kind = VV_NPY_OPAQUE;
    if (letter == 'S' || letter == 'U') {
        h->kind = letter == 'S' ? VV_NPY_BYTES : VV_NPY_TEXT;
        h->item_size = letter == 'S' ? size : 4 * size;
        h->type.dtype = VARVE_STRING;
    }
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (known[i].letter == letter && known[i].size == size) {
            h->kind = VV_NPY_NUMBERS;
            h->type.dtype = known[i].dtype;
        }
    }
}

bool vv_npy_read_type(struct vv_npy_header *h)
{
    const char *at = h->descr, *end = at + h->descr_size;
    uint64_t size = 0;
    if (at < end && is_order(*at))
        h->is_big_endian = *at++ == '>';
    if (end - at < 2)
        return false;
    char letter = *at++;
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9' && size <= INT32_MAX)
        size = 10 * size + (uint64_t)(*at++ - '0');
    if (letter == 0 || at == digits || size > INT32_MAX)
        return false;
    bool is_date = letter == 'M' || letter == 'm';
    if (is_date ? size != 8 || !is_unit(at, (size_t)(end - at)) : at != end)
        return false;
    set_kind(h, letter, size);
    return h->kind != VV_NPY_OPAQUE || strchr(others, letter);
}

const char *vv_npy_type_of(varve_dtype dtype)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (known[i].dtype == dtype)
            return known[i].descr;
    }
    return NULL;
}

/* --- The header ----------------------------------------------------------- */

#define MAGIC "\x93NUMPY"

enum { MAGIC_SIZE = 6, DEEPEST = 64, LONGEST_TAG = 4096 };

/* --- Signature, version and length ---------------------------------------- */

bool vv_npy_is_one(const void *head, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(head, MAGIC, MAGIC_SIZE) == 0;
}

varve_status vv_npy_measure(const unsigned char *bytes, const char *where,
    uint64_t *data_offset, varve_error *error)
{
    if (!vv_npy_is_one(bytes, VV_NPY_BEGIN))
        return vv_fail(
            error, VARVE_NOT_A_CHECKPOINT, "%s: not a NumPy array", where);
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: version at byte 6: expected 1.0, 2.0 or 3.0, found %u.%u",
            where, major, minor);
    uint32_t size = bytes[8] | (uint32_t)bytes[9] << 8;
    uint32_t before = 10;
    if (major > 1) {
        size |= (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24;
        before = 12;
    }
    if (size > VV_NPY_LONGEST - 12)
        return vv_fail(error, VARVE_LIMIT,
            "%s: header at byte %" PRIu32
            ": the limit is %d bytes, it has %" PRIu32,
            where, before, VV_NPY_LONGEST - 12, size);
    if (size < 2)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: header at byte %" PRIu32
            ": expected a dictionary, found only %" PRIu32 " bytes",
            where, before, size);
    *data_offset = before + size;
    return VARVE_OK;
}

/* --- The dictionary ------------------------------------------------------- */

struct text {
    const unsigned char *bytes;
    size_t at, end;
    const char *where;
    varve_error *error;
};

static varve_status expected(const struct text *t, const char *what)
{
    if (t->at >= t->end)
        return vv_fail(t->error, VARVE_CORRUPT,
            "%s: header at byte %zu: expected %s, found the end", t->where,
            t->at, what);
    unsigned char c = t->bytes[t->at];
    bool is_shown = c > ' ' && c < 127;
    return vv_fail(t->error, VARVE_CORRUPT,
        is_shown ? "%s: header at byte %zu: expected %s, found '%c'"
                 : "%s: header at byte %zu: expected %s, found byte %d",
        t->where, t->at, what, c);
}

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static void npy_in_skip_space(struct text *t)
{
    while (t->at < t->end && is_space(t->bytes[t->at]))
        t->at++;
}

/* Skips a character if it is the next one. Returns true if it is. */
static bool npy_in_take(struct text *t, char c)
{
    npy_in_skip_space(t);
    if (t->at >= t->end || t->bytes[t->at] != (unsigned char)c)
        return false;
    t->at++;
    return true;
}

static varve_status npy_in_need(struct text *t, char c, const char *what)
{
    return npy_in_take(t, c) ? VARVE_OK : expected(t, what);
}

static bool take_word(struct text *t, const char *word)
{
    size_t size = strlen(word);
    npy_in_skip_space(t);
    if (t->end - t->at < size || memcmp(t->bytes + t->at, word, size) != 0)
        return false;
    t->at += size;
    return true;
}

/* Reads a quoted string, without unescaping it. Escape sequences are an error
 * unless `may_escape`. */
static varve_status npy_in_read_string(
    struct text *t, bool may_escape, const char **string, size_t *size)
{
    npy_in_skip_space(t);
    unsigned char quote = t->at < t->end ? t->bytes[t->at] : 0;
    if (quote != '\'' && quote != '"')
        return expected(t, "a string");
    size_t begin = ++t->at;
    for (; t->at < t->end && t->bytes[t->at] != quote; t->at++) {
        unsigned char c = t->bytes[t->at];
        if (c < ' ' || (c == '\\' && !may_escape))
            return expected(t, "the end of the string");
        if (c == '\\' && ++t->at >= t->end)
            break;
    }
    if (t->at >= t->end)
        return expected(t, "the end of the string");
    *string = (const char *)t->bytes + begin;
    *size = t->at++ - begin;
    return VARVE_OK;
}

static varve_status fail_pickled(const struct text *t)
{
    return vv_fail(t->error, VARVE_NOT_A_CHECKPOINT,
        "%s: the array contains Python objects saved with pickle: save it "
        "again with allow_pickle=False",
        t->where);
}

/* Reads a string inside the list of a structured type. A string directly after
 * a parenthesis is a name; any other may be a type and must not be that of
 * Python objects. */
static varve_status read_list_string(struct text *t, unsigned char before)
{
    const char *string;
    size_t size;
    VV_TRY(npy_in_read_string(t, true, &string, &size));
    if (before != '(' && vv_npy_is_object(string, size))
        return fail_pickled(t);
    return VARVE_OK;
}

/* Reads a list of tuples, nested up to DEEPEST; one bit for each open bracket
 * is 1 if it is square. */
static varve_status npy_in_read_list(struct text *t, struct vv_npy_header *h)
{
    uint64_t is_square = 0;
    unsigned depth = 0;
    unsigned char c, before = 0;
    size_t begin = t->at;
    do {
        npy_in_skip_space(t);
        if (t->at >= t->end)
            return expected(t, "the end of the list");
        c = t->bytes[t->at];
        if (c == '\'' || c == '"') {
            VV_TRY(read_list_string(t, before));
        } else if (c == '[' || c == '(') {
            if (depth == DEEPEST)
                return expected(t, "fewer nested brackets");
            is_square = is_square << 1 | (c == '[');
            depth++;
            t->at++;
        } else if (c == ']' || c == ')') {
            if ((is_square & 1) != (c == ']'))
                return expected(t, "the matching bracket");
            is_square >>= 1;
            depth--;
            t->at++;
        } else if (c == ',' || (c >= '0' && c <= '9')) {
            t->at++;
        } else {
            return expected(t, "a list");
        }
        before = c;
    } while (depth > 0);
    h->kind = VV_NPY_OPAQUE;
    h->is_structured = true;
    h->descr = (const char *)t->bytes + begin;
    h->descr_size = t->at - begin;
    return VARVE_OK;
}

static varve_status read_descr(struct text *t, struct vv_npy_header *h)
{
    npy_in_skip_space(t);
    if (t->at < t->end && t->bytes[t->at] == '[')
        return npy_in_read_list(t, h);
    size_t at = t->at;
    VV_TRY(npy_in_read_string(t, false, &h->descr, &h->descr_size));
    if (vv_npy_is_object(h->descr, h->descr_size))
        return fail_pickled(t);
    if (vv_npy_read_type(h))
        return VARVE_OK;
    t->at = at + 1;
    return expected(t, "a type such as <f4");
}

static varve_status npy_in_read_order(struct text *t, struct vv_npy_header *h)
{
    h->is_fortran = take_word(t, "True");
    if (!h->is_fortran && !take_word(t, "False"))
        return expected(t, "True or False");
    return VARVE_OK;
}

/* Reads a number. Python 2 appended an L to some numbers. */
static varve_status npy_in_read_extent(struct text *t, uint64_t *extent)
{
    npy_in_skip_space(t);
    size_t begin = t->at;
    while (t->at < t->end && t->bytes[t->at] >= '0' && t->bytes[t->at] <= '9')
        t->at++;
    if (!vv_parse_decimal(
            (const char *)t->bytes + begin, t->at - begin, extent)) {
        t->at = begin;
        return expected(t, "a 64-bit number");
    }
    if (t->at < t->end && t->bytes[t->at] == 'L')
        t->at++;
    return VARVE_OK;
}

/* Reads a tuple; one with a single number has a trailing comma. */
static varve_status npy_in_read_shape(struct text *t, struct vv_npy_header *h)
{
    uint32_t rank = 0;
    bool has_comma = false;
    VV_TRY(npy_in_need(t, '(', "a tuple"));
    while (!npy_in_take(t, ')')) {
        if (rank > 0 && !has_comma)
            return expected(t, "a comma");
        if (rank == VARVE_MAX_RANK)
            return vv_fail(t->error, VARVE_LIMIT,
                "%s: header at byte %zu: the shape has more than %d dimensions",
                t->where, t->at, VARVE_MAX_RANK);
        VV_TRY(npy_in_read_extent(t, &h->type.shape[rank]));
        rank++;
        has_comma = npy_in_take(t, ',');
    }
    if (rank == 1 && !has_comma)
        return expected(t, "a tuple of one number, (N,)");
    h->type.rank = rank;
    return VARVE_OK;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

static varve_status npy_in_read_key(struct text *t, unsigned *key)
{
    static const struct {
        const char *name;
        unsigned key;
    } keys[] = {
        { "descr", DESCR },
        { "fortran_order", ORDER },
        { "shape", SHAPE },
    };
    const char *name;
    size_t size, at = t->at;
    VV_TRY(npy_in_read_string(t, false, &name, &size));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].name) == size &&
            memcmp(keys[i].name, name, size) == 0) {
            *key = keys[i].key;
            return npy_in_need(t, ':', "a colon");
        }
    }
    t->at = at;
    return expected(t, "descr, fortran_order or shape");
}

static varve_status npy_in_read_entry(
    struct text *t, struct vv_npy_header *h, unsigned *seen)
{
    unsigned key = 0;
    size_t at = t->at;
    VV_TRY(npy_in_read_key(t, &key));
    if (*seen & key) {
        t->at = at;
        return expected(t, "each key only once");
    }
    *seen |= key;
    if (key == DESCR)
        return read_descr(t, h);
    return key == ORDER ? npy_in_read_order(t, h) : npy_in_read_shape(t, h);
}

static varve_status read_dictionary(struct text *t, struct vv_npy_header *h)
{
    unsigned seen = 0;
    bool has_comma = true;
    VV_TRY(npy_in_need(t, '{', "a dictionary"));
    while (!npy_in_take(t, '}')) {
        if (!has_comma)
            return expected(t, "a comma");
        VV_TRY(npy_in_read_entry(t, h, &seen));
        has_comma = npy_in_take(t, ',');
    }
    if (seen != ALL) {
        t->at--;
        return expected(t, "descr, fortran_order and shape");
    }
    npy_in_skip_space(t);
    return t->at == t->end ? VARVE_OK : expected(t, "spaces");
}

varve_status vv_npy_parse(struct vv_npy_header *h, const unsigned char *bytes,
    size_t size, const char *where, varve_error *error)
{
    struct text t = {
        .bytes = bytes, .end = size, .where = where, .error = error
    };
    *h = (struct vv_npy_header){ .version = bytes[6] };
    t.at = bytes[6] == 1 ? 10 : 12;
    if (h->version == 3 &&
        !vv_utf8_is_valid((const char *)bytes + t.at, size - t.at))
        return expected(&t, "UTF-8 without NUL");
    VV_TRY(read_dictionary(&t, h));
    if (!vv_shape_count(h->type.rank, h->type.shape, &h->count) ||
        !vv_size_of(h->count, h->item_size, &h->size))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the size of the array does not fit in 64 bits", where);
    return VARVE_OK;
}

/* --- Size and layout ------------------------------------------------------ */

static varve_status npy_in_take_fields(struct vv_npy_header *h, uint64_t found,
    const char *where, varve_error *error)
{
    if (h->count ? found % h->count : found)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected equally many bytes for each of %" PRIu64
            " elements, found %" PRIu64 " bytes in total",
            where, h->count, found);
    h->size = found;
    h->item_size = h->count ? found / h->count : 0;
    return VARVE_OK;
}

varve_status vv_npy_take_size(struct vv_npy_header *h, uint64_t found,
    const char *where, varve_error *error)
{
    if (h->is_structured)
        return npy_in_take_fields(h, found, where, error);
    if (found != h->size)
        return vv_fail(error, found < h->size ? VARVE_TRUNCATED : VARVE_CORRUPT,
            "%s: expected %" PRIu64 " bytes after the header, found %" PRIu64,
            where, h->size, found);
    /* Elements of size 0 (S0) would allow any number of them. */
    if (h->item_size == 0 && h->count > VV_NPY_LONGEST)
        return vv_fail(error, VARVE_LIMIT,
            "%s: at most %d elements of size 0 are supported, the array has "
            "%" PRIu64,
            where, VV_NPY_LONGEST, h->count);
    return VARVE_OK;
}

/* Returns true if the Fortran order differs from the row-major order. */
static bool is_turned(const struct vv_npy_header *h)
{
    unsigned long_ones = 0;
    for (uint32_t i = 0; i < h->type.rank; i++)
        long_ones += h->type.shape[i] > 1;
    return h->is_fortran && long_ones > 1 && h->count > 0;
}

bool vv_npy_is_plain(const struct vv_npy_header *h)
{
    if (h->kind == VV_NPY_OPAQUE)
        return true;
    return h->kind == VV_NPY_NUMBERS && !is_turned(h) &&
           (!h->is_big_endian || h->item_size == 1);
}

/* Before version 3 the text is Latin-1. */
void vv_npy_tag(const struct vv_npy_header *h, struct vv_buffer *tag)
{
    const char *at = h->descr, *end = at + h->descr_size;
    vv_buffer_add_string(tag, "numpy:");
    if (h->descr_size > LONGEST_TAG) {
        vv_buffer_add_string(tag, "[...]");
        return;
    }
    if (!h->is_structured && h->descr_size > 1 && at[1] == 'V')
        at++;
    for (; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        if (c >= 128 && h->version < 3) {
            vv_buffer_add8(tag, (uint8_t)(0xc0 | c >> 6));
            vv_buffer_add8(tag, (uint8_t)(0x80 | (c & 63)));
        } else {
            vv_buffer_add8(tag, c);
        }
    }
}
