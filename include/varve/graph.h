/* graph.h - the graph: nodes, named edges, lists, dicts, tags.
 *
 * Building needs no checks. `varve_add_` and its kin never return NULL: after a
 * mistake or a failed allocation the graph remembers what was wrong first and
 * hands out its nil node, on which every call is a no-op. The next call that
 * can fail reports it; varve_graph_check asks at once.
 *
 * A node that is NULL, such as that of a path that leads nowhere, is taken
 * everywhere as a nil node is: varve_data gives NULL, a save VARVE_MISUSE. As a
 * child, or as the variable of a slot, it is a mistake.
 *
 * A graph and all that hangs on it belong to one thread at a time; different
 * graphs may be used from different threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GRAPH_H
#define VARVE_GRAPH_H

#include <varve/allocator.h>
#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* In a callback that the library runs nothing may be removed or retyped
 * (VARVE_MISUSE, and nothing has changed), nor may a visitor remove an edge, or
 * a state's `save` change the graph at all. The graph, and what called back,
 * must not be freed there. */

/* The most bytes of an edge's name. */
#define VARVE_MAX_NAME_SIZE 65535

/* What a node is. The numbers are those in the file (docs/format.md). */
typedef enum varve_kind {
    VARVE_NIL = 0,      /* stands for what could not be made */
    VARVE_OBJECT = 1,   /* named edges to children */
    VARVE_VARIABLE = 2, /* a leaf with typed memory */
    VARVE_LIST = 3,     /* edges named by position: "0", "1", ... */
    VARVE_DICT = 4,     /* edges named by keys */
    VARVE_STATE = 5     /* an object that also saves bytes by callbacks */
} varve_kind;

/* An edge as seen from its parent. */
typedef struct varve_edge {
    const char *name; /* UTF-8; the decimal position in a list */
    varve_node *node; /* the child */
} varve_edge;

/* As the name of a new child of a list: its next position. */
#define VARVE_APPEND ((const char *)0)

/* --- The graph ---------------------------------------------------------- */

/* A graph with an empty root object. `allocator` may be NULL and is copied.
 * Never NULL: when there is no memory at all the result is a graph that only
 * says so. */
VARVE_API varve_graph *varve_graph_new(const varve_allocator *allocator);

/* Frees the graph, its nodes and the memory of library-owned variables. What
 * was made for it (restorations, snapshots, rings, savers, managers) still has
 * to be freed; what is asked of it meanwhile is refused where it needs the
 * graph. The program's own memory is never touched. */
VARVE_API void varve_graph_free(varve_graph *graph);

/* The first mistake made in building, or a value that could not be delivered
 * to a node that was added later; VARVE_OK when all is well. */
VARVE_API varve_status varve_graph_check(
    const varve_graph *graph, varve_error *error);

/* Forgets the first mistake and returns it; VARVE_OK where there was none. For
 * a program that can do without what it asked for: until then every save and
 * every read refuses, as what could not be made is missing in the graph. So
 * look at what it was, make up for it, and clear it. A nil node stays nil, and
 * to add to it is a mistake again; a variable whose initializer failed is
 * VARVE_DECLARED until varve_initialize; one that there was no memory for gets
 * it now, zeroed, or the mistake stays. A value that could not be delivered is
 * no mistake, and stays too (restoration.h). */
VARVE_API varve_status varve_graph_clear_error(
    varve_graph *graph, varve_error *error);

/* The object that is there from the start. */
VARVE_API varve_node *varve_graph_root(varve_graph *graph);

/* The seed of the random streams that are added from now on. Without this call
 * it is 0, and each run of the program draws the same numbers. See random.h. */
VARVE_API void varve_set_seed(varve_graph *graph, uint64_t seed);

/* --- Nodes and edges ---------------------------------------------------- */

/* A new object, list or dict under `parent`. The name is UTF-8 of 1 to
 * VARVE_MAX_NAME_SIZE bytes and new at the parent; VARVE_APPEND in a list. A
 * variable has no children. */
VARVE_API varve_node *varve_add_object(varve_node *parent, const char *name);
VARVE_API varve_node *varve_add_list(varve_node *parent, const char *name);
VARVE_API varve_node *varve_add_dict(varve_node *parent, const char *name);

/* An object that no edge leads to yet: build below it, then varve_track it. */
VARVE_API varve_node *varve_add_detached(varve_graph *graph);

/* A further edge: sharing and cycles. To the node that is already there under
 * this name it changes nothing; to another one it is a mistake
 * (VARVE_DUPLICATE). Returns `node`. */
VARVE_API varve_node *varve_track(
    varve_node *parent, const char *name, varve_node *node);

/* Lets an edge lead to another node; makes it where there was none. What a
 * restoration has given to the child that was there is not given again
 * (varve_restore_again asks for it); what still waits arrives. Returns
 * `node`. */
VARVE_API varve_node *varve_replace(
    varve_node *parent, const char *name, varve_node *node);

/* Removes an edge; the node stays, with its memory, until the graph is freed.
 * In a list those behind it move up. No such edge is a mistake. */
VARVE_API void varve_untrack(varve_node *parent, const char *name);

/* Removes a node: its edges, the edges and slots that lead to it, its memory if
 * the library owns it, and in turn every child that no other edge or slot
 * leads to. The program may use none of these any more; what else holds them,
 * such as a snapshot, knows. The root cannot be removed. */
VARVE_API void varve_remove(varve_node *node);

/* The child of that name, or NULL. */
VARVE_API varve_node *varve_find(varve_node *parent, const char *name);

/* The node at a path such as "model/layers/0", or NULL; "" is `from` itself.
 * Paths are edge names joined by '/'; in a name the bytes / % * | ( ) and
 * control characters are written as %XX. */
VARVE_API varve_node *varve_find_path(varve_node *from, const char *path);

/* Edges in the order they were made (lists: in order of position), for
 *     for (const varve_edge *e = varve_edge_first(node); e;
 *          e = varve_edge_next(e))
 * An edge is valid until its parent changes. */
VARVE_API const varve_edge *varve_edge_first(const varve_node *parent);
VARVE_API const varve_edge *varve_edge_next(const varve_edge *edge);
VARVE_API size_t varve_edge_count(const varve_node *parent);

/* What a node is, and the graph that it belongs to: VARVE_NIL and NULL for
 * NULL. */
VARVE_API varve_kind varve_node_kind(const varve_node *node);
VARVE_API varve_graph *varve_node_graph(varve_node *node);

/* An older or other name of a node: while a file is read, an edge to this node
 * that the file does not have is looked for under its aliases, in the order
 * they were given. */
VARVE_API void varve_alias(varve_node *node, const char *name);

/* A name that older files have at this node and the program has no more: what
 * stands there, with all below it and its slots, is no assertion's business,
 * and the report says so. Where the program has an edge of that name after all,
 * it is matched as any other. */
VARVE_API void varve_retire(varve_node *parent, const char *name);

/* --- Lists -------------------------------------------------------------- */

/* Positions run from 0; past the end is a mistake. Elements behind an insertion
 * or removal are renumbered, which takes time in proportion to them. */
VARVE_API varve_node *varve_list_append(varve_node *list, varve_node *node);
VARVE_API varve_node *varve_list_insert(
    varve_node *list, size_t index, varve_node *node);
VARVE_API varve_node *varve_list_replace(
    varve_node *list, size_t index, varve_node *node);
VARVE_API void varve_list_remove(varve_node *list, size_t index);

/* Puts the elements into a new order: the one that was at order[i] comes to
 * position i. `order` holds each position below `count` once. */
VARVE_API void varve_list_reorder(
    varve_node *list, const size_t *order, size_t count);

/* The element at a position, or NULL. */
VARVE_API varve_node *varve_list_at(varve_node *list, size_t index);

/* --- Tags --------------------------------------------------------------- */

/* Tags are a set on each node; a graph knows up to 64 of them. These mean
 * something to the library: VARVE_TAG_LOCAL is shown in a file but its value is
 * not saved, nor missed by a restoration; VARVE_TAG_RANDOM is on the object of
 * a random stream; that a value with VARVE_TAG_OPTIONAL stays in its file
 * unused is no assertion's business, nor that a file lacks a variable or state
 * with VARVE_TAG_LATER: it came later than older files, and keeps the value
 * that the program gave it; one with VARVE_TAG_FIXED in the program must be in
 * a file as it is, and each save compares it with the value that it had when it
 * was tagged last (varve_add_fixed_variable). */
#define VARVE_TAG_TRAINABLE "trainable"
#define VARVE_TAG_LOCAL "local"
#define VARVE_TAG_METRIC "metric"
#define VARVE_TAG_RANDOM "random"
#define VARVE_TAG_OPTIONAL "optional"
#define VARVE_TAG_LATER "later"
#define VARVE_TAG_FIXED "fixed"

/* Puts a tag on a node, takes one away, and tells whether it is there. A tag is
 * UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes. */
VARVE_API void varve_tag(varve_node *node, const char *tag);
VARVE_API void varve_untag(varve_node *node, const char *tag);
VARVE_API bool varve_has_tag(const varve_node *node, const char *tag);

/* --- Walking ------------------------------------------------------------ */

/* Called with a node and its path from where the walk began, borrowed for the
 * call. A path of more than 4095 bytes is given, here and wherever one is
 * shown, as "..." and its end, 255 bytes in all: so a call takes time and
 * memory in proportion to the graph and the file, whatever they look like. It
 * may add to the graph: what is new is not visited. Anything but VARVE_OK ends
 * the walk. */
typedef varve_status varve_visit(
    void *user, varve_node *node, const char *path);

/* Visits every node that can be reached from `root` once, breadth first, edges
 * in order of name (lists: of position), slot variables last: the order of the
 * nodes in a file. Returns what ended it early, which is not an error. */
VARVE_API varve_status varve_walk(
    varve_node *root, varve_visit *visit, void *user, varve_error *error);

VARVE_END_DECLS

#endif
