/* stream.c - splitmix64, in closed form.
 *
 * SPDX-License-Identifier: MIT
 */
#include "stream.h"

uint64_t stream_next(struct stream *stream)
{
    uint64_t x = stream->key + ++stream->count * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t stream_below(struct stream *stream, uint64_t limit)
{
    /* Small numbers come up more often, by less than limit / 2^64. */
    return stream_next(stream) % limit;
}

double stream_unit(struct stream *stream)
{
    return (double)(stream_next(stream) >> 11) * 0x1p-53;
}
