/* torch_reason.h - why the moments of an optimizer are no slots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_REASON_H
#define VV_TORCH_REASON_H

#include "torch_graph.h"
#include "torch_match.h"

enum vv_torch_why {
    VV_TORCH_NOTHING_FITS,  /* no model beside the optimizer */
    VV_TORCH_MODELS_FIT,    /* several models */
    VV_TORCH_SHAPES_FIT,    /* several variables of a model */
    VV_TORCH_NO_NAMES,      /* `param_names` is not one name for each */
    VV_TORCH_NO_NAME,       /* no model has one of the names */
    VV_TORCH_NO_PARAMETERS, /* no model has all names of a flat state */
    VV_TORCH_NO_LOOKS,      /* the file has more objects than are compared */
};

struct vv_torch_reason {
    /* to fill in */
    enum vv_torch_why why;
    uint32_t models[2];               /* the nodes of those that fit */
    const struct vv_torch_form *form; /* of which several fit */
    const struct vv_torch_name *name; /* that no model has */
};

/* Lists the optimizer at a node among what is left out (opened.h), with the
 * reason. `text` is any buffer. VARVE_NO_MEMORY. */
varve_status vv_torch_tell_reason(struct vv_torch_graph *graph, uint32_t node,
    const struct vv_torch_reason *reason, struct vv_buffer *text);

#endif
