/* writes.h - the calls that write, by one process or many, and the options that
 * they are given.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_WRITES_H
#define OPTIONS_WRITES_H

#include "matrix.h"

enum {
    BIG = 66 * 1024, /* floats: more than any threshold for one value */
    ROWS = 16,
    FIRST_COUNTER = 40 /* of the root before the first save */
};

struct write_call;
struct write_row;
struct session;

/* What is written, and what of that can be seen from outside. */
struct trial {
    struct disk disk;
    const struct write_call *call;
    const struct write_row *row;
    varve_write_options before; /* of the first save */
    varve_write_options tested; /* of the second */
    size_t log_begin;           /* of the second in the log of the disk */
    size_t layers_begin;
    uint64_t size_begin;
    atomic_long progress_calls, loss_calls;
    atomic_bool is_user_wrong;
    atomic_bool cancels;     /* the callback of progress does */
    atomic_bool is_returned; /* the call that starts a save in the background */
    atomic_bool has_waited;
    atomic_bool was_one_done; /* when the second call returned */
    bool is_seen; /* the effect of the option */
    bool fails_first;
    void (*instead)(struct session *s); /* of save_tested; NULL */
    void *user;                         /* its own */
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

/* One rank. */
struct session {
    struct trial *trial;
    const varve_comm *comm; /* NULL: there is one process */
    varve_graph *graph;
    varve_node *root, *big;
    float *values; /* of `big` */
    float rows[ROWS];
    double small;
    varve_string word;
    varve_saver *saver;
    varve_run *run;
    varve_write_options write; /* of the run */
    int64_t step;
    char path[256];       /* of the newest */
    char first_path[256]; /* of the one before */
    char file[256];       /* of the value of `big` in the first, as it lies
                             there; else the layer that is as large; "": none */
    bool is_packed;
    uint64_t offset;
    double now; /* a variable beside which a value waits in `waits` */
    varve_restoration *waits;
    varve_error error;
};

/* A call of a session, which waits for what is in the background and sets
 * `path`. */
struct write_call {
    const char *name;
    const char *taker; /* as names.py calls it */
    varve_status (*save)(const struct write_call *c, struct session *s,
        const varve_write_options *o);
    bool is_of_many;
    bool has_nodes; /* each rank on a node of its own */
    bool is_async;
    bool is_numbered;
    bool by_step;
    bool has_levels;
    bool is_run;
    /* Of those whose job is the program's: starts one. */
    varve_job *(*start)(
        struct session *s, const varve_write_options *o, varve_error *error);
};

struct write_row {
    const char *name;
    const char *with;  /* other fields that it sets, parted by spaces */
    const char *needs; /* others that are set besides it, parted by '|' */
    void (*set)(varve_write_options *o, struct trial *t);
    /* What else both saves are given. */
    void (*set_before)(varve_write_options *o, struct trial *t);
    void (*between)(struct session *s); /* at each rank; NULL: change */
    void (*act)(struct session *s);     /* instead of the second save */
    bool (*is_seen)(struct session *s, varve_status status);
    bool is_too_new;
};

/* What is set besides an option. */
struct setting {
    const char *name;
    const char *sets; /* names parted by '|' */
    varve_write_options options;
};

enum { SETTINGS = 5 };
extern const struct setting settings[SETTINGS];

extern const struct write_call write_calls[];
extern const size_t write_call_count;
extern const struct write_row write_rows[];
extern const size_t write_row_count;

/* What the library would call the checkpoint of a value in a file; NULL: none,
 * or in no file in one piece. Of the newest of a session. */
varve_reader *open_newest(const struct session *s);

/* Callbacks for rows. */
int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what);
void on_loss(void *user, const char *path, const char *what);

/* Files of data beside checkpoints. */
size_t count_layers(const struct trial *t);

/* Bytes of the files in the directory of the checkpoints. */
uint64_t size_of_run(const struct trial *t);

/* Where the value of `big` of the newest lies. */
void note_place(struct session *s);

void change(struct session *s);

/* A trial of a call with an option, or without it unless `is_set`. */
void begin_trial(struct trial *t, const struct write_call *c,
    const struct write_row *row, const struct setting *setting, bool is_set);

/* Both saves, of each rank. */
void run_trial(struct trial *t);

/* The second save, whose status is then in the trial. */
void save_tested(struct session *s);

uint32_t rank_of(const struct session *s);

/* From now on a value waits, in a file of this rank. */
void let_wait(struct session *s);
void come_together(const struct session *s);

#endif
