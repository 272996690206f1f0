/* mix.h - one run: the graphs, files and all that holds on to them, each beside
 * its model.
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
    MIX_DEEP = 3, /* places of a ring */
    MIX_SAVERS = 2,
    MIX_MANAGERS = 2,
    MIX_KEPT = 24, /* checkpoints of a directory */
    MIX_MAYBE = 16,
    MIX_JOBS = 4,
};

/* --- The parts ------------------------------------------------------------ */

struct mix_graph {
    varve_graph *graph; /* NULL: none */
    struct mix_shape shape;
    varve_node *nodes[MIX_NODES];
    void *memory[MIX_NODES]; /* the program's, of variables and states */
    uint64_t restored_by[MIX_NODES];
    uint64_t maybe_by[MIX_NODES];
    /* Of structs: what a node was made of, and where that is. */
    const struct mix_member *member[MIX_NODES];
    const struct mix_struct_kind *of[MIX_NODES];
    void *object[MIX_NODES];
    mix_set waiting[MIX_NODES]; /* members without memory */
    char *text[MIX_NODES];
    mix_set going; /* while one is looked at again */
    struct mix_object *objects; /* all that ever were */
    bool has_retired;           /* names of older files */

    uint64_t counter; /* of saves of its root */
    unsigned version; /* counts changes of what a file would look like */
    unsigned untold;  /* statuses, as bits: one of them is told by the next
                         save, */
    bool may_tell_unknown; /* or this one may be */

    /* Values that a variable may have instead, where more than one answer is
     * right; which it was is looked up after each operation. */
    struct mix_value maybe[MIX_NODES][MIX_MAYBE];
    uint8_t maybe_count[MIX_NODES];
};

/* What a checkpoint has to hold. */
struct mix_file {
    bool is_there;
    varve_format format;
    bool is_loose; /* names that the format may not keep: nothing is expected */
    uint64_t counter;
    struct mix_shape shape;
};

/* An open restoration. */
struct mix_open {
    varve_restoration *restoration; /* NULL: none */
    struct mix_manager *manager;    /* whose it is, or NULL */
    uint8_t graph;                  /* MIX_NONE: gone */
    uint8_t root;
    uint64_t number; /* a later one has a higher one */
    struct mix_file file;
    bool casts;
    bool resizes;
    bool reshapes;
    bool streams;
    uint8_t only, except; /* an edge of the root; MIX_NONE: none */
    uint8_t renamed;      /* likewise, and what it is in the file */
    uint8_t old_name;
    bool has_read; /* what comes now comes late */
    bool is_loose; /* options or names: every answer that fits is right */
    uint8_t taker[MIX_NODES]; /* of a value of the file: the node that got it;
                                 MIX_NONE: none yet */
    bool is_taken[MIX_NODES]; /* by file node: delivered for good */
    mix_set damaged;          /* values of the file, by `salvage`; */
    mix_set lost;             /* and those that somebody was to get */
    mix_set dropped;          /* nodes of the file without a value */
    mix_set fed;              /* nodes of the program that got a value */
    mix_set unsure;           /* nodes of the program, and of the file, of */
    mix_set unsure_in_file;   /* which more than one thing may be true */
    mix_set seen[MIX_NODES];  /* by node of the program: all that it was ever
                                 compared with, */
    mix_set moved[MIX_NODES]; /* and what a move brought it to after that */
};

struct mix_snapshot {
    varve_snapshot *snapshot;
    uint8_t graph; /* MIX_NONE: gone */
    uint8_t root;
    uint8_t except; /* an edge of the root; MIX_NONE: none */
    unsigned version;
    bool is_unsure;         /* a call that failed, or a file, left it open */
    mix_set taken;          /* nodes */
    struct mix_shape shape; /* values and types */
};

struct mix_ring {
    varve_ring *ring;
    uint8_t graph; /* MIX_NONE: gone */
    uint8_t except;
    uint8_t count;
    struct mix_snapshot at[MIX_DEEP]; /* newest first */
};

struct mix_saver {
    varve_saver *saver;
    bool is_async;
    varve_write_options write;
    uint8_t graph;           /* MIX_NONE: gone */
    uint8_t node[MIX_NAMES]; /* by name; MIX_NONE */
    struct mix_file last;
};

struct mix_manager {
    varve_manager *manager;
    uint8_t graph;
    uint8_t directory;
    uint8_t except; /* an edge of the root; MIX_NONE: none */
    bool is_async;
    bool has_level; /* what it saves is copied there too */
    varve_read_options read;
    varve_write_options write;
};

/* A save in the background. */
struct mix_job {
    enum mix_job_kind {
        MIX_WRITTEN,  /* a file */
        MIX_NUMBERED, /* the next one of the prefix */
        MIX_MANAGED,  /* by a manager */
        MIX_BY_SAVER
    } kind;
    varve_job *job; /* of the first two */
    uint8_t graph;
    uint8_t by; /* number of the file, the manager or the saver */
    bool pins;
    bool is_cancelled;
    bool may_be_unknown; /* its outcome */
    unsigned may_fail;   /* with these statuses, as bits */
    uint64_t counter;    /* it is above this */
    struct mix_file file;
};

/* A directory of numbered files, of varve_save or of managers. */
struct mix_directory {
    uint8_t count; /* oldest first */
    uint64_t numbers[MIX_KEPT];
    bool is_pinned[MIX_KEPT];
    uint64_t maybe_pinned; /* what was not saved after all; 0: nothing */
    bool may_have_more;    /* what seemed to be damaged stays */
    struct mix_file files[MIX_KEPT];
};

/* A directory of managers of many processes, oldest first. What is in a
 * checkpoint follows from its step. */
struct mix_crowd {
    uint8_t count;
    struct {
        int64_t step;
        bool is_pinned;
    } kept[MIX_KEPT];
};

/* --- The whole ------------------------------------------------------------ */

struct mix {
    /* The program. */
    const uint8_t *bytes;
    size_t size;
    bool traces;
    const bool *without; /* operations that are not done, or NULL */

    /* Memory, of any thread. */
    varve_allocator allocator;
    atomic_long blocks;
    atomic_size_t bytes_in_use;
    _Atomic uint64_t bytes_ever;
    atomic_long tried;
    atomic_long failing; /* the allocation with this number; -1: none */

    /* The system, which can be made to fail, over one that never sleeps. */
    struct vv_system posix;
    struct faulty *faulty;
    struct vv_context context;

    char place[64]; /* the directory for all files */
    struct mix_graph graphs[MIX_GRAPHS];
    struct mix_file files[MIX_FILES];
    struct mix_open opens[MIX_OPENS];
    struct mix_snapshot snapshots[MIX_SNAPSHOTS];
    struct mix_ring rings[MIX_RINGS];
    struct mix_saver savers[MIX_SAVERS];
    struct mix_manager managers[MIX_MANAGERS];
    struct mix_job jobs[MIX_JOBS]; /* in flight, in the order of the calls */
    uint8_t job_count;
    bool is_told; /* of those that came before a save, in whose place it is */
    atomic_bool is_gate_closed; /* those that have one wait at it */
    struct mix_directory saved; /* by varve_save */
    bool wrote_beside; /* the file of the prefix's own name, since then */
    bool has_pieces;   /* a file may have values in pieces */
    struct mix_directory managed[MIX_MANAGERS]; /* by managers */
    struct mix_crowd crowd;                     /* by those of many */
    uint64_t restorations;                      /* ever */
    unsigned names;                             /* of churned nodes, ever */
    unsigned loads, saves;                      /* of states */
    struct mix_room *resize_buffers;
    bool has_demanded; /* children, in the call that was */
    uint64_t fresh; /* where new numbers come from */
    enum mix_trouble {
        MIX_NO_TROUBLE,
        MIX_NO_MEMORY,
        MIX_FULL_DISK,
        MIX_FAILING_CALL,
        MIX_FAILING_COPY /* of far memory */
    } trouble, trouble_before; /* of the call that was */
    uint8_t trouble_at;        /* what the next call that can fail is to meet */
    uint8_t trouble_way;
    bool trouble_lasts;
    atomic_int copies;  /* of far memory in this call; */
    int failing_copy;   /* the one that fails; -1: none */
    bool may_half;      /* the next call may be left half done, */
    bool is_streaming;  /* as it is one that cannot be undone */
    varve_error error;
};

/* Runs a program in a new world; ends the process when something is wrong.
 * `place` is an empty directory. */
struct mix_program {
    const uint8_t *bytes;
    size_t size;
    const char *place;
    bool traces;
    const bool *without; /* by number; NULL: all are done */
};
void mix_run(const struct mix_program *program);

/* --- Saying --------------------------------------------------------------- */

/* One line of the program, as the call that it makes; before it is made. */
void mix_say(const struct mix *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Something is wrong: says what and ends the process. */
_Noreturn void mix_wrong(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the last program ended that was wrong: shared with who started it. */
extern char *mix_failed_at;
enum { MIX_PLACE_SIZE = 64 };

#define MIX_CHECK(holds, ...)                                                  \
    do {                                                                       \
        if (!(holds))                                                          \
            mix_wrong(__FILE__, __LINE__, __VA_ARGS__);                        \
    } while (0)

/* A status that has to be one of two. */
void mix_expect(struct mix *m, const char *call, varve_status found,
    varve_status wanted, varve_status other);

/* --- Choosing ------------------------------------------------------------- */

/* The graph that an argument means; a new one where there is none. */
uint8_t mix_pick_graph(struct mix *m, uint8_t by);

/* The by-th node of a graph of which `is` holds; MIX_NONE: none. */
typedef bool mix_is(const struct mix_graph *graph, uint8_t node);
uint8_t mix_pick(const struct mix_graph *graph, mix_is *is, uint8_t by);
mix_is mix_is_parent; /* takes children */
mix_is mix_is_object; /* a container without a value */
mix_is mix_is_list;
mix_is mix_is_variable;
mix_is mix_is_ordinary; /* a variable that is no slot */
mix_is mix_is_any;
mix_is mix_is_child; /* any but the root */

/* The name under which a new child can stand; MIX_NONE: none. */
uint8_t mix_new_name(const struct mix_graph *graph, uint8_t parent, uint8_t by);

struct mix_value mix_fresh(struct mix *m, uint8_t count);
const char *mix_path(const struct mix *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- What changes the model -------------------------------------------------
 */

/* Another value, perhaps of another shape. */
void mix_set_value(
    struct mix_graph *graph, uint8_t node, const struct mix_value *value);

/* After nodes went, edges came, or names changed. */
void mix_changed(struct mix *m, uint8_t graph);
void mix_forget_nodes(struct mix *m, uint8_t graph, mix_set gone);
void mix_forget_graph(struct mix *m, uint8_t graph);

/* What open restorations bring to a graph now. False: something came that does
 * not fit, and the graph says so. */
void mix_arrive(struct mix *m, uint8_t graph);

/* A restoration that is being opened: what must happen. */
enum mix_fit { MIX_FITS, MIX_MISMATCHES, MIX_UNSURE };
enum mix_fit mix_match(struct mix *m, struct mix_open *open);
/* Whether a node below its root has a match in the file, surely or maybe. */
bool mix_has_match(
    const struct mix *m, const struct mix_open *open, bool surely);
/* Whether every member of a struct that a file surely has got room. */
bool mix_has_resize_buffers(const struct mix *m, const struct mix_open *open);
void mix_read_one(struct mix *m, struct mix_open *open, const char *path,
    const varve_read_options *options);
size_t mix_deliver(struct mix *m, struct mix_open *open);

/* What a pattern for an edge of a root stands for: by any path, or where it is
 * left out, what has another. */
mix_set mix_only(const struct mix_shape *shape, uint8_t root, uint8_t name);
mix_set mix_except(const struct mix_shape *shape, uint8_t root, uint8_t name);

/* What comes again to a node, and to all below it, when that is asked for. */
void mix_match_again(struct mix *m, struct mix_open *open, uint8_t node);

/* Before mix_changed: children of a list came to other positions. */
void mix_moved(struct mix *m, uint8_t graph, uint8_t list);

/* Edges that the library made of itself, to what was there already. */
void mix_follow_shared(struct mix *m, uint8_t graph);

/* An empty place for one; NULL: none. */
struct mix_open *mix_open_place(struct mix *m);
void mix_close(struct mix *m, struct mix_open *open);

/* Whether all is as the model has it; adopts what may be. */
void mix_look(struct mix *m);
void mix_look_at_encoding(struct mix *m, const char *path);
void mix_look_at_file(
    struct mix *m, const char *path, const struct mix_file *file);

/* --- Operations ----------------------------------------------------------- */

typedef void mix_operation(struct mix *m, uint8_t a, uint8_t b, uint8_t c);

struct mix_entry {
    const char *name;
    mix_operation *run;
    unsigned weight; /* how often a random program has it */
};
enum { MIX_MOST_OPERATIONS = 256 }; /* numbers of a byte */
extern const struct mix_entry mix_operations[];
extern const unsigned mix_operation_count;

static inline bool mix_is_left_out(const bool *without, unsigned number)
{
    return without && without[number];
}

#endif
