/* checksum_small.c - Computes the XXH3-128 of a few bytes with the inline
 * functions of xxHash.
 *
 * A graph of scalars has as many checksums as values. The dispatcher of
 * checksum.c costs more than the hash of so few bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "checksum_small.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct vv_digest vv_digest_small(const void *bytes, size_t size)
{
    XXH128_canonical_t form;
    struct vv_digest digest;
    if (size > VV_DIGEST_SMALL)
        __builtin_unreachable(); /* leaves out the code for longer inputs */
    XXH128_canonicalFromHash(&form, XXH3_128bits(bytes, size));
    memcpy(digest.bytes, form.digest, sizeof digest.bytes);
    return digest;
}
