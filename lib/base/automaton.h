/* automaton.h - patterns over all paths of a graph at once.
 *
 * Several patterns become one machine whose states are followed along edges:
 * the state of a path and the name of an edge give the state of the longer
 * path. So a graph with more paths than could ever be listed is done when every
 * node has been seen in each of its few states (spread.h).
 *
 * The patterns are a tree of places with a step for each name, shared where
 * they begin alike; a state is a set of places. What stands in parentheses is
 * followed along the same paths, from a place of its own, so that a slot's
 * state is that of its owner's path and of its variable's together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_AUTOMATON_H
#define VV_AUTOMATON_H

#include <varve/error.h>

#include "arena.h"
#include "buffer.h"
#include "map.h"
#include "name_pattern.h"

struct vv_pattern_place;

/* A set of places. */
struct vv_state {
    uint64_t hash;
    uint32_t number;
    uint32_t count;
    bool accepts;  /* one of the patterns stands for the path */
    bool is_final; /* whatever comes, it stays as it is */
    struct vv_pattern_place *places[]; /* by number */
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
    varve_status status; /* the first failure: VARVE_NO_MEMORY, VARVE_LIMIT; the
                            states that it gave say nothing */
    /* own */
    /* own */
    struct vv_arena arena;
    struct vv_map steps;      /* by the place they start from and their text */
    struct vv_map wild_steps; /* those with wildcards, by the place and the ends
                                 of their text */
    struct vv_map state_map;
    struct vv_pattern_place *outside; /* where paths begin */
    struct vv_pattern_place *inside;  /* where those in parentheses do */
    size_t alternative_capacity;
    /* own */
    uint32_t place_count;
    uint32_t state_count;
    size_t listed;          /* places in all states together */
    uint64_t stamp;         /* of the set that is being made */
    struct vv_buffer found; /* its places */
};

/* Of patterns separated by '|', which are copied; NULL: none. Ends it itself
 * when there is no memory. */
varve_status vv_automaton_begin(struct vv_automaton *automaton,
    const varve_allocator *allocator, const char *patterns, varve_error *error);
void vv_automaton_end(struct vv_automaton *automaton);

/* The state behind an edge of this name; NULL after a failure. */
const struct vv_state *vv_automaton_step(struct vv_automaton *automaton,
    const struct vv_state *state, const char *name, size_t size);

/* The state of a slot of this name, of a state of its owner and one of its
 * variable. */
const struct vv_state *vv_automaton_slot(struct vv_automaton *automaton,
    const struct vv_state *owner, const struct vv_state *variable,
    const char *name, size_t size);

/* Whether an alternative has stood for a path that was followed. */
bool vv_alternative_was_used(const struct vv_alternative *alternative);

/* Says a failure; VARVE_OK where there was none. */
varve_status vv_automaton_fail(
    const struct vv_automaton *automaton, varve_error *error);

#endif
