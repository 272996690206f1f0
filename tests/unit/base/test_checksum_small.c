/* test_checksum_small.c - Compares the checksums of a few bytes with those of
 * libxxhash.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <xxhash.h>

#include "checksum_small.h"

TEST(checksum_small, agrees_with_the_library_at_every_size)
{
    unsigned char bytes[VV_DIGEST_SMALL];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(181 * i + 7);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        XXH128_canonical_t form;
        XXH128_canonicalFromHash(&form, XXH3_128bits(bytes, size));
        const struct vv_digest digest = vv_digest_small(bytes, size);
        cr_assert_arr_eq(digest.bytes, form.digest, sizeof form.digest);
    }
}
