/* hdf5_texts.c - Formats attributes: numbers in decimal, arrays in brackets as
 * in JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json_out.h"
#include "name.h"

enum { MOST_SHOWN = 64 }; /* elements of an attribute */

struct telling {
    struct vv_hdf5_graph *graph;
    size_t thing;
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
static bool is_type(const struct telling *t, const char *name)
{
    return strcmp(name, "dtype") == 0 &&
           !vv_hdf5_thing_at(t->graph, t->thing)->is_group;
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

static bool hdf5_texts_add_name(struct telling *t, const char *name)
{
    struct vv_buffer *text = &t->graph->text;
    const struct vv_hdf5_thing *thing = vv_hdf5_thing_at(t->graph, t->thing);
    if (t->thing > 0) {
        vv_buffer_add_string(text, thing->path);
        vv_buffer_add8(text, '@');
    }
    vv_buffer_add_string(text, name);
    return text->failed ||
           vv_name_is_valid((const char *)text->data, text->size);
}

static bool hdf5_texts_fail(struct telling *t, varve_status status)
{
    t->status = status;
    return false;
}

/* Lists an attribute with its path as left out. The total size of these paths
 * is limited like that of texts. */
static bool hdf5_texts_leave_out(void *user, const char *name)
{
    struct telling *t = user;
    struct vv_buffer *path = &t->graph->text;
    const struct vv_hdf5_thing *thing = vv_hdf5_thing_at(t->graph, t->thing);
    bool is_text = vv_utf8_is_valid(name, strlen(name));
    vv_emptied(path);
    vv_buffer_add_string(path, thing->path);
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
    struct telling *t, const struct vv_hdf5_attribute *a)
{
    const struct vv_hdf5_thing *thing = vv_hdf5_thing_at(t->graph, t->thing);
    return a->texts && a->is_scalar && strcmp(a->name, "name") == 0 &&
           vv_text_ends_in(thing->path, strlen(thing->path), "vars");
}

static bool set_label(struct telling *t, const struct vv_hdf5_attribute *a)
{
    struct vv_hdf5_thing *thing = vv_hdf5_thing_at(t->graph, t->thing);
    const varve_string *text = a->texts;
    if (!vv_name_is_valid(text->data, (size_t)text->size))
        return hdf5_texts_leave_out(t, a->name);
    thing->label =
        vv_arena_text(&t->graph->source->names, text->data, (size_t)text->size);
    return thing->label || hdf5_texts_fail(t, VARVE_NO_MEMORY);
}

static bool hdf5_texts_wants(void *user, const char *name)
{
    return !is_bookkeeping(name) && !is_type(user, name);
}

static bool hdf5_texts_take(void *user, const struct vv_hdf5_attribute *a)
{
    struct telling *t = user;
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
static varve_status leave_all_out(struct telling *t, const varve_error *said)
{
    struct vv_buffer *path = &t->graph->text;
    char text[VARVE_MESSAGE_SIZE + 32];
    path->size = 0;
    vv_buffer_add_string(path, vv_hdf5_thing_at(t->graph, t->thing)->path);
    vv_buffer_add8(path, '@');
    if (path->failed)
        return vv_fail_memory(t->graph->error, "attributes");
    snprintf(text, sizeof text, "all attributes: %s", said->message);
    vv_draft_leave_out_name(
        t->graph->draft, (const char *)path->data, path->size, text);
    return VARVE_OK;
}

varve_status vv_hdf5_add_texts(struct vv_hdf5_graph *g, size_t thing)
{
    struct telling t = { .graph = g, .thing = thing };
    varve_error said = { VARVE_OK, 0, "" };
    const struct vv_hdf5_attribute_visitor told = { hdf5_texts_wants,
        hdf5_texts_take, hdf5_texts_leave_out, &t };
    uint64_t object = vv_hdf5_thing_at(g, thing)->object;
    varve_status status =
        g->source->calls->attributes(g->source->file, object, &told, &said);
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
        return status ? vv_hdf5_tell(g->source,
                            vv_hdf5_thing_at(g, thing)->path, &said, g->error)
                      : VARVE_OK;
    return leave_all_out(&t, &said);
}
