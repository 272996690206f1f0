/* reads.h - Declares the calls that read, in one process or several, and their
 * options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_READS_H
#define OPTIONS_READS_H

#include "matrix.h"
#include "system.h"

enum {
    LARGE = 40 * 1024,      /* floats of `large` */
    /* elements of `large` if several threads read it */
    HUGE_SIZE = 1600 * 1024,
    SMALL_STAGING = 8 * 1024 /* bytes, less than the size of `large` */
};

/* Variants of the graph in the file. */
enum file_kind {
    FILE_SHARED = 1 << 0,   /* `x` and `y` are the same variable */
    FILE_EXTRA = 1 << 1,    /* has `extra` */
    FILE_DAMAGED = 1 << 2,  /* the bytes of `large` are damaged */
    FILE_FOREIGN = 1 << 3,  /* npz, with a variable "u.v" */
    FILE_HDF5 = 1 << 4,     /* a file that only libhdf5 could read */
    FILE_HUGE = 1 << 5,     /* `large` has HUGE_SIZE elements */
    FILE_LINKED = 1 << 6    /* its data files are links to another folder */
};

/* Variants of the graph of the program. */
enum program_kind {
    PROGRAM_LONGER = 1 << 0,  /* `a` has 6 elements */
    PROGRAM_SQUARE = 1 << 1,  /* `a` is 2 by 2 */
    PROGRAM_DOUBLE = 1 << 2,  /* `a` is float64 */
    PROGRAM_RENAMED = 1 << 3, /* `a` is named `c` */
    PROGRAM_EXTRA = 1 << 4,   /* has `extra` */
    PROGRAM_APART = 1 << 5,   /* `x` and `y` are two variables */
    PROGRAM_SUB = 1 << 6,     /* has only `a` */
    PROGRAM_LATE = 1 << 7,    /* `large` is added after the read */
    PROGRAM_DOTS = 1 << 8     /* has only `u/v` */
};

struct read_call;
struct read_row;

struct read_trial {
    struct disk disk;
    struct vv_system linked; /* system of the disk, with links */
    const struct read_call *call;
    const struct read_row *row;
    varve_read_options tested;
    size_t log_begin;
    long own_calls; /* calls for threads and processors outside of the read */
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
    varve_restoration *restoration; /* NULL: the call returns none */
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
    bool makes_graph; /* the graph is created from the file */
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

/* Returns the path that a call reads; for a numbered file, its prefix. */
const char *read_path(const struct read_call *c, const struct read_row *row);

extern const struct read_call read_calls[];
extern const size_t read_call_count;
extern const struct read_row read_rows[];
extern const size_t read_row_count;

/* Returns the first number of a variable; -1 if it still has the initial value,
 * -2 if it does not exist or has no value yet. */
double first_of(const struct reading *r, const char *path);

/* Returns true if a value was restored to a path, or in a dry run would be. */
bool has_come(const struct reading *r, const char *path);

#endif
