/* read.c - Implements the three public functions that open a restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/checkpoint.h>

#include "restoration.h"

varve_restoration *varve_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = { .path = path, .options = options };
    return vv_restoration_open(root, &opening, error);
}

varve_restoration *varve_restore(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_save = true
    };
    return vv_restoration_open(root, &opening, error);
}

varve_restoration *varve_dry_run(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_dry = true
    };
    return vv_restoration_open(root, &opening, error);
}
