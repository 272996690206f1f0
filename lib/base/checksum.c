/* checksum.c - Computes XXH3 with libxxhash, and resets the vector registers
 * that it has used.
 *
 * SPDX-License-Identifier: MIT
 */
#include "checksum.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for the size of XXH3_state_t */
#ifdef VV_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include "allocator.h"

/* --- Registers ------------------------------------------------------------ */

/* Clears the upper halves of the registers with vzeroupper. */

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)

/* The target attribute makes the compiler keep nothing of its own in these
 * registers. */
__attribute__((target("avx"))) static void clear(void)
{
    __builtin_ia32_vzeroupper();
}

void vv_clear_registers(void)
{
    if (__builtin_cpu_supports("avx"))
        clear();
}

#else

void vv_clear_registers(void)
{
}

#endif

/* --- Checksums ------------------------------------------------------------ */

/* Computes XXH3 with the dispatcher of libxxhash, which selects instructions at
 * run time. Without it, uses the portable functions.
 *
 * The dispatcher of 0.8.1 (Debian 12) leaves the upper halves of the vector
 * registers in use after AVX2 and AVX-512. Therefore vv_clear_registers follows
 * each call that may have used them. It can be removed when no supported
 * version of xxHash needs it: test_checksum.c passes without it then. */

/* Largest input that is hashed without vector instructions. */
enum { MOST_WITHOUT_VECTORS = 240 };

struct vv_digester {
    XXH3_state_t state;
};

static void clear_after(size_t size)
{
    if (size > MOST_WITHOUT_VECTORS)
        vv_clear_registers();
}

static struct vv_digest canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t form;
    struct vv_digest digest;
    XXH128_canonicalFromHash(&form, hash);
    memcpy(digest.bytes, form.digest, sizeof digest.bytes);
    return digest;
}

struct vv_digest vv_digest_long(const void *bytes, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    clear_after(size);
    return canonical(hash);
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
    uint64_t hash = XXH3_64bits(bytes, size);
    clear_after(size);
    return hash;
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
    vv_clear_registers();
}

struct vv_digest vv_digester_end(const struct vv_digester *digester)
{
    XXH128_hash_t hash = XXH3_128bits_digest(&digester->state);
    vv_clear_registers();
    return canonical(hash);
}

struct vv_digest vv_digester_end_with(
    const struct vv_digester *digester, const void *bytes, size_t size)
{
    struct vv_digester copy = *digester;
    vv_digester_add(&copy, bytes, size);
    return vv_digester_end(&copy);
}

void vv_digester_restart(struct vv_digester *digester)
{
    XXH3_128bits_reset(&digester->state);
}

void vv_digester_free(const varve_allocator *a, struct vv_digester *digester)
{
    vv_release_aligned(a, digester, sizeof *digester, 64);
}
