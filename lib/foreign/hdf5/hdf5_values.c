/* hdf5_values.c - Adds datasets with their types and shapes, limits the size of
 * values, and formats attributes as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json_out.h"
#include "name.h"
#include "typed_memory.h"

/* --- Attributes ----------------------------------------------------------- */

enum { MOST_SHOWN = 64 }; /* elements of an attribute */

struct addition {
    struct vv_hdf5_graph *graph;
    size_t item;
    varve_status status;
};

/* --- Attributes that are left out ----------------------------------------- */

/* Returns true for names of layers and weights, which Keras splits into several
 * attributes if they are long (`layer_names0`), and for dimension scales. */
static bool is_bookkeeping(const char *name)
{
    static const char *const names[] = { "layer_names", "weight_names", "CLASS",
        "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS",
        "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties",
        "_nc3_strict" };
    size_t size = strlen(name);
    while (size > 0 && name[size - 1] >= '0' && name[size - 1] <= '9')
        size--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t known = strlen(names[i]);
        if (strcmp(name, names[i]) == 0 ||
            (i < 2 && size == known && memcmp(name, names[i], known) == 0))
            return true;
    }
    return false;
}

/* Returns true for the `dtype` that Keras stores for a value, which the dataset
 * already has. */
static bool is_type(const struct addition *t, const char *name)
{
    return strcmp(name, "dtype") == 0 &&
           !vv_hdf5_item_at(t->graph, t->item)->is_group;
}

/* --- Values --------------------------------------------------------------- */

static void hdf5_texts_add_number(
    struct vv_buffer *text, const struct vv_hdf5_attribute *a, size_t i)
{
    char digits[40];
    switch (a->kind) {
    case VV_HDF5_INTEGER:
        snprintf(digits, sizeof digits, "%" PRId64,
            ((const int64_t *)a->numbers)[i]);
        break;
    case VV_HDF5_NATURAL:
        snprintf(digits, sizeof digits, "%" PRIu64,
            ((const uint64_t *)a->numbers)[i]);
        break;
    case VV_HDF5_REAL:
        snprintf(
            digits, sizeof digits, "%.17g", ((const double *)a->numbers)[i]);
        vv_set_point(digits);
        break;
    }
    vv_buffer_add_string(text, digits);
}

/* Returns false if an element is not UTF-8 text without NUL. */
static bool hdf5_texts_add_element(
    struct vv_buffer *text, const struct vv_hdf5_attribute *a, size_t i)
{
    if (!a->texts) {
        hdf5_texts_add_number(text, a, i);
        return true;
    }
    if (!vv_utf8_is_valid(a->texts[i].data, (size_t)a->texts[i].size))
        return false;
    if (a->is_scalar)
        vv_buffer_add(text, a->texts[i].data, (size_t)a->texts[i].size);
    else
        vv_json_add_string(text, a->texts[i].data, (size_t)a->texts[i].size);
    return true;
}

static bool hdf5_texts_add_value(
    struct vv_buffer *text, const struct vv_hdf5_attribute *a)
{
    bool is_text = a->count <= MOST_SHOWN;
    if (!a->is_scalar)
        vv_buffer_add8(text, '[');
    for (size_t i = 0; i < a->count && is_text; i++) {
        if (i > 0)
            vv_buffer_add_string(text, ", ");
        is_text = hdf5_texts_add_element(text, a, i);
    }
    if (!a->is_scalar)
        vv_buffer_add8(text, ']');
    return is_text;
}

/* --- Entry points --------------------------------------------------------- */

static bool hdf5_texts_add_name(struct addition *t, const char *name)
{
    struct vv_buffer *text = &t->graph->text;
    const struct vv_hdf5_item *item = vv_hdf5_item_at(t->graph, t->item);
    if (t->item > 0) {
        vv_buffer_add_string(text, item->path);
        vv_buffer_add8(text, '@');
    }
    vv_buffer_add_string(text, name);
    return text->failed ||
           vv_name_is_valid((const char *)text->data, text->size);
}

static bool hdf5_texts_fail(struct addition *t, varve_status status)
{
    t->status = status;
    return false;
}

/* Lists an attribute with its path as left out. The total size of these paths
 * is limited like that of texts. */
static bool hdf5_texts_leave_out(void *user, const char *name)
{
    struct addition *t = user;
    struct vv_buffer *path = &t->graph->text;
    const struct vv_hdf5_item *item = vv_hdf5_item_at(t->graph, t->item);
    bool is_text = vv_utf8_is_valid(name, strlen(name));
    vv_emptied(path);
    vv_buffer_add_string(path, item->path);
    vv_buffer_add8(path, '@');
    vv_buffer_add_string(path, is_text ? name : "?");
    const char *text = vv_buffer_string(path);
    if (path->failed)
        return hdf5_texts_fail(t, VARVE_NO_MEMORY);
    if (path->size > t->graph->texts)
        return hdf5_texts_fail(t, VARVE_LIMIT);
    t->graph->texts -= path->size;
    vv_draft_leave_out(t->graph->draft, text,
        "attributes that are neither numbers nor UTF-8 text, or have too many "
        "elements");
    return !t->graph->draft->failed;
}

/* Returns true for the name of a layer or an optimizer. */
static bool hdf5_texts_is_label(
    struct addition *t, const struct vv_hdf5_attribute *a)
{
    const struct vv_hdf5_item *item = vv_hdf5_item_at(t->graph, t->item);
    return a->texts && a->is_scalar && strcmp(a->name, "name") == 0 &&
           vv_text_ends_in(item->path, strlen(item->path), "vars");
}

static bool set_label(struct addition *t, const struct vv_hdf5_attribute *a)
{
    struct vv_hdf5_item *item = vv_hdf5_item_at(t->graph, t->item);
    const varve_string *text = a->texts;
    if (!vv_name_is_valid(text->data, (size_t)text->size))
        return hdf5_texts_leave_out(t, a->name);
    item->label =
        vv_arena_text(&t->graph->source->names, text->data, (size_t)text->size);
    return item->label || hdf5_texts_fail(t, VARVE_NO_MEMORY);
}

static bool hdf5_texts_wants(void *user, const char *name)
{
    return !is_bookkeeping(name) && !is_type(user, name);
}

static bool hdf5_texts_take(void *user, const struct vv_hdf5_attribute *a)
{
    struct addition *t = user;
    struct vv_buffer *text = &t->graph->text;
    if (hdf5_texts_is_label(t, a))
        return set_label(t, a);
    text->size = 0;
    if (!hdf5_texts_add_name(t, a->name))
        return hdf5_texts_leave_out(t, a->name);
    size_t size = text->size;
    bool is_text = hdf5_texts_add_value(text, a);
    if (text->failed)
        return hdf5_texts_fail(t, VARVE_NO_MEMORY);
    if (!is_text)
        return hdf5_texts_leave_out(t, a->name);
    if (text->size > t->graph->texts)
        return hdf5_texts_fail(t, VARVE_LIMIT);
    t->graph->texts -= text->size;
    vv_draft_text(t->graph->draft, (const char *)text->data, size,
        (const char *)text->data + size, text->size - size);
    return !t->graph->draft->failed;
}

/* Lists all attributes of an object as left out, because one of them has a
 * newer version. */
static varve_status leave_all_out(struct addition *t, const varve_error *said)
{
    struct vv_buffer *path = &t->graph->text;
    char text[VARVE_MESSAGE_SIZE + 32];
    path->size = 0;
    vv_buffer_add_string(path, vv_hdf5_item_at(t->graph, t->item)->path);
    vv_buffer_add8(path, '@');
    if (path->failed)
        return vv_fail_memory(t->graph->error, "attributes");
    snprintf(text, sizeof text, "all attributes: %s", said->message);
    vv_draft_leave_out_name(
        t->graph->draft, (const char *)path->data, path->size, text);
    return VARVE_OK;
}

varve_status vv_hdf5_add_texts(struct vv_hdf5_graph *g, size_t item)
{
    struct addition t = { .graph = g, .item = item };
    varve_error said = { VARVE_OK, 0, "" };
    const struct vv_hdf5_attribute_visitor visitor = { hdf5_texts_wants,
        hdf5_texts_take, hdf5_texts_leave_out, &t };
    uint64_t object = vv_hdf5_item_at(g, item)->object;
    varve_status status =
        g->source->calls->attributes(g->source->file, object, &visitor, &said);
    if (t.status == VARVE_NO_MEMORY)
        return vv_fail_memory(g->error, "attributes");
    if (t.status)
        return vv_fail(g->error, t.status,
            "%s: the attributes are too long for the size of the file",
            g->source->foreign->files[0].path);
    if (status == VARVE_CANCELLED) /* the draft has failed and contains the
                                      error */
        return VARVE_OK;
    if (status != VARVE_TOO_NEW)
        return status ? vv_hdf5_fail_at(g->source,
                            vv_hdf5_item_at(g, item)->path, &said, g->error)
                      : VARVE_OK;
    return leave_all_out(&t, &said);
}

/* --- Datasets ------------------------------------------------------------- */

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
        return vv_hdf5_fail_at(g->source, d->made.name, said, g->error);
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
