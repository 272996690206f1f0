/* crew.h - Declares a program of several processes whose state is derived from
 * a checkpoint number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_CREW_H
#define CRASH_CREW_H

#include <varve/checkpoint.h>
#include <varve/comm.h>

struct vv_system;

enum { CREW_RANKS = 3 };

/* The write options; zero by default. Incremental saves also contain a variable
 * that is the same in every checkpoint. */
extern varve_write_options crew_options;

/* True if saves are asynchronous and the state changes while they run. */
extern bool crew_is_behind;

/* Saves the part of one rank. */
varve_status crew_save_rank(const varve_comm *comm,
    const struct vv_system *system, const char *path, int number,
    varve_error *error);

/* Saves the parts of all ranks, which are threads on two simulated machines. */
void crew_save(const struct vv_system *system, const char *path, int number);

/* Restores the checkpoint with two ranks, neither of which has the rows of a
 * rank that saved, and returns its number. Fails the test if the values do not
 * belong to one checkpoint; `when` is for the message. */
int crew_find(const struct vv_system *system, const char *path, long when);

#endif
