/* comm_script.h - random calls of a communicator, the same at every rank.
 *
 * What a rank sends is a function of the step, the rank and the place, so that
 * whoever gets it can tell. For communicators of any kind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_COMM_SCRIPT_H
#define SUPPORT_COMM_SCRIPT_H

#include <varve/comm.h>

enum { COMM_SCRIPT_RANKS = 8 }; /* at most */

struct comm_script {
    uint64_t seed;
    unsigned steps;
    size_t largest; /* bytes of a rank in a call */
};

/* What became of a rank. */
struct comm_outcome {
    varve_status status; /* of the first call that failed */
    unsigned steps;      /* that succeeded */
    long calls;          /* the test's own count */
    bool is_wrong;       /* bytes came that nobody had sent, or a call after one
                            that failed was not VARVE_DISCONNECTED */
};

/* Runs it up to the first failure; adds to an outcome that is zero. */
void comm_run_script(const varve_comm *comm, const struct comm_script *script,
    struct comm_outcome *outcome);

/* What a rank sends in a step, to be freed with free; and whether it is. */
unsigned char *comm_bytes(unsigned step, uint32_t rank, size_t size);
bool comm_are_bytes(
    const unsigned char *bytes, unsigned step, uint32_t rank, size_t size);

#endif
