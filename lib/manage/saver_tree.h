/* saver_tree.h - Represents the map of a saver as objects in the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_TREE_H
#define VV_SAVER_TREE_H

#include "saver.h"

/* Adds an entry of the map to the tree, or marks the tree to be made again. An
 * error is recorded in the graph. */
void vv_saver_place(varve_saver *saver, struct vv_saver_entry *entry);

/* Removes an entry from the tree. Objects that only led to it stay until the
 * next vv_saver_settle. */
void vv_saver_take_out(varve_saver *saver, struct vv_saver_entry *entry);

/* Makes the tree again if it is dirty. */
void vv_saver_settle(varve_saver *saver);

/* Removes all entries, and all objects that the saver made except the root. */
void vv_saver_clear_tree(varve_saver *saver);

#endif
