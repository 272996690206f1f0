/* structure.h - a checkpoint as a graph, without the program that wrote it.
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

/* Reads a file into a new graph: its objects, lists, dicts, variables (which
 * the library owns), slots, tags and global names. A state is kept as the bytes
 * that it was saved as. What is in the file without a value, such as `local`
 * variables, is VARVE_DECLARED, without memory before varve_data asks. `path`
 * is what varve_restore takes; the root has the file's save counter. The graph
 * is an ordinary one, that can be walked, changed, saved and freed; it takes
 * memory for every value that it has.
 *
 * NULL on failure, with the statuses of varve_restore. */
VARVE_API varve_graph *varve_graph_from(const char *path,
    const varve_allocator *allocator, varve_error *error) VARVE_MUST_CHECK;

/* The same with a part of the values. `options` are those of the restoration
 * that gives the graph its values, which begins at the node of `subtree`: all
 * nodes are there, but a variable or state whose value they leave out is
 * VARVE_DECLARED, as one is that the file has no value for, and is saved
 * without one. What is left out is not read, so that it may be damaged.
 * VARVE_MISUSE for options of how a program's graph differs from the file:
 * `resize`, `reshape`, `copy_shared`, `cast` and `rename`; and of a restoration
 * that is kept: `map` and `expect`. All values go to new memory, which has
 * nothing to lose: `passes` and `resources.staging_size` have no effect. */
VARVE_API varve_graph *varve_graph_from_part(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error) VARVE_MUST_CHECK;

/* The same with values that stay in the file, which is open until the end of
 * the graph: those of 64 KiB and more, but for strings, what several processes
 * have saved in pieces, and what other formats compress. They are verified by
 * this call, take no memory, and are read again, in pieces, and verified when a
 * save or a graft copies them out; such a variable views far memory
 * (varve/memory.h), and a restoration must find it as it is (VARVE_MISMATCH).
 */
VARVE_API varve_graph *varve_graph_from_lazy(const char *path,
    const varve_read_options *options, const varve_allocator *allocator,
    varve_error *error) VARVE_MUST_CHECK;

/* The metadata of the file that a graph was made from, and how many there are;
 * NULL for any other graph. The graph's. With these and `keep_counter` in its
 * options varve_write writes the same bytes again where nothing has changed. */
VARVE_API const varve_metadata *varve_graph_metadata(
    const varve_graph *graph, size_t *count);

/* Copies `from` and all that can be reached from it, of another graph or of the
 * same, to a new child of `parent`: nodes, edges among them, slots whose owner
 * and variable are both among them, tags, older names, and values, in memory of
 * the library. States are copied as the bytes that they save now. A global name
 * that is taken already stays behind.
 *
 * Returns the copy; NULL on failure: VARVE_NO_MEMORY, VARVE_CALLBACK of a
 * state, the first mistake of either graph, or the mistake, which `parent`'s
 * graph then remembers, that the name is taken or not valid. */
VARVE_API varve_node *varve_copy_subgraph(varve_node *parent, const char *name,
    varve_node *from, varve_error *error) VARVE_MUST_CHECK;

/* --- Paths -------------------------------------------------------------- */

/* Whether patterns, as varve_read_options has them, stand for a path; for this
 * one alone, whatever other paths lead to its node. NULL stands for none. */
VARVE_API bool varve_path_matches(const char *patterns, const char *path);

/* What the two sides of a rename make of a path that `from` matches itself:
 * `to`, with what the wildcards of `from` matched in the place of its own.
 * Written into `renamed`, which holds `size` bytes. VARVE_NOT_FOUND where
 * `from` does not match, VARVE_MISUSE where the sides have not the same
 * wildcards, VARVE_LIMIT for a result of `size` bytes or more. */
VARVE_API varve_status varve_path_rename(const char *from, const char *to,
    const char *path, char *renamed, size_t size) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
