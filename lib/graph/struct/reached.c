/* reached.c - Copies bit-fields by the bits that are set in a constant, and
 * rows by a list of their pointers. The list shows if a row has moved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reached.h"

#include <stdint.h>
#include <string.h>

#include "allocator.h"
#include "field.h"
#include "graph.h"
#include "node.h"
#include "typed_memory.h"
#include "variable.h"

enum { MOST_BITS = 64 };

struct row {
    char *at;
    size_t end; /* size of this row and all before it, in bytes */
};

struct reached {
    struct vv_attachment attachment;
    const varve_field *field;
    char *object;
    struct row *rows;
    size_t row_count;
};

static void free_rows(varve_node *node, struct row *rows, size_t count)
{
    if (rows)
        vv_release(&node->graph->context.allocator, rows, count * sizeof *rows);
}

static void reached_release(varve_node *node, void *self)
{
    struct reached *r = self;
    free_rows(node, r->rows, r->row_count);
}

static const struct vv_attachment_kind kind = {
    .size = sizeof(struct reached),
    .release = reached_release,
};

/* --- Bits ----------------------------------------------------------------- */

/* The bytes of a bit-field, and the order in which its bits increase. */
struct bits {
    const unsigned char *mask;
    size_t begin, end;
    unsigned count;
};

static struct bits reached_bits_of(const varve_field *f)
{
    struct bits b = { f->ones, 0, f->struct_size, 0 };
    while (b.begin < b.end && !b.mask[b.begin])
        b.begin++;
    while (b.begin < b.end && !b.mask[b.end - 1])
        b.end--;
    for (size_t i = b.begin; i < b.end; i++)
        for (unsigned k = 0; k < 8; k++)
            b.count += b.mask[i] >> k & 1u;
    return b;
}

static bool reached_is_little(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one != 0;
}

/* Reads the bits of a number from an object, or writes them. */
static uint64_t move_bits(
    const struct bits *b, unsigned char *object, uint64_t number, bool puts)
{
    unsigned bit = 0;
    uint64_t found = 0;
    for (size_t n = b->begin; n < b->end; n++) {
        size_t i = reached_is_little() ? n : b->begin + (b->end - 1 - n);
        for (unsigned k = 0; k < 8; k++) {
            unsigned one = 1u << k;
            if (!(b->mask[i] & one))
                continue;
            if (puts)
                object[i] = (unsigned char)((object[i] & ~one) |
                                            (number >> bit & 1u) * one);
            found |= (uint64_t)((unsigned)object[i] >> k & 1u) << bit++;
        }
    }
    return found;
}

/* Returns the number that the bits represent. Negative numbers are
 * sign-extended. */
static uint64_t reached_number_of(
    const varve_field *f, const struct bits *b, uint64_t bits)
{
    bool is_below = f->dtype == VARVE_INT64 && bits >> (b->count - 1) & 1u;
    return is_below && b->count < MOST_BITS ? bits | UINT64_MAX << b->count
                                            : bits;
}

static void get_bits(const struct reached *r, void *bytes)
{
    const struct bits b = reached_bits_of(r->field);
    uint64_t number = reached_number_of(
        r->field, &b, move_bits(&b, (unsigned char *)r->object, 0, false));
    bool is_set = number != 0;
    if (r->field->dtype == VARVE_BOOL)
        memcpy(bytes, &is_set, sizeof is_set);
    else
        memcpy(bytes, &number, sizeof number);
}

static varve_status set_bits(const struct reached *r, const void *bytes)
{
    const struct bits b = reached_bits_of(r->field);
    uint64_t number = *(const unsigned char *)bytes != 0, low;
    if (r->field->dtype != VARVE_BOOL)
        memcpy(&number, bytes, sizeof number);
    low = b.count < MOST_BITS ? number & ~(UINT64_MAX << b.count) : number;
    if (reached_number_of(r->field, &b, low) != number)
        return VARVE_LIMIT;
    move_bits(&b, (unsigned char *)r->object, low, true);
    return VARVE_OK;
}

/* --- Rows ----------------------------------------------------------------- */

uint64_t vv_reached_length(
    const varve_field *f, const void *object, uint64_t row)
{
    return f->row_length ? f->row_length(object, (size_t)row)
                         : vv_field_extent(f, object, 1);
}

static uint64_t reached_row_count(const varve_field *f, const void *object)
{
    return vv_field_memory(f, object) ? vv_field_extent(f, object, 0) : 0;
}

static char *row_at(const varve_field *f, const void *object, uint64_t row)
{
    char *at;
    memcpy(&at,
        (const char *)vv_field_memory(f, object) + (size_t)row * sizeof at,
        sizeof at);
    return at;
}

/* Copies a range of the value, row by row. */
static void move_rows(const struct reached *r, uint64_t offset, char *out,
    const char *in, size_t size)
{
    size_t low = 0, high = r->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->rows[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t done = 0; done < size; low++) {
        size_t begin = low ? r->rows[low - 1].end : 0;
        size_t from = (size_t)offset + done - begin;
        size_t part = r->rows[low].end - begin - from;
        if (part > size - done)
            part = size - done;
        if (part && out)
            memcpy(out + done, r->rows[low].at + from, part);
        else if (part)
            memcpy(r->rows[low].at + from, in + done, part);
        done += part;
    }
}

static varve_status reached_copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    const struct reached *r = self;
    if (size && r->field->ones)
        get_bits(r, bytes);
    else
        move_rows(r, offset, bytes, NULL, size);
    return VARVE_OK;
}

static varve_status reached_copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    const struct reached *r = self;
    if (size && r->field->ones)
        return set_bits(r, bytes);
    move_rows(r, offset, NULL, bytes, size);
    return VARVE_OK;
}

/* --- Checks --------------------------------------------------------------- */

static const char *bad_rows(const varve_field *f, const void *object)
{
    uint64_t count = reached_row_count(f, object), size = 0;
    if (f->dtype == VARVE_STRING || !f->is_pointer)
        return "the member is not a pointer to rows of numbers";
    if (f->rank != (f->row_length ? 1 : 2))
        return "this kind of field cannot have these extents";
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = vv_reached_length(f, object, i);
        if (length > (SIZE_MAX / 2 - size) / f->element_size)
            return "the rows do not fit in memory";
        size += length * f->element_size;
        if (length && !row_at(f, object, i))
            return "a row is NULL";
    }
    return NULL;
}

const char *vv_reached_bad(const varve_field *f, const void *object)
{
    if (f->is_row_pointers)
        return f->ones ? "the kind of the field is invalid"
                       : bad_rows(f, object);
    const struct bits b = reached_bits_of(f);
    bool is_number = f->dtype == VARVE_INT64 || f->dtype == VARVE_UINT64;
    if (f->is_pointer || f->rank ||
        !(is_number || (f->dtype == VARVE_BOOL && b.count == 1)) ||
        b.count == 0 || b.count > MOST_BITS)
        return "the member is not a bit-field";
    return NULL;
}

/* --- Variables ------------------------------------------------------------ */

static struct reached *reached_of(const varve_node *node)
{
    return vv_attachment_find(node, &kind);
}

/* Returns the attachment of a node, or NULL if the program has bound it to
 * other memory. */
static const struct reached *over(const varve_node *node)
{
    const struct reached *r = reached_of(node);
    const varve_memory *m =
        node->variable ? node->variable->tensor.memory : NULL;
    return r && m && m->self == r && m->copy_out == reached_copy_out ? r : NULL;
}

static varve_tensor reached_view_of(const varve_field *f, const void *object,
    const varve_memory *memory, uint64_t size)
{
    varve_tensor view =
        varve_view_in(memory, NULL, f->dtype, varve_shape_of(0, NULL));
    if (f->row_length)
        view.shape[view.rank++] = size / f->element_size;
    for (unsigned i = 0; i < f->rank && !f->row_length; i++)
        view.shape[view.rank++] = vv_field_extent(f, object, i);
    return view;
}

/* Records the current rows. Returns false if out of memory; then nothing has
 * changed. */
static bool note_rows(
    varve_node *node, struct reached *r, const varve_field *f, void *object)
{
    const varve_allocator *a = &node->graph->context.allocator;
    size_t count =
        f->is_row_pointers ? (size_t)reached_row_count(f, object) : 0;
    size_t end = 0;
    struct row *rows = count ? vv_allocate_array(a, count, sizeof *rows) : NULL;
    if (count && !rows)
        return false;
    for (size_t i = 0; i < count; i++) {
        end += (size_t)vv_reached_length(f, object, i) * f->element_size;
        rows[i] = (struct row){ row_at(f, object, i), end };
    }
    free_rows(node, r->rows, r->row_count);
    r->rows = rows;
    r->row_count = count;
    r->field = f;
    r->object = object;
    return true;
}

void vv_reached_rebind(
    varve_node *node, const varve_field *f, const void *object)
{
    union {
        const void *read;
        void *write;
    } at = { .read = object };
    struct reached *r = vv_attachment_make(node, &kind);
    varve_memory memory = {
        .copy_out = reached_copy_out, .copy_in = reached_copy_in, .self = r
    };
    if (!r || !note_rows(node, r, f, at.write)) {
        vv_graph_memory_error(node->graph);
        return;
    }
    varve_tensor view = reached_view_of(
        f, object, &memory, r->row_count ? r->rows[r->row_count - 1].end : 0);
    vv_variable_rebind(node, &view);
}

varve_node *vv_reached_new(
    varve_graph *graph, const varve_field *f, const void *object)
{
    const varve_memory memory = { .copy_out = reached_copy_out,
        .copy_in = reached_copy_in };
    varve_node *node = vv_variable_new(graph->root, vv_field_name(f),
        reached_view_of(f, object, &memory, 0), false);
    if (vv_is_nil(node))
        return node;
    vv_reached_rebind(node, f, object);
    if (over(node))
        return node;
    varve_remove(node);
    return &graph->nil;
}

bool vv_reached_is_over(
    const varve_node *node, const varve_field *f, const void *object)
{
    const struct reached *r = over(node);
    size_t end = 0;
    if (!r || r->field != f || r->object != object)
        return false;
    if (f->ones)
        return true;
    if (r->row_count != reached_row_count(f, object))
        return false;
    if (!f->row_length &&
        (node->variable->tensor.shape[0] != vv_field_extent(f, object, 0) ||
            node->variable->tensor.shape[1] != vv_field_extent(f, object, 1)))
        return false;
    for (size_t i = 0; i < r->row_count; i++) {
        end += (size_t)vv_reached_length(f, object, i) * f->element_size;
        if (r->rows[i].at != row_at(f, object, i) || r->rows[i].end != end)
            return false;
    }
    return !f->row_length ||
           node->variable->tensor.shape[0] == end / f->element_size;
}

/* --- Memory --------------------------------------------------------------- */

size_t vv_reached_pieces(const varve_node *node)
{
    const struct reached *r = over(node);
    return !r ? 0 : r->field->ones ? 1 : r->row_count;
}

struct vv_address_range vv_reached_piece(const varve_node *node, size_t piece)
{
    const struct reached *r = over(node);
    if (r->field->ones) {
        const struct bits b = reached_bits_of(r->field);
        const uintptr_t begin = (uintptr_t)r->object;
        return (struct vv_address_range){ begin + b.begin, begin + b.end };
    }
    size_t before = piece ? r->rows[piece - 1].end : 0;
    const uintptr_t begin = (uintptr_t)r->rows[piece].at;
    return (struct vv_address_range){ begin,
        begin + (r->rows[piece].end - before) };
}

bool vv_reached_are_bits(const varve_node *a, const varve_node *b)
{
    const struct reached *r = over(a), *s = over(b);
    return r && s && r->field->ones && s->field->ones;
}

bool vv_reached_share_bits(const varve_node *a, const varve_node *b)
{
    const struct reached *r = over(a), *s = over(b);
    const unsigned char *mask = r->field->ones, *other = s->field->ones;
    for (size_t i = 0; i < r->field->struct_size; i++) {
        const uintptr_t at = (uintptr_t)r->object + i;
        const uintptr_t begin = (uintptr_t)s->object;
        if (at >= begin && at - begin < s->field->struct_size &&
            mask[i] & other[at - begin])
            return true;
    }
    return false;
}

bool vv_reached_alike(const varve_node *a, const varve_node *b)
{
    const struct reached *r = over(a), *s = over(b);
    return r && s && r != s && r->object == s->object &&
           r->field->offset == s->field->offset &&
           (!r->field->ones) == (!s->field->ones) &&
           (!r->field->ones ||
               (r->field->struct_size == s->field->struct_size &&
                   memcmp(r->field->ones, s->field->ones,
                       r->field->struct_size) == 0));
}
