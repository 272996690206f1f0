/* saver_tree.h - the map of a saver as objects in the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_TREE_H
#define VV_SAVER_TREE_H

#include "saver.h"

/* Puts an entry of the map into the tree, which may have to be made anew for
 * it; what failed is the graph's mistake. */
void vv_saver_place(varve_saver *saver, struct vv_saver_entry *entry);

/* Takes an entry out of the tree; what led to it alone is left for the next
 * settling. */
void vv_saver_take_out(varve_saver *saver, struct vv_saver_entry *entry);

/* Makes the tree anew if it is dirty. */
void vv_saver_settle(varve_saver *saver);

/* Takes everything out, and removes the objects that the saver made, except for
 * the root. */
void vv_saver_clear_tree(varve_saver *saver);

#endif
