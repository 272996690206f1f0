/* restoration.h - a restoration behind its handle: which node of the file is
 * bound to which node of the program, and what became of each value.
 *
 * Nothing is kept in lists of "pending" things: a value waits as long as no
 * node of the program is bound to its node in the file. Every new edge or slot
 * of the program is matched in the same way as those that were there at the
 * time of the read. docs/architecture.md draws the states of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESTORATION_H
#define VV_RESTORATION_H

#include <varve/restoration.h>

#include "buffer.h"
#include "graph.h"
#include "map.h"
#include "opened.h"
#include "saved_path.h"
#include "selection.h"
#include "spread.h"
#include "value_calls.h"

/* What became of a value of the file. */
enum vv_fate {
    VV_FATE_WAITING,    /* its node is not bound, or the value is held back */
    VV_FATE_DUE,        /* bound, and to be delivered */
    VV_FATE_APPLIED,    /* delivered */
    VV_FATE_LENT,       /* delivered to a node that has come to it by another
                           path, an alias or a global name: the one whose path
                           it is may follow */
    VV_FATE_SUPERSEDED, /* bound to a node that a later restoration filled */
    VV_FATE_EXCLUDED,   /* bound, but the options leave it out */
    VV_FATE_MISMATCHED, /* bound to a node that it does not fit */
    VV_FATE_DROPPED,    /* nobody waits for it any more */
};

/* A node of the program and a value or node of the file. */
struct vv_pair {
    varve_node *node;
    uint32_t file; /* a node of the file; in jobs, a value */
};

/* The nodes of the file that an object of the program stands for, in the order
 * in which they were bound. */
struct vv_link {
    uint32_t next; /* plus 1; 0: none */
    uint32_t last; /* of the first one: plus 1; 0: itself */
};

/* How a node of the program has come to its node of the file, or claims it. */
enum vv_how {
    VV_BY_PATH,
    VV_BY_RENAME,     /* asks for a value even if another node has it */
    VV_BY_OTHER_PATH, /* not the one that the file names first: here and below,
                         a node of that one goes first */
    VV_BY_ALIAS,      /* so does one of any path */
    VV_BY_GLOBAL_NAME
};

/* A claim that is made when those by path have been. */
struct vv_deferred {
    varve_node *node; /* NULL: freed meanwhile */
    uint32_t file;
    uint32_t how; /* vv_how */
};

/* How a node of the program was come to, for its path. */
struct vv_via {
    uint64_t place; /* a number for the path */
    bool is_visited;
    bool is_renamed;   /* a rename decides about it, or about what is above */
    uint32_t parent;   /* number of the parent or owner, plus 1; 0: the root */
    uint32_t variable; /* a slot: number of its variable, plus 1 */
    const struct vv_name *name;
};

/* Values that a cast could not keep. */
struct vv_misfits {
    uint32_t value;
    uint64_t count;
};

/* Which paths the patterns of the options stand for, by option. */
enum vv_scope {
    VV_ONLY, /* of the program */
    VV_EXCEPT,
    VV_RESIZE,
    VV_EXPECT_MISSING,
    VV_SAVED_ONLY, /* of the file */
    VV_SAVED_EXCEPT,
    VV_EXPECT_UNUSED,
    VV_SCOPES
};

struct varve_restoration {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL once it is freed */
    varve_node *root;
    const struct vv_value_calls *values; /* what pairing asks of them */
    struct vv_opened file;
    struct vv_selection selection;
    struct vv_spread scope[VV_SCOPES]; /* see scope.h */
    uint32_t file_root;

    bool is_dry;           /* a plan: nothing is delivered */
    bool is_open;          /* the read succeeded: what comes now arrives late */
    bool is_settled;       /* nothing arrives any more but what is asked for */
    bool is_lent;          /* somebody else than the program frees it */
    bool is_busy;          /* matching or delivering: a new edge only queues */
    bool has_new_mismatch; /* since the last arrival */
    bool needs_sweep;      /* edges were removed since the last one */
    bool needs_rematch;    /* memory ran out while matching */
    bool has_paths;        /* `paths` is filled */
    bool has_shared;       /* several edges of the file lead to a node */
    bool is_by_name; /* global names matter: all of the program is visited */

    varve_node **node_of;  /* by node of the file */
    struct vv_link *links; /* by node of the file, once an object of the program
                              stands for several of them */
    uint32_t *value_of;    /* by node of the file; VV_NONE: it has none */
    uint8_t *fates;        /* by value: vv_fate */
    uint32_t *file_of;     /* by number of a program node: file node plus 1 */
    struct vv_via *vias;   /* likewise; only where paths matter */
    size_t number_capacity;
    size_t via_capacity;
    struct vv_stand *stands; /* likewise, one for each rename with `**` */
    size_t stand_capacity;
    uint32_t *name_ids; /* by number of a program name: 0 not looked up,
                           VV_NONE not in the file, else its number plus 1 */
    size_t name_capacity;
    uint32_t *global_of; /* by name of the file: the node that has it as its
                            global name, plus 1; NULL: none has one */
    uint8_t *hows;       /* by number of a program node: vv_how */
    size_t how_capacity;

    struct vv_buffer queue; /* vv_pair: to be matched, with one node of the
                               file, or (VV_NONE) with all that it stands for */
    size_t queue_first;
    struct vv_buffer deferred;   /* vv_deferred */
    struct vv_buffer sorted;     /* scratch: the edges of one node */
    struct vv_buffer demand;     /* vv_pair: likewise, to be offered children */
    struct vv_buffer unnamed;    /* vv_pair: nodes that no path may lead to, to
                                    be looked for by global name */
    struct vv_buffer jobs;       /* vv_pair: values due */
    struct vv_buffer held;       /* vv_pair: states whose variables are not
                                    there yet */
    struct vv_buffer stuck;      /* vv_pair: values whose delivery failed */
    struct vv_buffer mismatched; /* vv_pair: nodes that do not fit each other */
    struct vv_buffer conflicts;  /* vv_pair: claims to what another has; such a
                                    node has its file node in `file_of`, so that
                                    what is below it is matched, unless it has
                                    another */
    struct vv_map served;        /* places that were given a copy */
    struct vv_buffer cast_misfits; /* vv_misfits */
    struct vv_buffer path;         /* scratch */
    struct vv_buffer file_path;    /* scratch */
    struct vv_saved_paths paths;
    struct vv_map pending; /* tensors handed out by varve_pending */
    varve_error failure;   /* of an arrival; VARVE_OK: none */
};

/* The pairs in a buffer. */
static inline struct vv_pair *vv_pairs(
    const struct vv_buffer *buffer, size_t *count)
{
    *count = buffer->size / sizeof(struct vv_pair);
    return (struct vv_pair *)(void *)buffer->data;
}

/* A scratch buffer, empty; what failed in it before is forgotten. */
static inline struct vv_buffer *vv_emptied(struct vv_buffer *scratch)
{
    scratch->size = 0;
    scratch->failed = false;
    return scratch;
}

/* Adds a pair; without memory the restoration remembers to match again. */
void vv_add_pair(struct varve_restoration *r, struct vv_buffer *buffer,
    varve_node *node, uint32_t file);

/* Takes the pairs with this node out of a buffer. */
void vv_drop_pairs(struct vv_buffer *buffer, const varve_node *node);

/* A restoration of a file that is found by `path`, matched and, unless
 * `is_dry`, delivered. NULL on failure; then the program is as it was. */
struct vv_opening {
    const char *path;
    const varve_read_options *options;
    bool is_numbered; /* `path` may be a prefix */
    bool is_save;     /* the save counter is taken over */
    bool is_dry;
    bool is_whole; /* fails where the file lacks something of the program */
};

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error);

/* Frees it, also if it is lent. */
void vv_restoration_free(struct varve_restoration *r);

/* Ends the waiting: gives up all that waits, and takes no notice of what is
 * added to the graph. */
varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error);

/* Takes back the failure of a restoration in which nothing is stuck any more
 * and all that met fits. */
void vv_clear_if_mended(struct varve_restoration *r);

/* Fills `paths` if it is not yet. */
varve_status vv_need_paths(struct varve_restoration *r, varve_error *error);

/* Whether a value has come to a node, which may be gone meanwhile: it is
 * delivered once. */
static inline bool vv_is_delivered(
    const struct varve_restoration *r, uint32_t value)
{
    return r->fates[value] == VV_FATE_APPLIED ||
           r->fates[value] == VV_FATE_LENT ||
           r->fates[value] == VV_FATE_SUPERSEDED;
}

/* Type and shape of a value of the file. */
static inline varve_tensor vv_saved(
    const struct varve_restoration *r, uint32_t value)
{
    return vv_index_tensor(&r->file.parsed.index, &r->file.parsed.table, value);
}

#endif
