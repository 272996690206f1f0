/* touch.c - the program says what it has changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "touch.h"

#include "walk.h"

/* What is not known counts as changed. */
static void touch_all(varve_graph *graph)
{
    for (varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node))
        vv_touch(node);
}

static void touch_below(varve_node *root)
{
    struct vv_walk walk;
    if (vv_walk_begin(&walk, root, NULL)) {
        touch_all(root->graph);
        return;
    }
    for (size_t i = 0; i < walk.count; i++)
        vv_touch(walk.steps[i].node);
    vv_walk_end(&walk);
}

void varve_touch(varve_node *node)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node))
        return;
    if (node->variable)
        vv_touch(node);
    else
        touch_below(node);
}
