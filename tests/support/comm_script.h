/* comm_script.h - Declares random calls of a communicator, the same on every
 * rank.
 *
 * The data that a rank sends depends on the step, the rank and the offset, so
 * that the receiver can verify it. Works with communicators of any kind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_COMM_SCRIPT_H
#define SUPPORT_COMM_SCRIPT_H

#include <varve/comm.h>

enum { COMM_SCRIPT_RANKS = 8 }; /* maximum */

struct comm_script {
    uint64_t seed;
    unsigned steps;
    size_t largest; /* bytes of a rank in a call */
};

/* The results of a rank. */
struct comm_outcome {
    varve_status status; /* of the first call that failed */
    unsigned steps;      /* successful steps */
    long calls;          /* count kept by the test */
    /* wrong data was received, or a call after a failed one did not return
     * VARVE_DISCONNECTED */
    bool is_wrong;
};

/* Runs the script up to the first failure. Adds to an outcome that was
 * zeroed. */
void comm_run_script(const varve_comm *comm, const struct comm_script *script,
    struct comm_outcome *outcome);

/* Returns the data that a rank sends in a step, to be freed with free.
 * comm_are_bytes compares it. */
unsigned char *comm_bytes(unsigned step, uint32_t rank, size_t size);
bool comm_are_bytes(
    const unsigned char *bytes, unsigned step, uint32_t rank, size_t size);

#endif
