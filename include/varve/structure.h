/* structure.h - Loads a checkpoint as a graph, without the program that wrote
 * it.
 *
 *     varve_graph *graph = varve_graph_from("run/ckpt-7", NULL, &error);
 *     varve_node *root = varve_graph_root(graph);
 *     varve_remove(varve_find_path(root, "model/head"));
 *     varve_copy_subgraph(varve_find(root, "model"), "head",
 *         varve_find_path(varve_graph_root(other), "head"), &error);
 *     status = varve_write(root, "mixed.varve", NULL, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_STRUCTURE_H
#define VARVE_STRUCTURE_H

#include <varve/allocator.h>
#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* Loads a checkpoint into a new graph.
 *
 * `path` is a path as for varve_restore. `allocator` is copied and may be NULL.
 *
 * The graph contains the objects, lists, dicts, variables, slots, tags and
 * global names of the file. The library owns the memory of the variables. A
 * state keeps the bytes that were saved. A node without a saved value, such as
 * a variable tagged `local`, has the state VARVE_DECLARED; its memory is
 * allocated by varve_data. The root has the save counter of the file.
 *
 * The graph can be walked, changed and saved like any other. It holds all
 * values in memory. Free it with varve_graph_free.
 *
 * - Fails with the status codes of varve_restore. */
VARVE_API varve_graph *varve_graph_from(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* Loads selected values of a checkpoint into a new graph, like
 * varve_graph_from.
 *
 * `options` select the values as in a restore. The graph begins at the node of
 * the option `subtree` and contains all nodes below it. A variable or state
 * whose value is not selected has the state VARVE_DECLARED and is saved without
 * a value. Unselected values are not read, so they may be damaged.
 *
 * The options `passes` and `resources.staging_size` have no effect, because all
 * values are restored into new memory.
 *
 * - Fails with VARVE_MISUSE for the options `resize`, `reshape`, `copy_shared`,
 *   `cast`, `rename`, `map` and `expect`. */
VARVE_API varve_graph *varve_graph_from_part(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error) VARVE_MUST_CHECK;

/* Loads a checkpoint into a new graph like varve_graph_from_part, but leaves
 * large values in the file.
 *
 * Values of 64 KiB and more are verified by this call and take no memory. If
 * the smaller values of the file have more than 8 MiB together, this limit is
 * halved until they have not, or down to 256 bytes. A save or
 * varve_copy_subgraph reads such values from the file in pieces and verifies
 * them again. Such a variable is accessed through functions (memory.h), and a
 * restore compares it like a fixed value (VARVE_MISMATCH). Strings, values that
 * several processes saved in parts, and values that an external format
 * compresses are loaded into memory.
 *
 * The file stays open until the graph is freed. */
VARVE_API varve_graph *varve_graph_from_lazy(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error) VARVE_MUST_CHECK;

/* Returns the metadata of the file from which a graph was loaded, and sets
 * `*count`.
 *
 * The result belongs to the graph. For any other graph it is NULL.
 *
 * If nothing has changed, varve_write with this metadata and the option
 * `keep_counter` writes the same bytes again. */
VARVE_API const varve_metadata *varve_graph_metadata(
    const varve_graph *graph, size_t *count);

/* Copies a node and everything that is reachable from it to a new child of
 * `parent`.
 *
 * `from` may belong to the same or another graph. The copy contains nodes, the
 * edges between them, slots whose owner and variable are both copied, tags,
 * aliases, and values in library-owned memory. The bytes of a state are those
 * that its `save` callback writes now. A global name that `parent`'s graph
 * already uses is not copied.
 *
 * Returns the copy, or NULL on failure.
 *
 * - Fails with VARVE_NO_MEMORY if memory allocation fails.
 * - Fails with VARVE_CALLBACK if the callback of a state fails.
 * - Fails with the recorded error of either graph.
 * - Fails with VARVE_BAD_NAME or VARVE_DUPLICATE for the name; the graph of
 *   `parent` also records this error. */
VARVE_API varve_node *varve_copy_subgraph(varve_node *parent, const char *name,
    varve_node *from, varve_error *error) VARVE_MUST_CHECK;

/* --- Paths -------------------------------------------------------------- */

/* Returns true if one of the patterns matches the path.
 *
 * The patterns are those of varve_read_options; NULL matches nothing. Only this
 * path is tested, not other paths to the same node. */
VARVE_API bool varve_path_matches(const char *patterns, const char *path);

/* Applies a rename to a path that `from` matches.
 *
 * The result is `to`, in which each wildcard is replaced by the part of `path`
 * that the corresponding wildcard of `from` matched. It is written to
 * `renamed`, a buffer of `size` bytes.
 *
 * - Returns VARVE_NOT_FOUND if `from` does not match.
 * - Returns VARVE_MISUSE if `from` and `to` have different wildcards.
 * - Returns VARVE_LIMIT if the result has `size` bytes or more. */
VARVE_API varve_status varve_path_rename(const char *from, const char *to,
    const char *path, char *renamed, size_t size) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
