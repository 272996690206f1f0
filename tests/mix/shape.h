/* shape.h - Declares the model of a graph or file. Nodes and names are numbers;
 * a value is up to four small integers, which every element type represents
 * exactly.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_SHAPE_H
#define MIX_SHAPE_H

#include <varve/varve.h>

enum {
    MIX_NODES = 32,
    MIX_EDGES = 16,
    MIX_FEW_EDGES = 6, /* the program adds no more than this */
    MIX_SLOTS = 6,
    MIX_NUMBERS = 4,
    MIX_LONG_TEXT = 4200, /* size of some strings */
    MIX_NAMES = 6,        /* of the pool; others are list positions */
    MIX_POSITIONS = 16,   /* name of position 0 */
    MIX_NONE = 255,
};

/* The shape of the elements. */
enum mix_form { MIX_FLAT, MIX_SCALAR, MIX_ROWS /* two rows */ };

struct mix_value {
    uint8_t count;
    uint8_t numbers[MIX_NUMBERS];
    uint8_t form;
};

struct mix_edge {
    uint8_t name;
    uint8_t child;
};

struct mix_node {
    uint8_t kind; /* varve_kind; 0: unused */
    uint8_t dtype;
    bool holds;     /* has a value, if its kind can have one */
    bool is_local;  /* the value is not saved */
    bool is_owned;  /* its memory is library-owned */
    bool is_opaque; /* a library state with bytes of a file */
    bool demands;   /* children are created on demand */
    bool takes_shape; /* takes the shape of a restored value */
    bool is_fixed;    /* the value must match the file */
    bool is_later;    /* may be missing from files */
    struct mix_value value;
    bool is_slice; /* a slice of a value of `whole` elements */
    uint8_t whole;
    uint8_t start;  /* its first element */
    uint8_t alias;  /* MIX_NONE: none */
    uint8_t global; /* likewise */
    uint8_t edge_count;
    struct mix_edge edges[MIX_EDGES];
};

struct mix_slot {
    uint8_t owner, variable, name, node;
};

/* A set of nodes. */
typedef uint64_t mix_set;

/* Node 0 is the root. */
struct mix_shape {
    struct mix_node nodes[MIX_NODES];
    struct mix_slot slots[MIX_SLOTS];
    uint8_t slot_count;
    mix_set held;     /* named in savers: not removed with their parents */
    uint8_t reserved; /* places reserved for resize buffers of structs */
};

static inline mix_set mix_one(unsigned node)
{
    return UINT64_C(1) << node;
}
static inline bool mix_has(mix_set set, unsigned node)
{
    return set >> node & 1;
}

/* Returns "a" and so on, or a position in decimal. The storage is static. */
const char *mix_name(uint8_t name);

/* --- Values --------------------------------------------------------------- */

/* Return a view of memory for a number of elements, and the shape of a
 * value. */
varve_tensor mix_view(void *memory, uint8_t dtype, uint8_t count);
varve_shape mix_extents(const struct mix_value *value);

/* Write a value to memory or through a view, and return true if it is there. */
void mix_store(void *memory, uint8_t dtype, const struct mix_value *value);
void mix_fill(const varve_tensor *tensor, const struct mix_value *value);
bool mix_holds(
    const varve_tensor *tensor, uint8_t dtype, const struct mix_value *value);

bool mix_equal(const struct mix_value *a, const struct mix_value *b);
bool mix_has_shape_of(const struct mix_value *a, const struct mix_value *b);
bool mix_can_cast(uint8_t from, uint8_t to);

/* --- Nodes ---------------------------------------------------------------- */

static inline bool mix_is_value(const struct mix_node *node)
{
    return node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
}

/* Returns true if the node has bytes in a file. */
static inline bool mix_is_saved(const struct mix_node *node)
{
    return mix_is_value(node) && node->holds && !node->is_local;
}

/* Returns true if the node is a slice, but not of the whole value. */
static inline bool mix_is_part(const struct mix_node *node)
{
    return node->is_slice && node->value.count != node->whole;
}

/* Returns the number of elements of the whole value of a node. */
static inline uint8_t mix_whole(const struct mix_node *node)
{
    return node->is_slice ? node->whole : node->value.count;
}

/* Returns the elements of a value that a node contains. */
struct mix_value mix_part(
    const struct mix_node *node, const struct mix_value *whole);

/* Returns true if saving from a root would include a proper slice, so that it
 * must be refused. */
bool mix_has_parts(const struct mix_shape *shape, uint8_t root);

/* Returns an unused place for a new node, or MIX_NONE. */
uint8_t mix_free_place(const struct mix_shape *shape);

uint8_t mix_child(const struct mix_shape *shape, uint8_t parent, uint8_t name);
bool mix_add_edge(
    struct mix_shape *shape, uint8_t parent, uint8_t name, uint8_t child);

/* Return the index of a slot, by its name or by its node, or MIX_NONE. */
uint8_t mix_slot_at(const struct mix_shape *shape, uint8_t owner,
    uint8_t variable, uint8_t name);
uint8_t mix_slot_is(const struct mix_shape *shape, uint8_t node);

/* Removes an edge. In a list the following ones move up. */
void mix_drop_edge(struct mix_shape *shape, uint8_t parent, uint8_t at);

/* Removes a node as varve_remove does. Returns the set of all removed nodes. */
mix_set mix_remove(struct mix_shape *shape, uint8_t node);

/* Return the nodes reachable by edges, and those reachable by edges and
 * slots. */
mix_set mix_reach_edges(const struct mix_shape *shape, mix_set from);
mix_set mix_reach(const struct mix_shape *shape, uint8_t from);

/* Returns true if a node creates its children on demand. */
bool mix_demands(const struct mix_shape *shape);

/* Returns the shape that a save from `root` contains, with node 0 as its
 * root. */
struct mix_shape mix_saved(const struct mix_shape *shape, uint8_t root);

/* Returns the reachable nodes without edges that lead back to an ancestor in
 * the breadth-first tree. */
mix_set mix_reach_down(const struct mix_shape *shape, mix_set from);
bool mix_leads_back(const struct mix_shape *shape, uint8_t from, uint8_t to);

/* The paths under which a file lists the nodes of a shape, breadth first with
 * edges in order of name. */
enum { MIX_PATH = 512 };
struct mix_paths {
    char of[MIX_NODES][MIX_PATH];
};
void mix_paths(const struct mix_shape *shape, struct mix_paths *paths);

#endif
