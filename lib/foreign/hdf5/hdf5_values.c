/* hdf5_values.c - Adds datasets with their types and shapes, and limits the
 * size of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_values.h"

#include <stdio.h>
#include <string.h>

#include "dtype.h"
#include "failure.h"
#include "name.h"
#include "shape.h"

/* Maximum expansion of deflate. Filters that expand more, and fill values that
 * are not stored, use up `spare`. */
enum { MOST_INFLATED = 1032 };

/* --- Datasets that are not read ------------------------------------------- */

static varve_status add_mark(
    struct vv_hdf5_graph *g, const char *tag, const char *what, uint32_t *node)
{
    char text[VV_HDF5_TEXT_SIZE + 32];
    snprintf(text, sizeof text, "hdf5:%s%s%s", tag, *what ? ":" : "", what);
    *node = vv_draft_node(g->draft, VARVE_OBJECT);
    /* The text may be cut within a character. */
    vv_draft_tag(g->draft, *node,
        vv_name_is_valid(text, strlen(text)) ? text : "hdf5:unknown");
    return VARVE_OK;
}

/* --- Sizes ---------------------------------------------------------------- */

/* Returns true if a value can have this size: it fits the bytes that the file
 * stores for it and that no other value has used, or the remaining spare
 * bytes. */
static bool may_take(
    struct vv_hdf5_graph *g, const struct vv_hdf5_object *what, uint64_t size)
{
    uint64_t held = what->storage < g->stored ? what->storage : g->stored;
    uint64_t most = size > what->chunk ? size : what->chunk;
    uint64_t packed =
        held > UINT64_MAX / MOST_INFLATED ? UINT64_MAX : held * MOST_INFLATED;
    uint64_t over = most > packed ? most - packed : 0;
    if (over > g->spare)
        return false;
    g->spare -= over;
    g->stored -= held;
    return true;
}

/* Sets the shape, the number of elements and the size of a dataset. Returns
 * false if they are out of range. */
static bool hdf5_values_take_shape(const struct vv_hdf5_object *what,
    varve_tensor *type, uint64_t *count, uint64_t *size)
{
    if (what->rank > VARVE_MAX_RANK)
        return false;
    type->dtype = what->type.dtype;
    type->rank = what->rank;
    for (uint32_t i = 0; i < what->rank; i++)
        type->shape[i] = what->extents[i];
    uint64_t element = !type->dtype ? what->type.size
                       : type->dtype == VARVE_STRING
                           ? sizeof(varve_string)
                           : vv_dtype_file_size(type->dtype);
    return vv_shape_count(type->rank, type->shape, count) &&
           vv_size_of(*count, element, size) && *size < INT64_MAX;
}

/* --- Values --------------------------------------------------------------- */

struct dataset {
    const struct vv_hdf5_object *what;
    struct vv_hdf5_made made;
    varve_tensor type;
    uint64_t size;
};

static varve_status hdf5_values_note_made(struct vv_hdf5_graph *g,
    const struct vv_hdf5_made *made, struct vv_place *place)
{
    struct vv_hdf5_source *s = g->source;
    *place = (struct vv_place){ .file = VV_DECODED,
        .offset = s->made.size / sizeof *made };
    vv_buffer_add(&s->made, made, sizeof *made);
    return s->made.failed ? vv_fail_memory(g->error, "values of an HDF5 file")
                          : VARVE_OK;
}

static bool hdf5_values_add_size(void *user, const char *text, size_t size)
{
    (void)text;
    *(uint64_t *)user += 8 + size;
    return true;
}

/* Handles strings whose size cannot be determined, which requires reading them:
 * the dataset is left out. Detecting that strings are too long takes as long as
 * reading them, so only a few such datasets are allowed. */
static varve_status leave_texts_out(struct vv_hdf5_graph *g,
    const struct dataset *d, const varve_error *said, uint32_t *node)
{
    if (said->status == VARVE_TOO_NEW)
        return add_mark(g, "filters", "", node);
    if (said->status != VARVE_LIMIT || g->too_long == 0)
        return vv_hdf5_tell(g->source, d->made.name, said, g->error);
    g->too_long--;
    return add_mark(g, "size", "", node);
}

static varve_status hdf5_values_add_texts(
    struct vv_hdf5_graph *g, const struct dataset *d, uint32_t *node)
{
    struct vv_place place;
    varve_error said = { VARVE_OK, 0, "" };
    uint64_t size = 0;
    varve_status status =
        g->source->calls->strings(g->source->file, d->made.object,
            vv_hdf5_most_text(g->source), hdf5_values_add_size, &size, &said);
    if (status)
        return leave_texts_out(g, d, &said, node);
    *node = vv_draft_node(g->draft, VARVE_VARIABLE);
    status = hdf5_values_note_made(g, &d->made, &place);
    vv_draft_value(g->draft, *node, &d->type, size, &place);
    return status;
}

static varve_status hdf5_values_add_numbers(
    struct vv_hdf5_graph *g, const struct dataset *d, uint32_t *node)
{
    const struct vv_hdf5_object *what = d->what;
    struct vv_place place = { .offset = g->source->base + what->offset };
    bool is_there = what->is_stored && what->storage == d->size &&
                    d->size > 0 && (what->type.is_plain || !d->type.dtype);
    varve_status status =
        is_there ? VARVE_OK : hdf5_values_note_made(g, &d->made, &place);
    *node =
        vv_draft_node(g->draft, d->type.dtype ? VARVE_VARIABLE : VARVE_STATE);
    if (d->type.dtype)
        vv_draft_value(g->draft, *node, &d->type, 0, &place);
    else
        vv_draft_state(g->draft, *node, d->size, &place);
    return status;
}

static varve_status hdf5_values_add_bytes(
    struct vv_hdf5_graph *g, const struct dataset *d, uint32_t *node)
{
    char tag[sizeof d->what->type.name + 8];
    varve_status status = hdf5_values_add_numbers(g, d, node);
    snprintf(tag, sizeof tag, "hdf5:%s", d->what->type.name);
    if (strcmp(d->what->type.name, "state") != 0) /* as written by Varve */
        vv_draft_tag(g->draft, *node, tag);
    return status;
}

/* Adds a dataset without elements, of which only the type is known. */
static varve_status add_null(
    struct vv_hdf5_graph *g, const varve_tensor *type, uint32_t *node)
{
    *node = vv_draft_node(g->draft, VARVE_VARIABLE);
    vv_draft_value(g->draft, *node, type, 0, NULL);
    return VARVE_OK;
}

varve_status vv_hdf5_add_value(struct vv_hdf5_graph *g, uint64_t object,
    const struct vv_hdf5_object *what, const char *name, uint32_t *node)
{
    struct dataset d = { .what = what,
        .made = { .object = object, .name = name } };
    if (what->is_elsewhere)
        return add_mark(g, "elsewhere", what->what, node);
    if (!what->type.dtype && (!what->type.has_bytes || what->is_null))
        return add_mark(g, what->type.name, "", node);
    if (what->is_piled)
        return add_mark(g, "filters", "", node);
    if (!hdf5_values_take_shape(what, &d.type, &d.made.count, &d.size) ||
        !may_take(g, what, d.size))
        return add_mark(g, "size", "", node);
    d.made.is_text = d.type.dtype == VARVE_STRING;
    if (what->is_null)
        return add_null(g, &d.type, node);
    if (d.made.is_text)
        return hdf5_values_add_texts(g, &d, node);
    return d.type.dtype ? hdf5_values_add_numbers(g, &d, node)
                        : hdf5_values_add_bytes(g, &d, node);
}
