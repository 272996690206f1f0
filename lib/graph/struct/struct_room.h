/* struct_room.h - room for what a file has, where a field's pointer is NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STRUCT_ROOM_H
#define VV_STRUCT_ROOM_H

#include <varve/variable.h>

/* A node of a struct is offered a child (varve_set_on_demand); `user` is its
 * struct vv_struct. */
void vv_struct_offered(void *user, varve_node *node, const varve_offer *offer);

#endif
