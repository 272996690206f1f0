/* torch_reason.c - Writes one line with the optimizer, the model, and the shape
 * or name that is ambiguous or missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_reason.h"

#include "failure.h"
#include "name.h"

enum { MOST_SHOWN = 4 /* dimensions of a shape */ };

static void torch_reason_add_shape(
    struct vv_buffer *text, const struct vv_torch_form *form)
{
    char digits[24];
    vv_buffer_add8(text, '[');
    for (uint32_t i = 0; i < form->rank && i < MOST_SHOWN; i++) {
        vv_decimal(form->extents[i], digits);
        vv_buffer_add_string(text, i ? "," : "");
        vv_buffer_add_string(text, digits);
    }
    vv_buffer_add_string(text, form->rank > MOST_SHOWN ? ",...]" : "]");
}

static void add_quoted(struct vv_buffer *text, const struct vv_torch_name *name)
{
    vv_buffer_add8(text, '"');
    if (name)
        vv_path_add_name(text, name->bytes, name->size);
    vv_buffer_add8(text, '"');
}

static void add_model(
    const struct vv_torch_graph *g, struct vv_buffer *text, uint32_t model)
{
    add_quoted(text, vv_torch_place_of(g, model)->name);
}

static void add_reason(const struct vv_torch_graph *g, struct vv_buffer *text,
    const struct vv_torch_reason *r)
{
    switch (r->why) {
    case VV_TORCH_NOTHING_FITS:
        vv_buffer_add_string(
            text, "no model next to it has variables of these shapes");
        break;
    case VV_TORCH_MODELS_FIT:
        vv_buffer_add_string(text, "its parameters may belong to ");
        add_model(g, text, r->models[0]);
        vv_buffer_add_string(text, " or to ");
        add_model(g, text, r->models[1]);
        break;
    case VV_TORCH_SHAPES_FIT:
        vv_buffer_add_string(text, "it has no \"param_names\", and ");
        add_model(g, text, r->models[0]);
        vv_buffer_add_string(text, " has several variables of ");
        if (r->form->is_known)
            torch_reason_add_shape(text, r->form);
        else
            vv_buffer_add_string(text, "a possible shape");
        break;
    case VV_TORCH_NO_NAMES:
        vv_buffer_add_string(text,
            "its \"param_names\" do not have one name for each parameter");
        break;
    case VV_TORCH_NO_NAME:
        vv_buffer_add_string(text, "no model next to it has a variable ");
        add_quoted(text, r->name);
        vv_buffer_add_string(text, " (from its \"param_names\") of that shape");
        break;
    case VV_TORCH_NO_PARAMETERS:
        vv_buffer_add_string(
            text, "no model next to it has all parameters that it names");
        break;
    case VV_TORCH_NO_LOOKS:
        vv_buffer_add_string(
            text, "the file has too many objects to search for its model");
        break;
    }
}

/* Adds the path of a node, from its end to the root. */
static void torch_reason_add_path(
    const struct vv_torch_graph *g, struct vv_buffer *text, uint32_t node)
{
    const struct vv_torch_place *way = vv_torch_place_of(g, node);
    size_t begin = text->size;
    for (; way->name; way = vv_torch_place_of(g, way->parent)) {
        if (text->size > begin)
            vv_buffer_add8(text, '/');
        size_t at = text->size;
        vv_path_add_name(text, way->name->bytes, way->name->size);
        vv_buffer_reverse(text, at);
    }
    vv_buffer_reverse(text, begin);
}

varve_status vv_torch_report_reason(struct vv_torch_graph *g, uint32_t node,
    const struct vv_torch_reason *reason, struct vv_buffer *text)
{
    text->size = 0;
    torch_reason_add_path(g, text, node);
    vv_buffer_add8(text, 0);
    size_t begin = text->size;
    vv_buffer_add_string(text, "moments as slots: ");
    add_reason(g, text, reason);
    vv_buffer_add8(text, 0);
    if (text->failed)
        return vv_fail_memory(g->error, "slots");
    vv_draft_leave_out(
        g->draft, (const char *)text->data, (const char *)text->data + begin);
    return VARVE_OK;
}
