/* collection.h - Selects nodes by tag and path, and initializes variables.
 *
 *     varve_select trainable = { .tag = VARVE_TAG_TRAINABLE };
 *     varve_node *nodes[100];
 *     size_t count = 100;
 *     status = varve_collect(root, &trainable, nodes, &count, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COLLECTION_H
#define VARVE_COLLECTION_H

#include <varve/error.h>
#include <varve/graph.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* --- Selecting nodes ---------------------------------------------------- */

/* Selects the nodes that meet all of these conditions. All zero, or a NULL
 * pointer to the struct, selects every node.
 *
 * Patterns are those of varve_read_options, and apply to paths from the start
 * of the walk. A node can have several paths: `pattern` must match at least one
 * of them, and `except` must not match all of them. NULL selects any path. */
typedef struct varve_select {
    const char *tag;         /* required tag; NULL: any */
    const char *without_tag; /* forbidden tag; NULL: none */
    const char *pattern;
    varve_kind kind;    /* required kind; 0: any */
    const char *except; /* patterns of excluded paths */
    varve_reserved reserved;
} varve_select;

/* Visits each selected node that is reachable from `root` once.
 *
 *     varve_select decoder = { .pattern = "model/decoder" };
 *     varve_each(root, &decoder, print_node, NULL, &error);
 *
 * The order is that in which the nodes were created. The callback gets the
 * shortest of the paths by which the node is selected.
 *
 * Returns VARVE_OK, or the result of the callback if that ended the walk. */
VARVE_API varve_status varve_each(varve_node *root, const varve_select *select,
    varve_visit *visit, void *user, varve_error *error);

/* Writes the selected nodes into an array, in the order in which they were
 * created.
 *
 * On entry `*count` is the size of `nodes`; on return it is the number of
 * selected nodes. Nodes beyond the size of the array are only counted. `nodes`
 * may be NULL if `*count` is 0. A program that needs an order of its own can
 * keep the nodes in a list, which is saved with the graph.
 *
 * - Returns VARVE_MISUSE if `count` is NULL, or `nodes` is NULL and `*count` is
 *   not 0. */
VARVE_API varve_status varve_collect(varve_node *root,
    const varve_select *select, varve_node **nodes, size_t *count,
    varve_error *error) VARVE_MUST_CHECK;

/* --- Initial values ----------------------------------------------------- */

/* Controls whether library-owned variables that are added after this call defer
 * their initializers until varve_initialize.
 *
 * Deferred variables are zeroed and have the state VARVE_DECLARED. By default
 * an initializer runs when its variable is added. */
VARVE_API void varve_defer_initializers(varve_graph *graph, bool defer);

/* Declares that a variable has no value yet, and sets its initializer.
 *
 * Unless it was restored, a variable over the program's memory has the state
 * VARVE_DECLARED after this call. For a library-owned variable that is
 * VARVE_DECLARED the call replaces the initializer. NULL initializes with
 * zeros.
 *
 * - Records VARVE_MISUSE for a library-owned variable that is initialized, and
 *   for a node that is not a variable. */
VARVE_API void varve_set_initializer(
    varve_node *variable, varve_initializer *initializer, void *user);

/* Declares that the initializer of `variable` uses the value of `other`, which
 * must be initialized first.
 *
 * - Records VARVE_MISUSE if one of them is not a variable, or if they belong to
 *   different graphs. */
VARVE_API void varve_initialize_after(varve_node *variable, varve_node *other);

/* Runs the initializers of the selected variables that are VARVE_DECLARED, and
 * of the variables on which they depend.
 *
 * The order is that in which the variables were created, but each variable
 * follows those on which it depends (varve_initialize_after). Variables that
 * were restored, or whose restored value is pending (VARVE_PENDING), are
 * skipped. A pending value that could not be restored does not prevent the
 * initialization of other variables.
 *
 * - Returns VARVE_MISUSE, and runs nothing, if variables depend on each other
 *   in a cycle. The message contains the paths of the cycle.
 * - Returns VARVE_NOT_FOUND, and runs nothing, if a variable depends on one
 *   that is VARVE_PENDING.
 * - Returns VARVE_CALLBACK if an initializer fails. Variables that were
 *   initialized before keep their values, and a second call continues. */
VARVE_API varve_status varve_initialize(varve_node *root,
    const varve_select *select, varve_error *error) VARVE_MUST_CHECK;

/* Checks that every selected variable has a value.
 *
 * - Returns VARVE_UNMATCHED if one has none. The message lists their paths, as
 *   many as fit. */
VARVE_API varve_status varve_require_ready(varve_node *root,
    const varve_select *select, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
