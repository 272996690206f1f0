/* checksum.h - Computes XXH3 checksums, and resets the vector registers
 * afterwards.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CHECKSUM_H
#define VV_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <varve/allocator.h>

#include "checksum_small.h"

/* --- Registers ------------------------------------------------------------ */

/* Resets vector registers after calls of other libraries. */

/* Clears the upper halves of the vector registers, as every x86 function that
 * used them must do before it returns; does nothing on other machines. Called
 * after code of other libraries that fails to do so. While the upper halves are
 * in use, SSE instructions have false dependencies on them, and the program's
 * own arithmetic becomes many times slower. */
void vv_clear_registers(void);

/* --- Checksums ------------------------------------------------------------ */

/* Computes XXH3 checksums. */

/* vv_digest_of for more than VV_DIGEST_SMALL bytes. */
struct vv_digest vv_digest_long(const void *bytes, size_t size);

/* Returns the XXH3-128 of the bytes. */
static inline struct vv_digest vv_digest_of(const void *bytes, size_t size)
{
    return size <= VV_DIGEST_SMALL ? vv_digest_small(bytes, size)
                                   : vv_digest_long(bytes, size);
}

static inline bool vv_digest_equal(
    const struct vv_digest *a, const struct vv_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* Writes 32 hexadecimal digits and a NUL. */
void vv_digest_text(const struct vv_digest *digest, char text[33]);

/* Returns the XXH3-64 of the bytes. */
uint64_t vv_hash_of(const void *bytes, size_t size);

/* Computes an XXH3-128 incrementally. */
struct vv_digester;
struct vv_digester *vv_digester_new(const varve_allocator *a);
void vv_digester_add(
    struct vv_digester *digester, const void *bytes, size_t size);
struct vv_digest vv_digester_end(const struct vv_digester *digester);

/* Returns the checksum of what was added and of further bytes, which are not
 * added. */
struct vv_digest vv_digester_end_with(
    const struct vv_digester *digester, const void *bytes, size_t size);

/* Forgets what was added. */
void vv_digester_restart(struct vv_digester *digester);

void vv_digester_free(const varve_allocator *a, struct vv_digester *digester);

#endif
