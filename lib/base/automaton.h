/* automaton.h - Matches patterns with all paths of a graph at once.
 *
 * Several patterns are compiled into one automaton whose states are followed
 * along edges: the state of a path and the name of an edge determine the state
 * of the longer path. So the traversal ends when every node has been seen in
 * each of its few states, even if the graph has too many paths to enumerate
 * (spread.h).
 *
 * The patterns form a tree of places with a step for each name; common prefixes
 * are shared. A state is a set of places. A pattern in parentheses is followed
 * along the same paths, from a separate start place. So the state of a slot
 * follows from those of its owner's path and its variable's path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AUTOMATON_H
#define VV_AUTOMATON_H

#include <varve/error.h>

#include "allocator.h"
#include "buffer.h"
#include "hash_table.h"
#include "name_pattern.h"

struct vv_pattern_place;

/* A set of places. */
struct vv_state {
    uint64_t hash;
    uint32_t number;
    uint32_t count;
    bool accepts;  /* the path matches one of the patterns */
    bool is_final; /* no further name changes the state */
    struct vv_pattern_place *places[]; /* sorted by number */
};

/* One of several patterns. */
struct vv_alternative {
    /* to read */
    struct vv_text text;
    /* own */
    struct vv_pattern_place *end;
};

struct vv_automaton {
    /* to read */
    /* to read */
    const varve_allocator *allocator;
    /* to read */
    struct vv_alternative *alternatives;
    size_t alternative_count;
    const struct vv_state *start;
    /* to fill in */
    /* to fill in */
    struct vv_buffer name; /* scratch */
    /* The first failure: VARVE_NO_MEMORY or VARVE_LIMIT. States returned after
     * it are invalid. */
    varve_status status;
    /* own */
    /* own */
    struct vv_arena arena;
    struct vv_map steps;      /* by start place and text */
    struct vv_map wild_steps; /* steps with wildcards, by start place and the
                                 ends of their text */
    struct vv_map state_map;
    struct vv_pattern_place *outside; /* start of paths */
    struct vv_pattern_place *inside;  /* start of paths in parentheses */
    size_t alternative_capacity;
    /* own */
    uint32_t place_count;
    uint32_t state_count;
    size_t listed;          /* number of places in all states */
    uint64_t stamp;         /* of the set under construction */
    struct vv_buffer found; /* places of that set */
};

/* Compiles patterns separated by '|', which are copied. NULL means no pattern.
 * On failure nothing remains allocated. */
varve_status vv_automaton_begin(struct vv_automaton *automaton,
    const varve_allocator *allocator, const char *patterns, varve_error *error);
void vv_automaton_end(struct vv_automaton *automaton);

/* Returns the state after an edge of this name, or NULL after a failure. */
const struct vv_state *vv_automaton_step(struct vv_automaton *automaton,
    const struct vv_state *state, const char *name, size_t size);

/* Returns the state of a slot of this name, given a state of its owner and one
 * of its variable. */
const struct vv_state *vv_automaton_slot(struct vv_automaton *automaton,
    const struct vv_state *owner, const struct vv_state *variable,
    const char *name, size_t size);

/* Returns true if an alternative has matched a path that was followed. */
bool vv_alternative_was_used(const struct vv_alternative *alternative);

/* Sets `error` to the failure and returns its status; VARVE_OK if there was
 * none. */
varve_status vv_automaton_fail(
    const struct vv_automaton *automaton, varve_error *error);

#endif
