/* struct_memory.c - Allocates the memory and the texts that structs own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "struct_memory.h"

#include <stdint.h>
#include <string.h>

#include "failure.h"
#include "field.h"
#include "fixed_value.h"
#include "graph.h"
#include "reached.h"
#include "state.h"
#include "struct.h"

/* --- Texts ---------------------------------------------------------------- */

/* Saves text up to its NUL. The functions of the program allocate restored
 * text. */

const struct vv_attachment_kind vv_owned_text_kind = {
    .size = sizeof(struct vv_owned_text),
};

static char *text_at(const struct vv_owned_text *o)
{
    char *text;
    memcpy(&text, o->at, sizeof text);
    return text;
}

/* Records address and length of the text. Returns true if one has changed. */
static bool owned_text_note(struct vv_owned_text *o)
{
    char *text = text_at(o);
    size_t size = text ? strlen(text) + 1 : 0;
    bool has_changed = text != o->text || size != o->size;
    o->text = text;
    o->size = size;
    return has_changed;
}

static varve_status owned_text_save(void *self, varve_sink *sink)
{
    const char *text = text_at(self);
    if (text)
        varve_put(sink, text, strlen(text));
    else
        varve_put(sink, "", 1);
    return VARVE_OK;
}

/* A failure does not change the member. */
static varve_status owned_text_load(void *self, const void *bytes, size_t size)
{
    struct vv_owned_text *o = self;
    bool is_null = size == 1 && *(const char *)bytes == '\0';
    if (!is_null && memchr(bytes, '\0', size))
        return VARVE_LIMIT;
    char *text = o->field->resize(text_at(o), is_null ? 0 : size + 1);
    if (!text && !is_null)
        return VARVE_NO_MEMORY;
    if (text) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    memcpy(o->at, &text, sizeof text);
    owned_text_note(o);
    return VARVE_OK;
}

/* Only a load fails, and only for this reason. */
static void owned_text_explain(const void *self, const char *where,
    const void *bytes, size_t size, varve_error *error)
{
    (void)self;
    (void)bytes;
    vv_fail(error, VARVE_CALLBACK,
        "%s: the saved state of %zu bytes contains a NUL, so it is not a text",
        where, size);
}

void vv_owned_text_rebind(
    varve_node *node, const varve_field *field, const void *object)
{
    struct vv_owned_text *o = vv_owned_text_of(node);
    /* The object belongs to the program, which may write to it. */
    union {
        const char *read;
        void *write;
    } at = { .read = (const char *)object + field->offset };
    o->field = field;
    o->at = at.write;
    owned_text_note(o);
    node->graph->has_new_views = true;
}

varve_node *vv_owned_text_new(
    varve_graph *graph, const varve_field *field, const void *object)
{
    static const varve_state_callbacks callbacks = { owned_text_save,
        owned_text_load };
    varve_node *node = vv_state_new(graph, &callbacks, NULL);
    if (vv_is_nil(node))
        return node;
    struct vv_owned_text *o = vv_attachment_make(node, &vv_owned_text_kind);
    if (!o) {
        vv_node_free(node);
        return vv_graph_memory_error(graph);
    }
    vv_owned_text_rebind(node, field, object);
    vv_state_of(node)->self = o;
    vv_state_of(node)->explain = owned_text_explain;
    vv_state_of(node)->is_plain = true;
    node->value_state = VARVE_INITIALIZED;
    return node;
}

bool vv_owned_text_look(
    varve_node *node, const varve_field *field, const void *object)
{
    struct vv_owned_text *o = vv_owned_text_of(node);
    if (o->at != (const char *)object + field->offset)
        return false;
    if (owned_text_note(o))
        node->graph->has_new_views = true;
    return true;
}

/* --- Memory of fields ----------------------------------------------------- */

/* Allocates memory for fields whose pointer is NULL and whose value a file
 * contains. */

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
