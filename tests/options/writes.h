/* writes.h - Declares the calls that write, in one process or several, and
 * their options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_WRITES_H
#define OPTIONS_WRITES_H

#include "matrix.h"

enum {
    BIG = 66 * 1024, /* floats: larger than all thresholds for one value */
    ROWS = 16,
    FIRST_COUNTER = 40 /* counter of the root before the first save */
};

struct write_call;
struct write_row;
struct session;

/* A test of one call with one option, and its observable results. */
struct trial {
    struct disk disk;
    const struct write_call *call;
    const struct write_row *row;
    varve_write_options before; /* of the first save */
    varve_write_options tested; /* of the second save */
    size_t log_begin;           /* log position of the second save */
    size_t layers_begin;
    uint64_t size_begin;
    atomic_long progress_calls, loss_calls;
    atomic_bool is_user_wrong;
    atomic_bool cancels;     /* the progress callback cancels */
    atomic_bool is_returned; /* the call that starts an asynchronous save */
    atomic_bool has_waited;
    /* the first save was complete when the second call returned */
    atomic_bool was_one_done;
    bool is_seen; /* the effect was observed */
    bool fails_first;
    /* called instead of save_tested, or NULL */
    void (*instead)(struct session *s);
    void *user;                         /* argument of `instead` */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

/* The state of one rank. */
struct session {
    struct trial *trial;
    const varve_comm *comm; /* NULL: a single process */
    varve_graph *graph;
    varve_node *root, *big;
    float *values; /* elements of `big` */
    float rows[ROWS];
    double small;
    varve_string word;
    varve_saver *saver;
    varve_run *run;
    varve_write_options write; /* options of the run */
    int64_t step;
    char path[256];       /* path of the newest checkpoint */
    char first_path[256]; /* path of the first checkpoint */
    /* file with the uncompressed value of `big` in the first checkpoint;
     * else the newest large data file; "": none */
    char file[256];
    bool is_packed;
    uint64_t offset;
    double now; /* a variable; `waits` has a pending value for its sibling */
    varve_restoration *waits;
    varve_error error;
};

/* A call that saves, waits for its completion and sets `path`. */
struct write_call {
    const char *name;
    const char *taker; /* name from names.py */
    varve_status (*save)(const struct write_call *c, struct session *s,
        const varve_write_options *o);
    bool is_of_many;
    bool has_nodes; /* each rank is on a separate node */
    bool is_async;
    bool is_numbered;
    bool by_step;
    bool has_levels;
    bool is_run;
    /* Starts a save and returns its job; NULL if the call does not return
     * one. */
    varve_job *(*start)(
        struct session *s, const varve_write_options *o, varve_error *error);
};

struct write_row {
    const char *name;
    const char *with;  /* other fields that it sets, separated by spaces */
    const char *needs; /* fields that are set with it, separated by '|' */
    void (*set)(varve_write_options *o, struct trial *t);
    /* Sets the options common to both saves. */
    void (*set_before)(varve_write_options *o, struct trial *t);
    void (*between)(struct session *s); /* called on each rank; NULL: change */
    void (*act)(struct session *s);     /* called instead of the second save */
    bool (*is_seen)(struct session *s, varve_status status);
    bool is_too_new;
};

/* Options that are set in addition to the tested one. */
struct setting {
    const char *name;
    const char *sets; /* names separated by '|' */
    varve_write_options options;
};

enum { SETTINGS = 5 };
extern const struct setting settings[SETTINGS];

extern const struct write_call write_calls[];
extern const size_t write_call_count;
extern const struct write_row write_rows[];
extern const size_t write_row_count;

/* Opens the newest checkpoint of a session. */
varve_reader *open_newest(const struct session *s);

/* Callbacks for options. */
int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what);
void on_loss(void *user, const char *path, const char *what);

/* Returns the number of data files. */
size_t count_layers(const struct trial *t);

/* Returns the total size of the files in the checkpoint directory. */
uint64_t size_of_run(const struct trial *t);

/* Sets the location of `big` in the newest checkpoint. */
void note_place(struct session *s);

void change(struct session *s);

/* Sets up a test of a call with an option, or without it unless `is_set`. */
void begin_trial(struct trial *t, const struct write_call *c,
    const struct write_row *row, const struct setting *setting, bool is_set);

/* Runs both saves on each rank. */
void run_trial(struct trial *t);

/* Runs the second save and stores its status. */
void save_tested(struct session *s);

uint32_t rank_of(const struct session *s);

/* Creates a pending value from a file of this rank. */
void let_wait(struct session *s);
void come_together(const struct session *s);

#endif
