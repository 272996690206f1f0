/* pieces.c - Reads boxes around the selected elements one after the other.
 *
 * The innermost dimensions are read completely, one dimension is divided into
 * runs, and the outer ones are iterated position by position.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pieces.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DENSE = 8 << 20, MOST_SPARSE = 1 << 20 };

static varve_status fail_memory(varve_error *error)
{
    *error = (varve_error){ .status = VARVE_NO_MEMORY };
    snprintf(error->message, sizeof error->message, "out of memory: a value");
    return VARVE_NO_MEMORY;
}

/* --- Opening ------------------------------------------------------------ */

static bool stays_whole(const struct pieces *p)
{
    return p->node.value.dtype == VARVE_STRING || p->node.size <= MOST_DENSE ||
           (varve_reader_format(p->reader) != VARVE_FORMAT_VARVE &&
               !p->node.file);
}

static varve_status list_strings(struct pieces *p, varve_error *error)
{
    uint64_t size;
    const unsigned char *bytes;
    p->strings = calloc((size_t)p->whole.count + 1, sizeof *p->strings);
    if (!p->strings) {
        value_clear(&p->whole);
        return fail_memory(error);
    }
    for (uint64_t i = 0; (bytes = value_next(&p->whole, &size)); i++)
        p->strings[i] =
            (varve_string){ .data = (const char *)bytes, .size = size };
    return VARVE_OK;
}

varve_status pieces_open(struct pieces *p, varve_reader *reader,
    const varve_saved_node *node, varve_error *error)
{
    *p = (struct pieces){ .reader = reader,
        .node = *node,
        .unit = varve_dtype_size(node->value.dtype) };
    if (!node->has_value || stays_whole(p)) {
        varve_status status = value_read(&p->whole, reader, node, error);
        if (status == VARVE_OK && node->value.dtype == VARVE_STRING)
            status = list_strings(p, error);
        return status;
    }
    p->read = malloc(MOST_DENSE);
    return p->read ? VARVE_OK : fail_memory(error);
}

void pieces_close(struct pieces *p)
{
    value_clear(&p->whole);
    free(p->strings);
    free(p->read);
    free(p->packed);
}

/* --- Division into boxes ------------------------------------------------ */

static bool is_sparse(const struct axis *axis)
{
    return axis->step != 1 || axis->lead < axis->count;
}

static uint64_t whole_span(const struct axis *axis)
{
    uint64_t least;
    return axis_span(axis, 0, axis->count, &least);
}

static uint64_t limit_of(const struct selection *s)
{
    for (uint32_t d = 0; d < s->rank; d++) {
        if (is_sparse(&s->axes[d]))
            return MOST_SPARSE;
    }
    return MOST_DENSE;
}

void pieces_begin(struct pieces *p, const struct selection *s)
{
    p->selection = s;
    p->given = 0;
    p->count = selection_count(s);
    p->limit = limit_of(s);
    p->inner = p->unit;
    p->split = s->rank;
    memset(p->next, 0, sizeof p->next);
    memcpy(p->cut, s->axes, sizeof p->cut);
    if (p->count == 0 || p->whole.bytes)
        p->split = 0;
    while (p->split > 0) {
        uint64_t span = whole_span(&s->axes[p->split - 1]);
        if (span > p->limit / p->inner)
            break;
        p->inner *= span;
        p->split--;
    }
}

/* Returns the number of elements of the divided dimension to read next. */
static uint64_t run_length(const struct pieces *p, const struct axis *axis)
{
    uint64_t first = p->next[p->split - 1];
    uint64_t most = p->limit / p->inner; /* at least 1 */
    uint64_t step = (uint64_t)(axis->step < 0 ? -axis->step : axis->step);
    uint64_t count = (most - 1) / step + 1;
    uint64_t least;
    if (count > axis->count - first)
        count = axis->count - first;
    if (axis_span(axis, first, count, &least) > most)
        /* otherwise it would include skipped positions */
        count = axis->lead - first;
    return count;
}

/* Sets `cut` to the range to read next, and advances. */
static void cut_next(struct pieces *p)
{
    for (uint32_t d = 0; d < p->split; d++) {
        const struct axis *axis = &p->selection->axes[d];
        uint64_t count = d + 1 == p->split ? run_length(p, axis) : 1;
        uint64_t first = p->next[d];
        p->cut[d] = (struct axis){ .start = axis_at(axis, first),
            .step = axis->step,
            .count = count,
            .lead = count };
        if (first < axis->lead && first + count > axis->lead) {
            p->cut[d].lead = axis->lead - first;
            p->cut[d].skipped = axis->skipped;
        }
    }
    if (p->split == 0)
        return;
    p->next[p->split - 1] += p->cut[p->split - 1].count;
    for (uint32_t d = p->split; d-- > 1;) {
        if (p->next[d] < p->selection->axes[d].count)
            break;
        p->next[d] = 0;
        p->next[d - 1]++;
    }
}

/* --- Reading ------------------------------------------------------------ */

/* Copies the selected elements out of a box that begins at `box`. */
static void pack(struct pieces *p, const unsigned char *from,
    const varve_box *box, unsigned char *to)
{
    uint32_t rank = p->selection->rank;
    uint64_t at[VARVE_MAX_RANK] = { 0 };
    const struct axis *last = &p->cut[rank - 1];
    for (uint32_t d = rank; d > 0;) {
        uint64_t row = 0;
        for (uint32_t e = 0; e + 1 < rank; e++)
            row = (row + axis_at(&p->cut[e], at[e]) - box->start[e]) *
                  box->extents[e + 1];
        for (uint64_t i = 0; i < last->count; i++, to += p->unit)
            memcpy(to,
                from +
                    (row + axis_at(last, i) - box->start[rank - 1]) * p->unit,
                p->unit);
        for (d = rank - 1; d > 0 && ++at[d - 1] == p->cut[d - 1].count; d--)
            at[d - 1] = 0;
    }
}

static bool needs_packing(const struct pieces *p, const varve_box *box)
{
    for (uint32_t d = 0; d < p->selection->rank; d++) {
        if (p->cut[d].count != box->extents[d] || p->cut[d].step < 0)
            return true;
    }
    return false;
}

/* Sets *box to the box around the selection, or to the whole value if it is in
 * memory. */
static void find_box(const struct pieces *p, varve_box *box)
{
    *box = (varve_box){ .start = { 0 } };
    for (uint32_t d = 0; d < p->selection->rank; d++) {
        box->extents[d] = p->node.value.shape[d];
        if (!p->whole.bytes)
            box->extents[d] =
                axis_span(&p->cut[d], 0, p->cut[d].count, &box->start[d]);
    }
}

static varve_status make_packed(
    struct pieces *p, uint64_t count, varve_error *error)
{
    if (count <= p->packed_size / p->unit)
        return VARVE_OK;
    free(p->packed);
    p->packed_size = (size_t)count * p->unit;
    p->packed = malloc(p->packed_size);
    if (p->packed)
        return VARVE_OK;
    p->packed_size = 0;
    return fail_memory(error);
}

varve_status pieces_next(
    struct pieces *p, struct piece *piece, varve_error *error)
{
    varve_box box;
    varve_status status = VARVE_OK;
    *piece = (struct piece){ .first = p->given };
    if (p->given == p->count)
        return VARVE_OK;
    cut_next(p);
    find_box(p, &box);
    uint64_t count = 1;
    for (uint32_t d = 0; d < p->selection->rank; d++)
        count *= p->cut[d].count;
    piece->bytes = p->strings ? (const unsigned char *)p->strings
                   : p->read  ? p->read
                              : p->whole.bytes;
    if (p->read)
        status = varve_reader_read_box(
            p->reader, p->node.id, &box, p->read, MOST_DENSE, error);
    if (status == VARVE_OK && needs_packing(p, &box)) {
        status = make_packed(p, count, error);
        if (status == VARVE_OK)
            pack(p, piece->bytes, &box, p->packed);
        piece->bytes = p->packed;
    }
    piece->count = status == VARVE_OK ? count : 0;
    p->given += piece->count;
    return status;
}

/* --- In memory ---------------------------------------------------------- */

static void store64(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

/* Writes strings in the form used in files. */
static void put_strings(struct value *value, const struct piece *piece)
{
    const varve_string *strings = (const void *)piece->bytes;
    unsigned char *to = value->bytes + 8 * value->count;
    for (uint64_t i = 0; i < piece->count; i++) {
        store64(value->bytes + 8 * i, strings[i].size);
        memcpy(to, strings[i].data, (size_t)strings[i].size);
        to += strings[i].size;
    }
    value->offset = 8 * value->count;
}

static uint64_t size_of_strings(const struct piece *piece)
{
    const varve_string *strings = (const void *)piece->bytes;
    uint64_t size = 8 * piece->count;
    for (uint64_t i = 0; i < piece->count; i++)
        size += strings[i].size;
    return size;
}

/* Reads all selected elements. Strings are read all at once. */
static varve_status fill(
    struct value *value, struct pieces *p, varve_error *error)
{
    struct piece piece;
    varve_status status = pieces_next(p, &piece, error);
    if (status != VARVE_OK)
        return status;
    value->node.size =
        p->strings ? size_of_strings(&piece) : p->count * p->unit;
    value->bytes = malloc((size_t)value->node.size + 1);
    if (!value->bytes)
        return fail_memory(error);
    if (p->strings)
        put_strings(value, &piece);
    while (!p->strings && status == VARVE_OK && piece.count > 0) {
        memcpy(value->bytes + piece.first * p->unit, piece.bytes,
            (size_t)piece.count * p->unit);
        status = pieces_next(p, &piece, error);
    }
    return status;
}

varve_status value_read_selected(struct value *value, varve_reader *reader,
    const varve_saved_node *node, const struct selection *selection,
    varve_error *error)
{
    struct pieces pieces;
    *value =
        (struct value){ .node = *node, .count = selection_count(selection) };
    value->node.value = selection_tensor(selection);
    varve_status status = pieces_open(&pieces, reader, node, error);
    if (status != VARVE_OK)
        return status;
    pieces_begin(&pieces, selection);
    status = fill(value, &pieces, error);
    pieces_close(&pieces);
    if (status != VARVE_OK)
        value_clear(value);
    return status;
}
