/* struct_allocation.h - Allocates memory for saved values of fields whose
 * pointer is NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_ALLOCATION_H
#define VV_STRUCT_ALLOCATION_H

#include <varve/variable.h>

/* The on-demand callback of struct nodes (varve_set_on_demand). `user` is the
 * struct vv_struct of the node. */
void vv_struct_offered(void *user, varve_node *node, const varve_offer *offer);

#endif
