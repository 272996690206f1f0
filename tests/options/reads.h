/* reads.h - the calls that read, by one process or many, and the options that
 * they are given.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_READS_H
#define OPTIONS_READS_H

#include "matrix.h"
#include "system.h"

enum {
    LARGE = 40 * 1024,      /* floats of `large` */
    HUGE_SIZE = 1600 * 1024, /* those where threads are to share it */
    SMALL_STAGING = 8 * 1024 /* bytes, less than that of `large` */
};

/* What is special about the graph that is in the file. */
enum file_kind {
    FILE_SHARED = 1 << 0,   /* `x` and `y` are the same variable */
    FILE_EXTRA = 1 << 1,    /* has `extra` */
    FILE_DAMAGED = 1 << 2,  /* in the bytes of `large` */
    FILE_FOREIGN = 1 << 3,  /* npz, with a variable "u.v" */
    FILE_HDF5 = 1 << 4,     /* what only libhdf5 would read */
    FILE_HUGE = 1 << 5,     /* `large` has HUGE_SIZE elements */
    FILE_LINKED = 1 << 6    /* files that it names are links to elsewhere */
};

/* And about that of the program. */
enum program_kind {
    PROGRAM_LONGER = 1 << 0,  /* `a` has 6 elements */
    PROGRAM_SQUARE = 1 << 1,  /* `a` is 2 by 2 */
    PROGRAM_DOUBLE = 1 << 2,  /* `a` is of float64 */
    PROGRAM_RENAMED = 1 << 3, /* `a` is `c` */
    PROGRAM_EXTRA = 1 << 4,   /* has `extra` */
    PROGRAM_APART = 1 << 5,   /* `x` and `y` are two variables */
    PROGRAM_SUB = 1 << 6,     /* has but an `a` */
    PROGRAM_LATE = 1 << 7,    /* `large` is added after the read */
    PROGRAM_DOTS = 1 << 8     /* has but `u/v` */
};

struct read_call;
struct read_row;

struct read_trial {
    struct disk disk;
    struct vv_system linked; /* that of the disk, with links */
    const struct read_call *call;
    const struct read_row *row;
    varve_read_options tested;
    size_t log_begin;
    long own_calls; /* of threads and processors, by what is no read */
    atomic_long progress_calls, loss_calls;
    atomic_bool cancels;
    bool is_seen;
    bool fails_first; /* the file could not be made */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

/* The program of one rank. */
struct reading {
    struct read_trial *trial;
    const varve_comm *comm;
    varve_graph *graph;
    varve_node *root;
    float a[8], b[4], sub[4], x[4], y[4], extra[4], v[4];
    double wide[4];
    float *large;
    varve_restoration *restoration; /* NULL: the call gives none */
    bool owns_restoration;
    varve_manager *manager;
    varve_saver *saver;
    varve_run *run;
    varve_error error;
};

struct read_call {
    const char *name;
    const char *taker;
    const char *path;
    varve_status (*write)(const struct read_call *c, struct reading *r);
    varve_status (*read)(const struct read_call *c, struct reading *r,
        const varve_read_options *o);
    bool is_of_many, has_nodes, has_levels, is_dry, is_run;
    bool makes_graph; /* of what the file has */
};

struct read_row {
    const char *name;
    const char *with;
    const char *needs;
    unsigned file;    /* enum file_kind */
    unsigned program; /* enum program_kind */
    void (*set)(varve_read_options *o, struct read_trial *t);
    void (*set_both)(varve_read_options *o, struct read_trial *t);
    bool (*is_seen)(struct reading *r, varve_status status);
    bool is_too_new;
};

/* The file that a call reads, or its prefix where that is a file. */
const char *read_path(const struct read_call *c, const struct read_row *row);

extern const struct read_call read_calls[];
extern const size_t read_call_count;
extern const struct read_row read_rows[];
extern const size_t read_row_count;

/* The first number of a variable; -1 as the program made it, -2 where there is
 * none, or none yet. */
double first_of(const struct reading *r, const char *path);

/* Whether a value has come to a path of the program, or in a plan would. */
bool has_come(const struct reading *r, const char *path);

#endif
