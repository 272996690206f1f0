/* stream.h - random numbers whose whole state is a key and a count, so that two
 * scalar variables are enough to continue them after a restart.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_STREAM_H
#define SUPPORT_STREAM_H

#include <stdint.h>

/* The n-th number is a hash of key and n (splitmix64). */
struct stream {
    uint64_t key;
    uint64_t count; /* numbers drawn so far */
};

uint64_t stream_next(struct stream *stream);

/* Below `limit`, which is at least 1. */
uint64_t stream_below(struct stream *stream, uint64_t limit);

/* At least 0, below 1. */
double stream_unit(struct stream *stream);

#endif
