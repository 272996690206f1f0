/* struct_allocation.c - Allocates memory for fields whose pointer is NULL and
 * whose value a file contains.
 *
 * SPDX-License-Identifier: MIT
 */
#include "struct_allocation.h"

#include <stdint.h>
#include <string.h>

#include "field.h"
#include "fixed_value.h"
#include "graph.h"
#include "reached.h"
#include "struct.h"

/* Returns true if another field with memory uses the same member as an extent.
 */
static bool struct_allocation_is_taken(const struct vv_struct *about,
    const varve_field *field, const varve_extent *extent)
{
    for (const varve_field *f = about->fields; f->kind; f++)
        for (unsigned i = 0; i < f->rank; i++)
            if (f->extents[i].dtype && f->extents[i].at == extent->at &&
                f != field && !vv_field_waits(f, about->object))
                return true;
    return false;
}

/* Sets the extents, except those that other fields use. Stores the previous
 * ones in `kept`. */
static bool set_extents(varve_node *node, const varve_field *field,
    const uint64_t *extents, uint64_t *kept)
{
    const struct vv_struct *about = vv_struct_of(node);
    bool done = true;
    for (unsigned i = 0; i < field->rank; i++) {
        kept[i] = vv_field_extent(field, about->object, i);
        if (struct_allocation_is_taken(about, field, &field->extents[i]))
            continue;
        done &= vv_field_set_extent(field, about->object, i, extents[i]);
        if (field->extents[i].dtype)
            vv_fixed_value_record_at(
                node, (char *)about->object + field->extents[i].at);
    }
    return done;
}

static bool is_offered(const varve_field *field, const varve_offer *offer)
{
    static const varve_kind kinds[] = { [VARVE_FIELD_IS_VALUE] = VARVE_VARIABLE,
        [VARVE_FIELD_IS_STRUCT] = VARVE_OBJECT,
        [VARVE_FIELD_IS_LIST] = VARVE_LIST };
    return field->kind < VARVE_FIELD_IS_GONE &&
           field->kind != VARVE_FIELD_IS_TEXT && field->room &&
           kinds[field->kind] == offer->kind &&
           vv_field_is_called(field, offer->name) &&
           (!offer->value ||
               offer->value->rank == field->rank + field->has_rows);
}

/* Calls `room` for a number of elements. Returns NULL for 0 elements or if out
 * of memory. */
static void *call_allocate(varve_node *node, const varve_field *field,
    uint64_t count, size_t element_size)
{
    void *memory = NULL;
    char text[256];
    if (count == 0)
        return NULL;
    if (count <= SIZE_MAX / element_size)
        memory = field->room((size_t)count, element_size);
    if (!memory)
        vv_graph_error(node->graph, VARVE_NO_MEMORY,
            "%s: out of memory: room for %llu of %s",
            vv_node_text(node, text, sizeof text), (unsigned long long)count,
            vv_field_name(field));
    return memory;
}

/* Allocates the row pointers and each row. Returns false if an allocation
 * fails. The memory then belongs to the program; missing rows are NULL. */
static bool take_rows(varve_node *node, const varve_field *field)
{
    void *object = vv_struct_of(node)->object;
    uint64_t count = vv_field_extent(field, object, 0);
    char *rows = call_allocate(node, field, count, sizeof rows);
    if (!rows)
        return false;
    memset(rows, 0, (size_t)count * sizeof rows);
    vv_field_point(field, object, rows);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = vv_reached_length(field, object, i);
        void *row = call_allocate(node, field, length, field->element_size);
        if (length && !row)
            return false;
        memcpy(rows + (size_t)i * sizeof row, &row, sizeof row);
    }
    return true;
}

/* Returns true if a count function returns 0 while there is no memory. */
static bool counts_elements(const varve_field *field, const void *object)
{
    return field->count && vv_field_extent(field, object, 0) == 0;
}

/* Allocates as many elements as the struct counts, or, if the count is stored
 * in the memory itself, as the file has. */
static void struct_allocation_take(
    varve_node *node, const varve_field *field, const uint64_t *extents)
{
    void *object = vv_struct_of(node)->object;
    uint64_t count = extents != NULL;
    for (unsigned i = 0; i < field->rank; i++)
        count *= vv_field_extent(field, object, i);
    if (extents && counts_elements(field, object))
        count = extents[0];
    vv_field_point(
        field, object, call_allocate(node, field, count, field->element_size));
}

/* Makes memory for a field that the file has a value for. If another field uses
 * the same count and it differs, the shape does not match, and the read reports
 * that. */
static void struct_allocation_reserve(
    varve_node *node, const varve_field *field, const varve_offer *offer)
{
    const struct vv_struct *about = vv_struct_of(node);
    const uint64_t *extents =
        offer->value ? offer->value->shape : &offer->count;
    uint64_t kept[VV_MAX_EXTENTS];
    bool sets = !field->row_length && !counts_elements(field, about->object);
    bool is_set = !sets || set_extents(node, field, extents, kept);
    bool is_whole = true;
    if (is_set && field->is_row_pointers)
        is_whole = take_rows(node, field);
    else
        struct_allocation_take(node, field, is_set ? extents : NULL);
    if (!is_set || vv_field_waits(field, about->object)) {
        if (sets)
            set_extents(node, field, kept, (uint64_t[VV_MAX_EXTENTS]){ 0 });
    } else if (is_whole &&
               vv_fields_check(node, "", about->fields, about->object, 0)) {
        vv_struct_add_field(node, field);
    }
}

void vv_struct_offered(void *user, varve_node *node, const varve_offer *offer)
{
    const struct vv_struct *about = user;
    for (const varve_field *f = about->fields; f->kind; f++) {
        if (is_offered(f, offer) && vv_field_waits(f, about->object)) {
            struct_allocation_reserve(node, f, offer);
            return;
        }
    }
}
