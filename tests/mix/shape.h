/* shape.h - what a graph, or a file, has to hold: the small model beside the
 * library. Nodes are numbers, names are numbers, a value is up to four small
 * integers, which every element type keeps exactly.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_SHAPE_H
#define MIX_SHAPE_H

#include <varve/varve.h>

enum {
    MIX_NODES = 32,
    MIX_EDGES = 16,
    MIX_FEW_EDGES = 6, /* what a program makes itself */
    MIX_SLOTS = 6,
    MIX_NUMBERS = 4,
    MIX_LONG_TEXT = 4200, /* of some strings */
    MIX_NAMES = 6,      /* of the pool; others are positions in lists */
    MIX_POSITIONS = 16, /* name of position 0 */
    MIX_NONE = 255,
};

/* Of what shape so many are. */
enum mix_form { MIX_FLAT, MIX_SCALAR, MIX_ROWS /* of two */ };

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
    uint8_t kind; /* varve_kind; 0: there is none */
    uint8_t dtype;
    bool holds;     /* a value, if it is of a kind that does */
    bool is_local;  /* the value is not saved */
    bool is_owned;  /* its memory is the library's */
    bool is_opaque; /* a state of the library's, bytes of a file */
    bool demands;   /* its children come by themselves */
    bool takes_shape; /* of what is restored into it */
    bool is_fixed;    /* the value is found as it is */
    bool is_later;    /* files may lack it */
    struct mix_value value;
    bool is_slice;  /* of a value that has `whole` elements, */
    uint8_t whole;
    uint8_t start;  /* from this one on */
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
    mix_set held; /* by savers: not removed with their parents */
    uint8_t reserved; /* places that only resize buffers of structs take */
};

static inline mix_set mix_one(unsigned node)
{
    return UINT64_C(1) << node;
}
static inline bool mix_has(mix_set set, unsigned node)
{
    return set >> node & 1;
}

/* "a", or the decimal of a position. Static storage. */
const char *mix_name(uint8_t name);

/* --- Values --------------------------------------------------------------- */

/* A view of memory for so many elements; and of the shape of a value. */
varve_tensor mix_view(void *memory, uint8_t dtype, uint8_t count);
varve_shape mix_extents(const struct mix_value *value);

/* Puts a value into memory, or where a view has it, and says whether it is
 * there. */
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

/* Has bytes in a file. */
static inline bool mix_is_saved(const struct mix_node *node)
{
    return mix_is_value(node) && node->holds && !node->is_local;
}

/* Not all of its value. */
static inline bool mix_is_part(const struct mix_node *node)
{
    return node->is_slice && node->value.count != node->whole;
}

/* How many elements the value has of which a node is all, or a part. */
static inline uint8_t mix_whole(const struct mix_node *node)
{
    return node->is_slice ? node->whole : node->value.count;
}

/* The elements that a node is of a value. */
struct mix_value mix_part(
    const struct mix_node *node, const struct mix_value *whole);

/* Whether a part would be saved from a root, so that nothing is. */
bool mix_has_parts(const struct mix_shape *shape, uint8_t root);

/* A place for a new node; MIX_NONE: all are taken. */
uint8_t mix_free_place(const struct mix_shape *shape);

uint8_t mix_child(const struct mix_shape *shape, uint8_t parent, uint8_t name);
bool mix_add_edge(
    struct mix_shape *shape, uint8_t parent, uint8_t name, uint8_t child);

/* The slot of a name, or that a node is: an index, or MIX_NONE. */
uint8_t mix_slot_at(const struct mix_shape *shape, uint8_t owner,
    uint8_t variable, uint8_t name);
uint8_t mix_slot_is(const struct mix_shape *shape, uint8_t node);

/* Takes the edge at a place out; in a list those behind it move up. */
void mix_drop_edge(struct mix_shape *shape, uint8_t parent, uint8_t at);

/* Removes a node as varve_remove does; the set of all that went. */
mix_set mix_remove(struct mix_shape *shape, uint8_t node);

/* What is reached from a node by edges, and with the slots of what is. */
mix_set mix_reach_edges(const struct mix_shape *shape, mix_set from);
mix_set mix_reach(const struct mix_shape *shape, uint8_t from);

/* Whether any of its nodes makes its children on demand. */
bool mix_demands(const struct mix_shape *shape);

/* What would be saved from a root: a shape whose node 0 it is. */
struct mix_shape mix_saved(const struct mix_shape *shape, uint8_t root);

/* The same without the edges that lead back to a node above, in the tree where
 * each node is below the first that leads to it, breadth first. */
mix_set mix_reach_down(const struct mix_shape *shape, mix_set from);
bool mix_leads_back(const struct mix_shape *shape, uint8_t from, uint8_t to);

/* The paths of a shape's nodes that a file is listed by, breadth first with
 * edges in order of name. */
enum { MIX_PATH = 512 };
struct mix_paths {
    char of[MIX_NODES][MIX_PATH];
};
void mix_paths(const struct mix_shape *shape, struct mix_paths *paths);

#endif
