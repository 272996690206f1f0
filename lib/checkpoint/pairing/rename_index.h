/* rename_index.h - Finds the few renames of many that may match a path, by the
 * literal parts of their last names.
 *
 * The names of a piece of a rename (rename.h) have a shape: which of them are
 * literal, and how many bytes before the first star and after the last star of
 * the others are. Pieces of one shape are in a hash table, by those bytes. So a
 * search takes one lookup for each shape, regardless of the number of renames.
 *
 * Renames with `**` that begin alike share their states: each beginning is a
 * stage, and states belong to stages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RENAME_INDEX_H
#define VV_RENAME_INDEX_H

#include "allocator.h"
#include "buffer.h"
#include "hash_table.h"
#include "name_pattern.h"
#include "rename.h"

/* The most names at the end of a path that are compared. */
enum { VV_RENAME_MOST_NAMES = 16 };

struct vv_rename_shape;

/* The pieces of renames up to a `**`. Numbers of stages begin with 1. */
struct vv_rename_stage {
    /* to read */
    uint32_t above; /* the stage before its last piece; 0: none */
    uint32_t piece; /* index of its last piece */
    const struct vv_rename_parts *parts; /* of a rename that begins with it */
};

struct vv_rename_index {
    /* to read */
    struct vv_rename_stage *stages; /* by number - 1 */
    uint32_t stage_count;
    /* own */
    const varve_allocator *allocator;
    size_t stage_capacity;
    struct vv_arena arena;
    struct vv_map entries; /* lists of entries by their key */
    struct vv_map stage_map;
    struct vv_rename_shape *shapes;
    size_t shape_count, shape_capacity;
    uint32_t most_names;   /* of a shape */
    struct vv_buffer text; /* scratch */
};

void vv_rename_index_init(
    struct vv_rename_index *index, const varve_allocator *allocator);
void vv_rename_index_clear(struct vv_rename_index *index);

/* Adds a rename. `parts` must not move. Sets *stage to the stage before its
 * last piece; 0: it has no `**`. Returns false if out of memory. */
bool vv_rename_index_add(struct vv_rename_index *index, uint32_t number,
    const struct vv_rename_parts *parts, uint32_t *stage);

/* Adds a rename whose last name is a slot: the path in its parentheses is
 * `inside`. */
bool vv_rename_index_add_slot(
    struct vv_rename_index *index, uint32_t number, struct vv_text inside);

/* --- Searches ------------------------------------------------------------- */

/* The last names of a path. */
struct vv_rename_names {
    struct vv_text names[VV_RENAME_MOST_NAMES]; /* the last one first */
    uint32_t before[VV_RENAME_MOST_NAMES + 1];  /* by a number of names: the
                                                   node before them */
    uint32_t count;
};

/* The stage of a node, and its state. */
struct vv_stage_state {
    uint32_t stage;
    struct vv_rename_state state;
};

struct vv_rename_search {
    const struct vv_rename_index *index;
    const struct vv_rename_names *names;
    uint32_t root;
    /* Returns the states of a node. */
    const struct vv_stage_state *(*states)(
        const void *user, uint32_t node, size_t *count);
    const void *user;
};

/* Adds the numbers of renames of edges, in order, that may match. */
void vv_rename_candidates(
    const struct vv_rename_search *search, struct vv_buffer *found);

/* Does the same for stages that a node may enter. With no names: the root. */
void vv_rename_stages(
    const struct vv_rename_search *search, struct vv_buffer *found);

/* Does the same for renames of slots. `names` are of the slot's variable. */
void vv_rename_slot_candidates(
    const struct vv_rename_search *search, struct vv_buffer *found);

/* --- Stands at nodes ------------------------------------------------------ */

/* Stores the states of renames with `**` at the nodes of the program: for each
 * node only those of the stages that it has reached. */

/* The part of `all` that belongs to a node. */
struct vv_states_of_node {
    size_t begin;
    uint32_t count, capacity;
};

struct vv_rename_states {
    /* own */
    const varve_allocator *allocator;
    struct vv_states_of_node *of; /* by number of a node */
    size_t capacity;
    struct vv_buffer all; /* struct vv_stage_state */
};

void vv_rename_states_init(
    struct vv_rename_states *states, const varve_allocator *allocator);
void vv_rename_states_clear(struct vv_rename_states *states);

/* Makes room for nodes with numbers below `wanted`. Returns false if out of
 * memory. */
bool vv_rename_states_grow(struct vv_rename_states *states, size_t wanted);

/* Returns the states of a node, by stage. Valid until the next change. */
const struct vv_stage_state *vv_rename_states_at(
    const struct vv_rename_states *states, uint32_t node, size_t *count);

/* Returns the state of a node in a stage, or NULL. */
const struct vv_rename_state *vv_rename_state_in(
    const struct vv_rename_states *states, uint32_t node, uint32_t stage);

/* Sets the states of a node, which `list` has by stage. Sets *is_new to true if
 * they differ from before. Returns false if out of memory. */
bool vv_rename_states_set(struct vv_rename_states *states, uint32_t node,
    const struct vv_buffer *list, bool *is_new);

#endif
