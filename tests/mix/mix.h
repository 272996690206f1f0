/* mix.h - Declares a run: its graphs, files and other objects, each with its
 * model.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_H
#define MIX_H

#include <stdatomic.h>

#include "context.h"
#include "mix/shape.h"
#include "system.h"

enum {
    MIX_GRAPHS = 3,
    MIX_FILES = 8,
    MIX_OPENS = 5,
    MIX_SNAPSHOTS = 3,
    MIX_RINGS = 2,
    MIX_DEEP = 3, /* entries of a ring */
    MIX_SAVERS = 2,
    MIX_MANAGERS = 2,
    MIX_KEPT = 24, /* checkpoints of a directory */
    MIX_MAYBE = 16,
    MIX_JOBS = 4,
};

/* --- Objects -------------------------------------------------------------- */

struct mix_graph {
    varve_graph *graph; /* NULL: none */
    struct mix_shape shape;
    varve_node *nodes[MIX_NODES];
    /* memory of the program, for variables and states */
    void *memory[MIX_NODES];
    uint64_t restored_by[MIX_NODES];
    uint64_t maybe_by[MIX_NODES];
    /* For structs: the member or struct from which a node was made, and its
     * address. */
    const struct mix_member *member[MIX_NODES];
    const struct mix_struct_kind *of[MIX_NODES];
    void *object[MIX_NODES];
    mix_set waiting[MIX_NODES]; /* members without memory */
    char *text[MIX_NODES];
    mix_set going;              /* during a rebind */
    struct mix_object *objects; /* all that were ever created */
    bool has_retired;           /* uses names of older files */

    uint64_t counter; /* of saves of its root */
    unsigned version; /* incremented when a saved file would change */
    unsigned
        unreported; /* mask of statuses, one of which the next save returns */
    bool
        may_report_unknown; /* the next save may return VARVE_UNKNOWN_OUTCOME */

    /* Other values that a variable may have if several results are correct. The
     * actual one is adopted after each operation. */
    struct mix_value maybe[MIX_NODES][MIX_MAYBE];
    uint8_t maybe_count[MIX_NODES];
};

/* The expected content of a checkpoint. */
struct mix_file {
    bool is_there;
    varve_format format;
    bool is_loose; /* some names may not be kept by the format: not compared */
    uint64_t counter;
    struct mix_shape shape;
};

/* An open restoration. */
struct mix_open {
    varve_restoration *restoration; /* NULL: none */
    struct mix_manager *manager;    /* its manager, or NULL */
    uint8_t graph;                  /* MIX_NONE: freed */
    uint8_t root;
    uint64_t number; /* later ones have higher numbers */
    struct mix_file file;
    bool casts;
    bool resizes;
    bool reshapes;
    bool streams;
    uint8_t only, except; /* an edge of the root; MIX_NONE: none */
    uint8_t renamed;      /* likewise; `old_name` is its name in the file */
    uint8_t old_name;
    bool has_read; /* later deliveries are deferred ones */
    bool is_loose; /* options or names allow several results */
    /* by file node: the program node that got its value; MIX_NONE: none yet */
    uint8_t taker[MIX_NODES];
    bool is_taken[MIX_NODES]; /* by file node: delivered for the last time */
    mix_set damaged;          /* damaged values of the file, for `salvage` */
    mix_set lost;             /* damaged values that matched a node */
    mix_set dropped;          /* file nodes whose pending values were dropped */
    mix_set fed;              /* program nodes that got a value */
    mix_set unsure;           /* program nodes with several possible results */
    mix_set unsure_in_file;   /* file nodes with several possible results */
    /* by program node: all file nodes that it was ever matched with */
    mix_set seen[MIX_NODES];
    mix_set moved[MIX_NODES]; /* by program node: later matches after moves */
};

struct mix_snapshot {
    varve_snapshot *snapshot;
    uint8_t graph; /* MIX_NONE: freed */
    uint8_t root;
    uint8_t except; /* an edge of the root; MIX_NONE: none */
    unsigned version;
    bool is_unsure;         /* not predicted after a failed call or a read */
    mix_set taken;          /* nodes */
    struct mix_shape shape; /* values and types */
};

struct mix_ring {
    varve_ring *ring;
    uint8_t graph; /* MIX_NONE: freed */
    uint8_t except;
    uint8_t count;
    struct mix_snapshot at[MIX_DEEP]; /* newest first */
};

struct mix_saver {
    varve_saver *saver;
    bool is_async;
    varve_write_options write;
    uint8_t graph;           /* MIX_NONE: freed */
    uint8_t node[MIX_NAMES]; /* by name; MIX_NONE: none */
    struct mix_file last;
};

struct mix_manager {
    varve_manager *manager;
    uint8_t graph;
    uint8_t directory;
    uint8_t except; /* an edge of the root; MIX_NONE: none */
    bool is_async;
    bool has_level; /* saves are also copied to a second tier */
    varve_read_options read;
    varve_write_options write;
};

/* An asynchronous save. */
struct mix_job {
    enum mix_job_kind {
        MIX_WRITTEN,  /* a file */
        MIX_NUMBERED, /* the next number of the prefix */
        MIX_MANAGED,  /* by a manager */
        MIX_BY_SAVER
    } kind;
    varve_job *job; /* for the first two kinds */
    uint8_t graph;
    uint8_t by; /* number of the file, the manager or the saver */
    bool pins;
    bool is_cancelled;
    bool may_be_unknown; /* may return VARVE_UNKNOWN_OUTCOME */
    unsigned may_fail;   /* mask of possible error statuses */
    uint64_t counter;    /* the number must be greater */
    struct mix_file file;
};

/* A directory of numbered files, of varve_save or of managers. */
struct mix_directory {
    uint8_t count; /* oldest first */
    uint64_t numbers[MIX_KEPT];
    bool is_pinned[MIX_KEPT];
    uint64_t maybe_pinned; /* pin of a save that may have failed; 0: none */
    bool may_have_more;    /* checkpoints taken for damaged are not deleted */
    struct mix_file files[MIX_KEPT];
};

/* A directory of managers of several processes, oldest first. The content of a
 * checkpoint follows from its step. */
struct mix_crowd {
    uint8_t count;
    struct {
        int64_t step;
        bool is_pinned;
    } kept[MIX_KEPT];
};

/* --- Run ------------------------------------------------------------------ */

struct mix {
    /* The program. */
    const uint8_t *bytes;
    size_t size;
    bool traces;
    const bool *without; /* operations to skip, or NULL */

    /* Memory, shared by all threads. */
    varve_allocator allocator;
    atomic_long blocks;
    atomic_size_t bytes_in_use;
    _Atomic uint64_t bytes_ever;
    atomic_long tried;
    atomic_long failing; /* number of the allocation that fails; -1: none */

    /* A system whose calls can be made to fail, over one that never sleeps. */
    struct vv_system posix;
    struct faulty *faulty;
    struct vv_context context;

    char place[64]; /* the directory of all files */
    struct mix_graph graphs[MIX_GRAPHS];
    struct mix_file files[MIX_FILES];
    struct mix_open opens[MIX_OPENS];
    struct mix_snapshot snapshots[MIX_SNAPSHOTS];
    struct mix_ring rings[MIX_RINGS];
    struct mix_saver savers[MIX_SAVERS];
    struct mix_manager managers[MIX_MANAGERS];
    /* pending saves, in the order of the calls */
    struct mix_job jobs[MIX_JOBS];
    uint8_t job_count;
    /* results are recorded that a later save has replaced: do not compare
     * files */
    bool is_superseded;
    /* saves with mix_gate as progress callback wait at it */
    atomic_bool is_gate_closed;
    struct mix_directory saved; /* by varve_save */
    /* since then, a file named like the prefix was written */
    bool wrote_beside;
    bool has_pieces; /* files may have values in pieces */
    struct mix_directory managed[MIX_MANAGERS]; /* by managers */
    /* by managers of several processes */
    struct mix_crowd crowd;
    uint64_t restorations; /* total */
    /* total number of churned nodes */
    unsigned names;
    unsigned loads, saves; /* calls of state callbacks */
    struct mix_room *resize_buffers;
    bool has_demanded; /* the last call created children on demand */
    uint64_t fresh;    /* source of new numbers */
    enum mix_trouble {
        MIX_NO_TROUBLE,
        MIX_NO_MEMORY,
        MIX_FULL_DISK,
        MIX_FAILING_CALL,
        MIX_FAILING_COPY /* of device memory */
    } trouble, trouble_before; /* trouble_before: that of the last call */
    uint8_t trouble_at; /* number of the allocation or call that fails */
    uint8_t trouble_way;
    bool trouble_lasts;
    atomic_int copies;  /* copies of device memory in this call */
    int failing_copy;   /* the one that fails; -1: none */
    bool may_half;      /* the next call may fail halfway */
    bool is_streaming;  /* streams, so that a failure cannot be undone */
    varve_error error;
};

/* Runs a program from an empty state. Ends the process on a difference from the
 * model. `place` is an empty directory. */
struct mix_program {
    const uint8_t *bytes;
    size_t size;
    const char *place;
    bool traces;
    const bool *without; /* by number; NULL: none are skipped */
};
void mix_run(const struct mix_program *program);

/* --- Output --------------------------------------------------------------- */

/* Prints a line of the program as a call, before the call is made. */
void mix_say(const struct mix *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints an error and ends the process. */
_Noreturn void mix_wrong(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The source location at which the last failed program ended; shared with the
 * parent process. */
extern char *mix_failed_at;
enum { MIX_PLACE_SIZE = 64 };

#define MIX_CHECK(holds, ...)                                                  \
    do {                                                                       \
        if (!(holds))                                                          \
            mix_wrong(__FILE__, __LINE__, __VA_ARGS__);                        \
    } while (0)

/* Checks that a status is one of two. */
void mix_expect(struct mix *m, const char *call, varve_status found,
    varve_status wanted, varve_status other);

/* --- Choosing ------------------------------------------------------------- */

/* Returns the graph that an argument selects; a new one if there is none. */
uint8_t mix_pick_graph(struct mix *m, uint8_t by);

/* Returns the by-th node of a graph for which `is` returns true, or
 * MIX_NONE. */
typedef bool mix_is(const struct mix_graph *graph, uint8_t node);
uint8_t mix_pick(const struct mix_graph *graph, mix_is *is, uint8_t by);
mix_is mix_is_parent; /* can have children */
mix_is mix_is_object; /* a container without a value */
mix_is mix_is_list;
mix_is mix_is_variable;
mix_is mix_is_ordinary; /* a variable, but not a slot */
mix_is mix_is_any;
mix_is mix_is_child; /* any node except the root */

/* Returns a free name for a new child, or MIX_NONE. */
uint8_t mix_new_name(const struct mix_graph *graph, uint8_t parent, uint8_t by);

struct mix_value mix_fresh(struct mix *m, uint8_t count);
const char *mix_path(const struct mix *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- Changing the model --------------------------------------------------- */

/* Sets a value, whose shape may differ. */
void mix_set_value(
    struct mix_graph *graph, uint8_t node, const struct mix_value *value);

/* Call after nodes were removed, edges added, or names changed. */
void mix_changed(struct mix *m, uint8_t graph);
void mix_forget_nodes(struct mix *m, uint8_t graph, mix_set gone);
void mix_forget_graph(struct mix *m, uint8_t graph);

/* Delivers values of open restorations to a graph. If a value does not fit, the
 * graph must have recorded an error. */
void mix_arrive(struct mix *m, uint8_t graph);

/* Predicts the result of opening a restoration. */
enum mix_fit { MIX_FITS, MIX_MISMATCHES, MIX_UNSURE };
enum mix_fit mix_match(struct mix *m, struct mix_open *open);
/* Returns true if a node below the root has a match in the file (certainly, if
 * `surely`, else possibly). */
bool mix_has_match(
    const struct mix *m, const struct mix_open *open, bool surely);
/* Returns true if every member of a struct that the file certainly contains got
 * memory. */
bool mix_has_resize_buffers(const struct mix *m, const struct mix_open *open);
void mix_read_one(struct mix *m, struct mix_open *open, const char *path,
    const varve_read_options *options);
size_t mix_deliver(struct mix *m, struct mix_open *open);

/* Returns the nodes that a pattern for an edge of a root selects: by any path
 * for mix_only; those with another path for mix_except. */
mix_set mix_only(const struct mix_shape *shape, uint8_t root, uint8_t name);
mix_set mix_except(const struct mix_shape *shape, uint8_t root, uint8_t name);

/* Delivers values again to a node and all nodes below it, on request. */
void mix_match_again(struct mix *m, struct mix_open *open, uint8_t node);

/* Call before mix_changed when children of a list moved to other positions. */
void mix_moved(struct mix *m, uint8_t graph, uint8_t list);

/* Adds edges that the library created to existing nodes. */
void mix_follow_shared(struct mix *m, uint8_t graph);

/* Returns an unused entry, or NULL. */
struct mix_open *mix_open_place(struct mix *m);
void mix_close(struct mix *m, struct mix_open *open);

/* Compares everything with the model and adopts possible results. */
void mix_look(struct mix *m);
void mix_look_at_encoding(struct mix *m, const char *path);
void mix_look_at_file(
    struct mix *m, const char *path, const struct mix_file *file);

/* --- Operations ----------------------------------------------------------- */

typedef void mix_operation(struct mix *m, uint8_t a, uint8_t b, uint8_t c);

struct mix_entry {
    const char *name;
    mix_operation *run;
    unsigned weight; /* relative frequency in random programs */
};
enum { MIX_MOST_OPERATIONS = 256 }; /* the range of a byte */
extern const struct mix_entry mix_operations[];
extern const unsigned mix_operation_count;

static inline bool mix_is_left_out(const bool *without, unsigned number)
{
    return without && without[number];
}

#endif
