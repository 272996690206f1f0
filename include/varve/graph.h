/* graph.h - Builds the object graph: nodes, named edges, lists, dicts and tags.
 *
 *     varve_graph *graph = varve_graph_new(NULL);
 *     varve_node *root = varve_graph_root(graph);
 *     varve_node *model = varve_add_object(root, "model");
 *     varve_add_variable(model, "weights", varve_array(weights, 784, 10));
 *
 * Functions that add to a graph need no error checks. They never return NULL.
 * If one fails, the graph records the error and the function returns a nil
 * node, on which every call is a no-op. The graph keeps the first error only.
 * The next call that can fail returns it; varve_graph_check returns it at once.
 * In the comments of the headers, "records VARVE_X" means this.
 *
 * A NULL node, such as the result of a search that found nothing, is treated as
 * a nil node: varve_data returns NULL, and a save returns VARVE_MISUSE. A NULL
 * node as a child, or as the variable of a slot, records VARVE_MISUSE. A change
 * of a NULL node (an addition, alias, tag, rebind) is recorded for the thread:
 * the calls that can fail return it for every graph, until
 * varve_graph_clear_error.
 *
 * Threads: only one thread at a time may use a graph, its nodes and the objects
 * that were created for it. Different threads may use different graphs at the
 * same time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GRAPH_H
#define VARVE_GRAPH_H

#include <varve/allocator.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Callbacks that the library calls must not remove or retype nodes. These calls
 * then record or return VARVE_MISUSE and change nothing. A visitor must not
 * remove edges. The `save` function of a state must not change the graph. No
 * callback may free the graph, or the object whose call is in progress. */

/* The maximum size of an edge name, in bytes. */
#define VARVE_MAX_NAME_SIZE 65535

/* The kind of a node. The numbers are those in the file (docs/format.md). */
typedef enum varve_kind {
    VARVE_NIL = 0,      /* a node that could not be created */
    VARVE_OBJECT = 1,   /* has named edges to children */
    VARVE_VARIABLE = 2, /* a leaf with typed memory */
    VARVE_LIST = 3,     /* has edges named by position: "0", "1", ... */
    VARVE_DICT = 4,     /* has edges named by keys */
    VARVE_STATE = 5     /* an object that also saves bytes by callbacks */
} varve_kind;

/* An edge from a parent to a child. */
typedef struct varve_edge {
    const char *name; /* UTF-8; in a list, the position in decimal */
    varve_node *node; /* the child */
} varve_edge;

/* The name of a new child of a list that is added at its end. */
#define VARVE_APPEND ((const char *)0)

/* --- The graph ---------------------------------------------------------- */

/* Creates a graph with an empty root object.
 *
 * `allocator` is copied; NULL uses realloc and free. The result is never NULL:
 * if memory allocation fails, the result is a graph that has recorded
 * VARVE_NO_MEMORY. Free the graph with varve_graph_free. */
VARVE_API varve_graph *varve_graph_new(const varve_allocator *allocator);

/* Frees a graph, its nodes and the memory of its library-owned variables.
 *
 * Memory that the program owns is not freed. Restorations, snapshots, rings,
 * savers and managers of the graph must be freed separately, before or after
 * this call. If they are freed later, those of their functions that need the
 * graph fail in between. NULL is accepted. */
VARVE_API void varve_graph_free(varve_graph *graph);

/* Returns the recorded error of a graph, or VARVE_OK if there is none.
 *
 * The error is the first failure while the graph was built, or a pending value
 * that could not be restored into a node that was added later. */
VARVE_API varve_status varve_graph_check(
    const varve_graph *graph, varve_error *error);

/* Clears the recorded error of a graph and returns it, or VARVE_OK if there was
 * none.
 *
 * As long as an error is recorded, every save and every restore fails, because
 * the graph may be incomplete. A program that can continue without the failed
 * part examines the error, handles it, and calls this function.
 *
 * A nil node stays nil; a call that adds to it records an error again. A
 * variable whose initializer failed has the state VARVE_DECLARED until
 * varve_initialize succeeds. If memory for a library-owned variable could not
 * be allocated, this call tries again, with zeros as the value; if that fails
 * too, the error stays recorded.
 *
 * A value that could not be restored is not cleared by this call; see
 * restoration.h. */
VARVE_API varve_status varve_graph_clear_error(
    varve_graph *graph, varve_error *error);

/* Returns the root object, which every graph has. */
VARVE_API varve_node *varve_graph_root(varve_graph *graph);

/* Sets the seed for random streams that are added to the graph after this call.
 *
 * Without this call the seed is 0, and each run of the program draws the same
 * random numbers. See random.h. */
VARVE_API void varve_set_seed(varve_graph *graph, uint64_t seed);

/* --- Nodes and edges ---------------------------------------------------- */

/* Add a new object, list or dict below `parent` and return it.
 *
 * `name` is UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes and must be new at
 * `parent`. In a list it is VARVE_APPEND, or the next position as a decimal
 * number.
 *
 * - Records VARVE_BAD_NAME if the name is not valid.
 * - Records VARVE_DUPLICATE if `parent` has an edge of this name.
 * - Records VARVE_MISUSE if `parent` is a variable. */
VARVE_API varve_node *varve_add_object(varve_node *parent, const char *name);
VARVE_API varve_node *varve_add_list(varve_node *parent, const char *name);
VARVE_API varve_node *varve_add_dict(varve_node *parent, const char *name);

/* Adds an object without an edge that leads to it. Add its children first, then
 * connect it with varve_track. */
VARVE_API varve_node *varve_add_detached(varve_graph *graph);

/* Adds an edge from `parent` to an existing node, and returns `node`. This is
 * how a graph shares nodes and forms cycles.
 *
 *     varve_track(decoder, "embedding", varve_find(encoder, "embedding"));
 *
 * If `parent` has an edge of this name to the same node, the call changes
 * nothing.
 *
 * - Records VARVE_MISUSE if `node` is NULL or belongs to another graph.
 * - Records VARVE_DUPLICATE if `parent` has an edge of this name to another
 *   node. */
VARVE_API varve_node *varve_track(
    varve_node *parent, const char *name, varve_node *node);

/* Redirects an edge to another node, or adds the edge, and returns `node`.
 *
 * Values that a restoration has put into the previous child are not restored
 * into the new child; varve_restore_again does that. Values that are still
 * pending are restored into the new child. */
VARVE_API varve_node *varve_replace(
    varve_node *parent, const char *name, varve_node *node);

/* Removes an edge. The child and its memory remain until the graph is freed.
 *
 * In a list the elements after it move up.
 *
 * - Records VARVE_NOT_FOUND if there is no such edge. */
VARVE_API void varve_untrack(varve_node *parent, const char *name);

/* Removes a node and all children that become unreachable.
 *
 * The call removes the edges of the node, the edges and slots that lead to it,
 * its memory if the library owns it, and every child to which no other edge or
 * slot leads. The program must not use any of these nodes after the call.
 * Snapshots and other objects that refer to them remain valid.
 *
 * - Records VARVE_MISUSE if the node is the root. */
VARVE_API void varve_remove(varve_node *node);

/* Returns the child of this name, or NULL if there is none. */
VARVE_API varve_node *varve_find(varve_node *parent, const char *name);

/* Returns the node at a path such as "model/layers/0", or NULL if there is
 * none.
 *
 *     varve_node *first = varve_find_path(root, "model/layers/0");
 *
 * The path is relative to `from`; "" is `from` itself. It consists of edge
 * names joined by '/'. The bytes / % * | ( ) and control characters in a name
 * are written as %XX, with two hexadecimal digits. */
VARVE_API varve_node *varve_find_path(varve_node *from, const char *path);

/* Iterate over the edges of a node.
 *
 *     for (const varve_edge *e = varve_edge_first(node); e;
 *          e = varve_edge_next(e))
 *         printf("%s\n", e->name);
 *
 * The order is that in which the edges were added; in a list, the order of
 * positions. An edge is valid until its parent changes. varve_edge_count
 * returns the number of edges. */
VARVE_API const varve_edge *varve_edge_first(const varve_node *parent);
VARVE_API const varve_edge *varve_edge_next(const varve_edge *edge);
VARVE_API size_t varve_edge_count(const varve_node *parent);

/* Return the kind of a node, and the graph to which it belongs.
 *
 * For a NULL node the results are VARVE_NIL and NULL. */
VARVE_API varve_kind varve_node_kind(const varve_node *node);
VARVE_API varve_graph *varve_node_graph(varve_node *node);

/* Adds an alternative name for a node, such as the name that it had in older
 * files.
 *
 * If a file does not have the name of an edge to this node, a restore looks for
 * the aliases of the node instead, in the order in which they were added.
 *
 *     varve_alias(dense_1, "dense");
 *
 * - Records VARVE_BAD_NAME if the name is not valid. */
VARVE_API void varve_alias(varve_node *node, const char *name);

/* Declares that older files may contain `name` at `parent`, and that the
 * program no longer uses it.
 *
 * Assertions ignore the node of that name in a file, everything below it, and
 * its slots; the report lists them as expected. If the program has an edge of
 * that name, it is matched as any other edge.
 *
 * - Records VARVE_BAD_NAME if the name is not valid.
 * - Records VARVE_MISUSE if `parent` is a variable. */
VARVE_API void varve_retire(varve_node *parent, const char *name);

/* --- Lists -------------------------------------------------------------- */

/* Add, replace and remove elements of a list. The functions that add or replace
 * return `node`.
 *
 *     varve_node *layers = varve_add_list(model, "layers");
 *     varve_node *layer = varve_add_object(layers, VARVE_APPEND);
 *     varve_list_insert(layers, 0, embedding);
 *
 * Positions begin at 0. The elements after an inserted or removed element are
 * renumbered. An insertion takes time in proportion to their number. A removal
 * takes constant time; the next call that uses the names of elements may take
 * time in proportion to the length of the list.
 *
 * - Records VARVE_MISUSE if `list` is not a list, or if the position is beyond
 *   the end. */
VARVE_API varve_node *varve_list_append(varve_node *list, varve_node *node);
VARVE_API varve_node *varve_list_insert(
    varve_node *list, size_t index, varve_node *node);
VARVE_API varve_node *varve_list_replace(
    varve_node *list, size_t index, varve_node *node);
VARVE_API void varve_list_remove(varve_node *list, size_t index);

/* Changes the order of the elements of a list: the element at position order[i]
 * moves to position i.
 *
 * `count` is the number of elements.
 *
 * - Records VARVE_MISUSE, and changes nothing, unless `order` contains each
 *   position below the number of elements exactly once. */
VARVE_API void varve_list_reorder(
    varve_node *list, const size_t *order, size_t count);

/* Returns the element at a position, or NULL if there is none. */
VARVE_API varve_node *varve_list_at(varve_node *list, size_t index);

/* --- Tags --------------------------------------------------------------- */

/* The names of common tags. Each node has a set of tags; a graph can use up to
 * 64 different tags.
 *
 * VARVE_TAG_LOCAL: the node is listed in a checkpoint without its value, and a
 * restore does not report the value as missing.
 *
 * VARVE_TAG_RANDOM: the node is the object of a random stream.
 *
 * VARVE_TAG_OPTIONAL: assertions do not require that the program uses this
 * value of a file.
 *
 * VARVE_TAG_LATER: the variable or state was added after older files were
 * written. Assertions do not require that a file contains it; without a saved
 * value it keeps its current value.
 *
 * VARVE_TAG_FIXED: the value must be equal in the program and in a file. Each
 * save also compares it with the value that it had when it was tagged last. See
 * varve_add_fixed_variable.
 *
 * VARVE_TAG_TRAINABLE and VARVE_TAG_METRIC have no effect; programs select
 * nodes by them (collection.h). */
#define VARVE_TAG_TRAINABLE "trainable"
#define VARVE_TAG_LOCAL "local"
#define VARVE_TAG_METRIC "metric"
#define VARVE_TAG_RANDOM "random"
#define VARVE_TAG_OPTIONAL "optional"
#define VARVE_TAG_LATER "later"
#define VARVE_TAG_FIXED "fixed"

/* Add a tag to a node, remove one, and test for one.
 *
 *     varve_tag(weights_node, VARVE_TAG_TRAINABLE);
 *
 * A tag is UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes. varve_has_tag returns true
 * if the node has the tag.
 *
 * - varve_tag records VARVE_BAD_NAME if the tag is not valid.
 * - varve_tag records VARVE_LIMIT if the graph has 64 other tags. */
VARVE_API void varve_tag(varve_node *node, const char *tag);
VARVE_API void varve_untag(varve_node *node, const char *tag);
VARVE_API bool varve_has_tag(const varve_node *node, const char *tag);

/* --- Walking ------------------------------------------------------------ */

/* A callback that a walk calls for each node.
 *
 * `path` is the path of the node from the start of the walk. It is borrowed for
 * the call. A path of more than 4095 bytes is given as "..." followed by its
 * end, 255 bytes in all. All other functions show such paths in the same way,
 * which limits their time and memory.
 *
 * The callback may add to the graph; new nodes are not visited. Any result
 * other than VARVE_OK ends the walk. */
typedef varve_status varve_visit(
    void *user, varve_node *node, const char *path);

/* Visits every node that is reachable from `root` once.
 *
 * The order is that of the nodes in a file: breadth first, edges in order of
 * name (in a list, of position), slot variables last.
 *
 * Returns VARVE_OK, or the result of the callback if that ended the walk. The
 * walk does not fill in `error` for it. */
VARVE_API varve_status varve_walk(
    varve_node *root, varve_visit *visit, void *user, varve_error *error);

VARVE_END_DECLS

#endif
