/* crew.h - a program of several processes, whose values are those of a number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_CREW_H
#define CRASH_CREW_H

#include <varve/checkpoint.h>
#include <varve/comm.h>

struct vv_system;

enum { CREW_RANKS = 3 };

/* How they save; zeros at first. In layers they have something that is the same
 * whatever the number. */
extern varve_write_options crew_options;

/* Whether they save in the background, while their values change. */
extern bool crew_is_behind;

/* One rank saves. */
varve_status crew_save_rank(const varve_comm *comm,
    const struct vv_system *system, const char *path, int number,
    varve_error *error);

/* All do, as threads, on two machines. */
void crew_save(const struct vv_system *system, const char *path, int number);

/* The number whose values are there, restored by two ranks, neither of which
 * has the rows of any that saved. Anything else fails the test; `when` is for
 * its message. */
int crew_find(const struct vv_system *system, const char *path, long when);

#endif
