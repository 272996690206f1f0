/* torch_reason.h - Reports why the moments of an optimizer did not become
 * slots.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_REASON_H
#define VV_TORCH_REASON_H

#include "torch_graph.h"
#include "torch_match.h"

enum vv_torch_why {
    VV_TORCH_NOTHING_FITS,  /* no model next to the optimizer fits */
    VV_TORCH_MODELS_FIT,    /* several models fit */
    VV_TORCH_SHAPES_FIT,    /* several variables of a model fit */
    VV_TORCH_NO_NAMES,      /* `param_names` does not have one name for each
                               parameter */
    VV_TORCH_NO_NAME,       /* no model has one of the names */
    VV_TORCH_NO_PARAMETERS, /* no model has all names of a flat state dict */
    VV_TORCH_NO_LOOKS,      /* the file has too many objects to compare */
};

struct vv_torch_reason {
    /* to fill in */
    enum vv_torch_why why;
    uint32_t models[2];               /* the nodes of models that fit */
    const struct vv_torch_form *form; /* a shape that several variables have */
    const struct vv_torch_name *name; /* a name that no model has */
};

/* Lists the optimizer at a node as left out (opened.h), with the reason. `text`
 * is a scratch buffer. Returns VARVE_OK or VARVE_NO_MEMORY. */
varve_status vv_torch_report_reason(struct vv_torch_graph *graph, uint32_t node,
    const struct vv_torch_reason *reason, struct vv_buffer *text);

#endif
