/* collection.h - parts of a graph by tag and path; which variables still need
 * an initial value, and giving it to them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_COLLECTION_H
#define VARVE_COLLECTION_H

#include <varve/error.h>
#include <varve/graph.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* --- Walking a part ----------------------------------------------------- */

/* The nodes that have all that is asked for; all zero, or NULL: every node.
 * Patterns are those of varve_read_options, of paths from where the walk
 * begins: `pattern` for any path of a node, `except` for all of them. */
typedef struct varve_select {
    const char *tag;         /* they carry it */
    const char *without_tag; /* they do not carry it */
    const char *pattern;
    varve_kind kind;    /* they are of this kind; 0: of any */
    const char *except; /* patterns: these are not visited */
    varve_reserved reserved;
} varve_select;

/* Visits those nodes that can be reached from `root`, each once, in the order
 * in which they were made; by the shortest of the paths on account of which it
 * is selected. Tags are sets, so nothing comes twice. Returns what
 * ended it early, which is not an error. */
VARVE_API varve_status varve_each(varve_node *root, const varve_select *select,
    varve_visit *visit, void *user, varve_error *error);

/* Writes those nodes into `nodes`, in the same order: so the variables of a
 * part are one array, as the program made them. `*count` is how many there is
 * room for, and becomes how many there are; what finds no room is counted only.
 * `nodes` may be NULL where `*count` is 0. Who wants them in an order of its
 * own has a list for them, which is saved with the rest. */
VARVE_API varve_status varve_collect(varve_node *root,
    const varve_select *select, varve_node **nodes, size_t *count,
    varve_error *error) VARVE_MUST_CHECK;

/* --- Initial values ----------------------------------------------------- */

/* Whether library-owned variables that are added from now on wait for
 * varve_initialize instead of running their initializers at once. They are
 * zeroed, and VARVE_DECLARED. */
VARVE_API void varve_defer_initializers(varve_graph *graph, bool defer);

/* Says that a variable, whose memory the program owns, holds no value yet, and
 * how it gets one: it is VARVE_DECLARED from now on, unless it was restored. Of
 * a library-owned one that is still VARVE_DECLARED, another initializer than it
 * was made with. NULL: zeros. */
VARVE_API void varve_set_initializer(
    varve_node *variable, varve_initializer *initializer, void *user);

/* Says that the initial value of `variable` is made of that of `other`, which
 * must be a variable of the same graph and come first. */
VARVE_API void varve_initialize_after(varve_node *variable, varve_node *other);

/* Runs the initializers of the selected variables that are VARVE_DECLARED, and
 * of those that they need, in the order in which they were made, but each after
 * what it needs. What was restored, or waits for its restored value
 * (VARVE_PENDING), is left alone: a restored value always beats an initializer.
 * A value that could not be delivered keeps nothing else from being made.
 *
 * VARVE_MISUSE, and nothing has run, where initial values need each other: the
 * message has the paths around the circle. VARVE_NOT_FOUND, likewise, where one
 * needs a value that waits. VARVE_CALLBACK where an initializer fails; those
 * that were run before keep their values, and a second call goes on. */
VARVE_API varve_status varve_initialize(varve_node *root,
    const varve_select *select, varve_error *error) VARVE_MUST_CHECK;

/* VARVE_UNMATCHED unless every selected variable holds a value; the message
 * names the path of each that does not, as far as it has room. */
VARVE_API varve_status varve_require_ready(varve_node *root,
    const varve_select *select, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
