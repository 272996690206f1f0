/* checksum.c - XXH3 by the library's own choice of instructions where it was
 * built with its dispatcher, else the portable functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "checksum.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* the size of XXH3_state_t */
#ifdef VV_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include "allocator.h"

struct vv_digester {
    XXH3_state_t state;
};

static struct vv_digest canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t form;
    struct vv_digest digest;
    XXH128_canonicalFromHash(&form, hash);
    memcpy(digest.bytes, form.digest, sizeof digest.bytes);
    return digest;
}

struct vv_digest vv_digest_of(const void *bytes, size_t size)
{
    return canonical(XXH3_128bits(bytes, size));
}

bool vv_digest_equal(const struct vv_digest *a, const struct vv_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void vv_digest_text(const struct vv_digest *digest, char text[33])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        text[2 * i] = digits[digest->bytes[i] >> 4];
        text[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    text[32] = '\0';
}

uint64_t vv_hash_of(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

struct vv_digester *vv_digester_new(const varve_allocator *a)
{
    struct vv_digester *digester = vv_allocate_aligned(a, sizeof *digester, 64);
    if (digester) {
        XXH3_INITSTATE(&digester->state);
        XXH3_128bits_reset(&digester->state);
    }
    return digester;
}

void vv_digester_add(
    struct vv_digester *digester, const void *bytes, size_t size)
{
    XXH3_128bits_update(&digester->state, bytes, size);
}

struct vv_digest vv_digester_end(const struct vv_digester *digester)
{
    return canonical(XXH3_128bits_digest(&digester->state));
}

void vv_digester_free(const varve_allocator *a, struct vv_digester *digester)
{
    vv_release_aligned(a, digester, sizeof *digester, 64);
}
