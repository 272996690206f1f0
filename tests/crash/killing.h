/* killing.h - Starts processes that save repeatedly until they are killed at a
 * random time, and checks the files they leave.
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

/* The saved model; each element contains the step of the save. */
struct killing_model {
    float weights[KILLING_NUMBERS]; /* steps below 2^24 are exact */
    uint64_t counts[20];
    uint64_t step;
    varve_graph *graph;
};

void killing_fill(struct killing_model *model, uint64_t step);
void killing_begin_model(struct killing_model *model);
void killing_end_model(struct killing_model *model);

/* Verifies a file and returns the step that all of its elements contain. Fails
 * the test if they differ. */
uint64_t killing_step_of(const char *path);

/* The progress of a saver, in memory that survives the process. */
struct killing_saver {
    pid_t process;
    _Atomic uint64_t begun; /* the step of the newest save; 0: none yet */
    _Atomic uint64_t done;  /* step of the newest save that returned VARVE_OK */
    _Atomic uint64_t saves;
    _Atomic uint64_t duration; /* duration of the newest save, in ns */
    _Atomic bool has_failed;
    varve_error error;
};

/* Saves the model filled with this step. May return VARVE_EXISTS if another
 * saver has already written the file. */
typedef varve_status killing_save(
    struct killing_model *model, uint64_t step, varve_error *error);

/* Allocates progress records that the savers share with this process. */
struct killing_saver *killing_share(void);
void killing_unshare(struct killing_saver *savers);

/* The parameters of a saver. */
struct killing_plan {
    struct killing_model *model;
    killing_save *save;
    uint64_t first;  /* saves steps first, first + stride, ... */
    uint64_t stride;
    uint64_t time;   /* ns until a timer kills it; 0: no timer */
};

/* Starts a process that saves until it is killed. */
void killing_start(
    struct killing_saver *saver, const struct killing_plan *plan);

/* Waits until the process has ended. Without a timer, kills it after 0 to 3
 * saves and a fraction of one more; `chance` selects the time. */
void killing_end(
    struct killing_saver *saver, bool has_timer, uint64_t chance);

uint64_t killing_now(void); /* in ns */

#endif
