/* draft.c - Records the nodes, edges and values that a format adds to a draft.
 * draft_path.c and draft_index.c turn them into an index at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "draft_index.h"
#include "draft_parts.h"
#include "draft_path.h"
#include "name.h"
#include "try.h"
#include "typed_memory.h"

/* --- Failures ------------------------------------------------------------- */

void vv_draft_fail(
    struct vv_draft *d, varve_status status, const char *format, ...)
{
    char text[VARVE_MESSAGE_SIZE];
    va_list arguments;
    if (d->failed)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    d->failed = true;
    vv_fail(&d->error, status, "%s", text);
}

static void draft_fail_memory(struct vv_draft *d)
{
    if (!d->failed)
        vv_fail_memory(&d->error, "the index of a checkpoint");
    d->failed = true;
}

static bool draft_check_name(struct vv_draft *d, const char *name, size_t size)
{
    if (vv_name_is_valid(name, size))
        return true;
    vv_draft_fail(d, VARVE_BAD_NAME,
        "%s: \"%.*s\": the name must be 1 to %d bytes of UTF-8 without NUL; it "
        "has %zu bytes",
        d->path, (int)(size < 200 ? size : 200), size ? name : "",
        VARVE_MAX_NAME_SIZE, size);
    return false;
}

/* Returns a copy of a name. `bytes` is NULL if the draft has failed. */
static struct vv_draft_name draft_keep(
    struct vv_draft *d, const char *name, size_t size)
{
    struct vv_draft_name copy = { .size = (uint32_t)size };
    if (d->failed || !draft_check_name(d, name, size))
        return copy;
    copy.bytes = vv_arena_text(&d->strings, name, size);
    if (!copy.bytes)
        draft_fail_memory(d);
    return copy;
}

/* Returns true if no node can have this name, and lists the value or text as
 * left out. */
static bool leave_name_out(
    struct vv_draft *d, const char *name, size_t size, const char *kind)
{
    char what[80];
    if (vv_name_is_valid(name, size))
        return false;
    snprintf(what, sizeof what, "%s under a name that %s", kind,
        vv_name_fault(name, size));
    vv_draft_leave_out_name(d, name, size, what);
    return true;
}

static void draft_add(
    struct vv_draft *d, struct vv_buffer *to, const void *item, size_t size)
{
    if (d->failed)
        return;
    vv_buffer_add(to, item, size);
    if (to->failed)
        draft_fail_memory(d);
}

/* --- Adding --------------------------------------------------------------- */

void vv_draft_begin(
    struct vv_draft *d, const struct vv_context *context, const char *path)
{
    *d = (struct vv_draft){ .context = context, .path = path };
    for (size_t i = 0; i < VV_DRAFT_PARTS; i++)
        vv_buffer_init(&d->parts[i], &context->allocator);
    vv_buffer_init(&d->left_out, &context->allocator);
    vv_buffer_init(&d->left_out_texts, &context->allocator);
    vv_arena_init(&d->strings, &context->allocator);
    vv_kept_init(&d->kept, &context->allocator);
    vv_draft_node(d, VARVE_OBJECT);
}

uint32_t vv_draft_node(struct vv_draft *d, varve_kind kind)
{
    size_t number = d->nodes.size / sizeof(struct vv_draft_node);
    if (d->failed)
        return 0;
    if (number >= VV_NONE) {
        vv_draft_fail(d, VARVE_LIMIT,
            "%s: the graph has too many nodes (the limit is %u)", d->path,
            VV_NONE);
        return 0;
    }
    draft_add(d, &d->nodes, &(struct vv_draft_node){ .kind = kind },
        sizeof(struct vv_draft_node));
    return d->failed ? 0 : (uint32_t)number;
}

void vv_draft_lent_edge(struct vv_draft *d, uint32_t parent, const char *name,
    size_t size, uint32_t child)
{
    draft_add(d, &d->edges,
        &(struct vv_draft_edge){ .name = { name, (uint32_t)size, 0 },
            .parent = parent,
            .child = child },
        sizeof(struct vv_draft_edge));
}

void vv_draft_edge(struct vv_draft *d, uint32_t parent, const char *name,
    size_t size, uint32_t child)
{
    struct vv_draft_name copy = draft_keep(d, name, size);
    vv_draft_lent_edge(d, parent, copy.bytes, size, child);
}

void vv_draft_slot(struct vv_draft *d, uint32_t owner, uint32_t variable,
    const char *name, size_t size, uint32_t node)
{
    struct vv_draft_slot slot = { draft_keep(d, name, size), owner, variable,
        node };
    draft_add(d, &d->slots, &slot, sizeof slot);
}

static void draft_add_value(
    struct vv_draft *d, uint32_t node, const struct vv_draft_value *value)
{
    draft_add(d, &d->values, value, sizeof *value);
    if (!d->failed)
        vv_draft_node_at(d, node)->value =
            (uint32_t)(d->values.size / sizeof *value);
}

void vv_draft_value(struct vv_draft *d, uint32_t node, const varve_tensor *type,
    uint64_t strings_size, const struct vv_place *place)
{
    uint64_t count, size = 0;
    size_t element = vv_dtype_file_size(type->dtype);
    if (d->failed)
        return;
    if (type->rank > VARVE_MAX_RANK ||
        !vv_shape_count(type->rank, type->shape, &count) ||
        !vv_size_of(count, varve_dtype_size(type->dtype), &size)) {
        vv_draft_fail(d, VARVE_CORRUPT,
            "%s: a shape has more than %d dimensions or its size is 2^64 bytes "
            "or more",
            d->path, VARVE_MAX_RANK);
        return;
    }
    struct vv_draft_value value = {
        .dtype = type->dtype,
        .rank = type->rank,
        .extents = d->extents.size / 8,
        .size = !place    ? 0
                : element ? count * element
                          : strings_size,
        .place = place ? *place : (struct vv_place){ 0 },
        .is_saved = place != NULL,
    };
    for (uint32_t i = 0; i < type->rank; i++)
        draft_add(d, &d->extents, &type->shape[i], 8);
    draft_add_value(d, node, &value);
}

void vv_draft_state(struct vv_draft *d, uint32_t node, uint64_t size,
    const struct vv_place *place)
{
    varve_tensor type = { .dtype = VARVE_UINT8, .rank = 1, .shape = { size } };
    vv_draft_value(d, node, &type, 0, place);
}

static void add_label(struct vv_draft *d, struct vv_buffer *to, uint32_t node,
    struct vv_draft_name name, bool is_alias)
{
    struct vv_draft_label label = { name, node, is_alias };
    draft_add(d, to, &label, sizeof label);
}

void vv_draft_global(
    struct vv_draft *d, uint32_t node, const char *name, size_t size)
{
    add_label(d, &d->globals, node, draft_keep(d, name, size), false);
}

void vv_draft_tag(struct vv_draft *d, uint32_t node, const char *tag)
{
    add_label(d, &d->tags, node, draft_keep(d, tag, strlen(tag)), false);
}

void vv_draft_keep(
    struct vv_draft *d, uint32_t node, const void *bytes, size_t size)
{
    if (d->failed)
        return;
    vv_kept_add(&d->kept, node, bytes, size);
    if (vv_kept_failed(&d->kept))
        draft_fail_memory(d);
}

uint32_t vv_draft_path(
    struct vv_draft *d, varve_kind kind, const char *name, size_t size)
{
    uint32_t node = vv_draft_node(d, kind);
    if (d->failed || leave_name_out(d, name, size, "a value"))
        return node;
    struct vv_draft_name copy = draft_keep(d, name, size);
    add_label(d, &d->paths, node, copy, false);
    add_label(d, &d->globals, node, copy, false);
    return node;
}

void vv_draft_alias(
    struct vv_draft *d, const char *name, size_t size, uint32_t node)
{
    if (vv_name_is_valid(name, size))
        add_label(d, &d->paths, node, draft_keep(d, name, size), true);
}

void vv_draft_text(struct vv_draft *d, const char *name, size_t name_size,
    const char *text, size_t size)
{
    if (d->failed || leave_name_out(d, name, name_size, "metadata"))
        return;
    /* One allocation for both: a file can contain very many short texts. */
    char *copy = vv_arena_take(&d->strings, name_size + size + 2);
    if (!copy) {
        draft_fail_memory(d);
        return;
    }
    memcpy(copy, name, name_size);
    copy[name_size] = '\0';
    if (!vv_utf8_is_valid(text, size)) {
        vv_draft_leave_out(
            d, copy, "metadata whose text is not UTF-8 or contains NUL");
        return;
    }
    if (size > 0)
        memcpy(copy + name_size + 1, text, size);
    copy[name_size + 1 + size] = '\0';
    struct vv_draft_pair pair = { copy, copy + name_size + 1,
        d->metadata.size / sizeof pair };
    draft_add(d, &d->metadata, &pair, sizeof pair);
}

/* --- Finishing ------------------------------------------------------------ */

void vv_draft_leave_out(struct vv_draft *d, const char *path, const char *what)
{
    const struct vv_left_out left = { d->left_out_texts.size,
        d->left_out_texts.size + strlen(path) + 1 };
    if (d->failed)
        return;
    vv_buffer_add(&d->left_out, &left, sizeof left);
    vv_buffer_add(&d->left_out_texts, path, strlen(path) + 1);
    vv_buffer_add(&d->left_out_texts, what, strlen(what) + 1);
    if (d->left_out.failed || d->left_out_texts.failed)
        draft_fail_memory(d);
}

void vv_draft_leave_out_name(
    struct vv_draft *d, const char *name, size_t size, const char *what)
{
    enum { MOST_SHOWN = 100 };
    char shown[4 * MOST_SHOWN + 5] = "\"\"";
    size_t at = 0;
    for (size_t i = 0; i < size && i < MOST_SHOWN; i++) {
        unsigned char c = (unsigned char)name[i];
        bool is_plain = c >= 0x20 && c < 0x7f;
        at += (size_t)snprintf(
            shown + at, sizeof shown - at, is_plain ? "%c" : "\\x%02x", c);
    }
    if (size > MOST_SHOWN)
        memcpy(shown + at, "...", 4);
    vv_draft_leave_out(d, shown, what ? what : vv_name_fault(name, size));
}

varve_status vv_draft_end(struct vv_draft *d, struct vv_opened *opened,
    struct vv_place **places, size_t *place_count, varve_error *error)
{
    if (!d->failed)
        vv_draft_resolve_paths(d);
    if (d->context->dots)
        vv_draft_split_dots(d);
    if (d->failed) {
        if (error)
            *error = d->error;
        return d->error.status;
    }
    vv_buffer_swap(&d->left_out, &opened->left_out);
    vv_buffer_swap(&d->left_out_texts, &opened->left_out_texts);
    return vv_draft_make_index(d, opened, places, place_count, error);
}

void vv_draft_clear(struct vv_draft *d)
{
    for (size_t i = 0; i < VV_DRAFT_PARTS; i++)
        vv_buffer_clear(&d->parts[i]);
    vv_buffer_clear(&d->left_out);
    vv_buffer_clear(&d->left_out_texts);
    vv_arena_clear(&d->strings);
    vv_kept_clear(&d->kept);
}
