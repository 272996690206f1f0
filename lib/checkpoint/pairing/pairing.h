/* pairing.h - which node of the program stands for which node of the file.
 *
 * It knows the graph and an index, no bytes, and nothing of what becomes of
 * values but what it asks (value_calls.h). Every new edge or slot of the
 * program is matched in the same way as those that were there at first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAIRING_H
#define VV_PAIRING_H

#include "buffer.h"
#include "graph.h"
#include "index_in.h"
#include "pair_list.h"
#include "saved_path.h"
#include "selection.h"
#include "slice.h"
#include "spread.h"
#include "value_calls.h"
#include "variable.h"

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

/* How a node of the program was come to, for its path. */
struct vv_via {
    uint64_t place; /* a number for the path */
    bool is_visited;
    bool is_renamed;   /* a rename decides about it, or about what is above */
    uint32_t parent;   /* number of the parent or owner, plus 1; 0: the root */
    uint32_t variable; /* a slot: number of its variable, plus 1 */
    const struct vv_name *name;
};

/* Which of 64 nodes of the file have values, whose numbers run in the same
 * order. */
struct vv_values_in {
    uint64_t has;   /* bits */
    uint32_t first; /* the value of the first one */
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

#define VV_VISIT (VV_NONE - 1)

struct vv_pairing {
    /* to read */
    struct vv_context context;
    varve_graph *graph;                /* NULL once it is freed */
    struct vv_spread scope[VV_SCOPES]; /* see scope.h */
    uint32_t file_root;
    varve_node **node_of; /* by node of the file */
    uint32_t *file_of;    /* by number of a program node: file node plus 1 */
    struct vv_saved_paths paths;
    struct vv_buffer queue; /* vv_pair: to be matched, with one node of the
                               file, or (VV_NONE) with all that it stands
                               for; VV_VISIT: so, but asked for nothing */
    struct vv_pair_list deferred;   /* claims that are made when those by path
                                       have been */
    struct vv_buffer deferred_hows; /* uint8_t: vv_how, of the same place */
    struct vv_pair_list conflicts;  /* claims to what another has; such a
                                    node has its file node in `file_of`, so that
                                    what is below it is matched, unless it has
                                    another */
    struct vv_buffer file_path;     /* scratch */

    /* to fill in: by who joins it with values */
    varve_node *root;
    uint64_t number;                     /* of the graph's observer */
    const struct vv_value_calls *values; /* what is asked of them, */
    struct vv_delivery *delivery;        /* and whom */
    struct vv_selection selection;
    bool is_dry;         /* a plan: nodes are not asked for children */
    bool needs_sweep;    /* edges were removed since the last one, */
    uint64_t sweeps;     /* of which there were so many */
    varve_error failure; /* why not all was matched that has to be, again;
                            VARVE_OK: all was */

    /* own */
    const struct vv_parsed_index *parsed; /* of the file */
    bool has_paths;                       /* `paths` is filled */
    bool has_shared; /* several edges of the file lead to a node */
    bool is_by_name; /* global names matter: all of the program is
                        visited */
    struct vv_values_in *values_in; /* by node of the file / 64 */
    struct vv_link *links; /* by node of the file, once an object of the program
                              stands for several of them */
    struct vv_via *vias;   /* as `file_of`; only where paths matter */
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
    size_t queue_first;
    uint32_t next_edge;      /* of the file: that behind the last one found */
    struct vv_buffer sorted; /* scratch: the edges of one node */
    struct vv_buffer demand; /* vv_pair: as `queue`, to be offered children */
    struct vv_pair_list unnamed; /* nodes that no path may lead to, to be
                                 looked for by global name */
    struct vv_buffer path;       /* scratch */
};

/* Empty, for the program at a root. `parsed` may still be empty, and stays
 * where it is. */
void vv_pairing_init(struct vv_pairing *pairing, varve_node *root,
    const struct vv_parsed_index *parsed);

/* What the options select, and how the file is read that they are for. */
varve_status vv_pairing_select(struct vv_pairing *pairing,
    const varve_read_options *options, varve_error *error);

/* Tables for the index and the selection, which are there now. `where` is for
 * messages. VARVE_NOT_FOUND where the file has no such subtree. */
varve_status vv_pairing_begin(
    struct vv_pairing *pairing, const char *where, varve_error *error);

/* Also after a beginning that failed. */
void vv_pairing_end(struct vv_pairing *pairing);

/* Keeps the names that it has, and forgets their numbers; how many it has. */
size_t vv_pairing_keep_names(struct vv_pairing *pairing);

/* Forgets a program that is gone. */
void vv_pairing_forget_graph(struct vv_pairing *pairing);

/* Asserts that the tables agree with each other, of a file and a program that
 * are small. */
void vv_pairing_check(const struct vv_pairing *pairing);

static inline const struct vv_index *vv_index_of(
    const struct vv_pairing *pairing)
{
    return &pairing->parsed->index;
}

/* The value of a node of the file, or VV_NONE. */
uint32_t vv_value_of(const struct vv_pairing *pairing, uint32_t file);

/* Type and shape of a value of the file. */
static inline varve_tensor vv_saved(
    const struct vv_pairing *pairing, uint32_t value)
{
    return vv_index_tensor(
        &pairing->parsed->index, &pairing->parsed->table, value);
}

/* Whether a node is a variable of the type and shape of a value, and no part of
 * another: nearly all are. */
static inline bool vv_is_alike(
    const struct vv_pairing *pairing, const varve_node *node, uint32_t value)
{
    const struct vv_parsed_index *parsed = pairing->parsed;
    return node->variable && !vv_part_of(node) &&
           vv_index_is_like(
               &parsed->index, &parsed->table, value, &node->variable->tensor);
}

/* A scratch buffer, empty; what failed in it before is forgotten. */
static inline struct vv_buffer *vv_emptied(struct vv_buffer *scratch)
{
    scratch->size = 0;
    scratch->failed = false;
    return scratch;
}

#endif
