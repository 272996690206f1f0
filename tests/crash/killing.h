/* killing.h - processes that save again and again until they are killed at a
 * random time, and what they leave.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_KILLING_H
#define CRASH_KILLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <varve/varve.h>

enum { KILLING_NUMBERS = 1000, KILLING_SAVERS = 2 };

/* What is saved: the step of the save in every element. */
struct killing_model {
    float weights[KILLING_NUMBERS]; /* steps below 2^24 are exact */
    uint64_t counts[20];
    uint64_t step;
    varve_graph *graph;
};

void killing_fill(struct killing_model *model, uint64_t step);
void killing_begin_model(struct killing_model *model);
void killing_end_model(struct killing_model *model);

/* The step that a file holds in all its elements, after the file was verified.
 * Anything else fails the test. */
uint64_t killing_step_of(const char *path);

/* What a saver says of itself, in memory that outlives it. */
struct killing_saver {
    pid_t process;
    _Atomic uint64_t begun; /* the step of the newest save; 0: none yet */
    _Atomic uint64_t done;  /* of the newest save that returned VARVE_OK */
    _Atomic uint64_t saves;
    _Atomic uint64_t duration; /* of the newest save, in ns */
    _Atomic bool has_failed;
    varve_error error;
};

/* Saves the model, filled with this step. VARVE_EXISTS is for another one. */
typedef varve_status killing_save(
    struct killing_model *model, uint64_t step, varve_error *error);

/* Memory for savers that their processes share with this one. */
struct killing_saver *killing_share(void);
void killing_unshare(struct killing_saver *savers);

/* What a saver does. */
struct killing_plan {
    struct killing_model *model;
    killing_save *save;
    uint64_t first;  /* steps first, first + stride and so on */
    uint64_t stride;
    uint64_t time;   /* in ns: then a timer kills it; 0: no timer */
};

/* Starts a process that saves until it is killed. */
void killing_start(
    struct killing_saver *saver, const struct killing_plan *plan);

/* Waits for its end. Without a timer it is killed from here: after 0 to 3 saves
 * and a part of the time that one takes; `chance` decides. */
void killing_end(
    struct killing_saver *saver, bool has_timer, uint64_t chance);

uint64_t killing_now(void); /* in ns */

#endif
