/* test_checksum.c - Tests XXH3 against known answers and a portable
 * implementation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

/* The portable implementation, for comparison. */
#define XXH_VECTOR 0
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "checksum.h"
#include "support/registers.h"

static void check_text(const void *bytes, size_t size, const char *expected)
{
    char text[33];
    struct vv_digest digest = vv_digest_of(bytes, size);
    vv_digest_text(&digest, text);
    cr_assert_str_eq(text, expected);
}

TEST(checksum, gives_the_known_answers)
{
    check_text("", 0, "99aa06d3014798d86001c324468d497f");
    check_text("a", 1, "a96faf705af16834e6c632b61e964e1f");
    check_text("abc", 3, "06b05ab6733a618578af5f94892f3950");
    cr_assert_eq(vv_hash_of("", 0), 0x2d06800538d394c2);
    cr_assert_eq(vv_hash_of("a", 1), 0xe6c632b61e964e1f);
    cr_assert_eq(vv_hash_of("abc", 3), 0x78af5f94892f3950);
    check_text(NULL, 0, "99aa06d3014798d86001c324468d497f");
}

static unsigned char bytes[70000];

static void fill(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

TEST(checksum, agrees_with_the_portable_code_at_every_size)
{
    fill();
    for (size_t size = 0; size < sizeof bytes; size += 1 + size / 300) {
        XXH128_canonical_t form;
        XXH128_canonicalFromHash(&form, XXH3_128bits(bytes, size));
        struct vv_digest digest = vv_digest_of(bytes, size);
        cr_assert_arr_eq(digest.bytes, form.digest, 16);
        cr_assert_eq(vv_hash_of(bytes, size), XXH3_64bits(bytes, size));
    }
}

TEST(checksum, is_the_same_for_bytes_in_pieces)
{
    static const size_t steps[] = { 1, 7, 64, 255, 256, 257, 1000, 40000 };
    fill();
    struct vv_digest whole = vv_digest_of(bytes, sizeof bytes);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        struct vv_digester *digester = vv_digester_new(test_allocator());
        for (size_t i = 0, step; i < sizeof bytes; i += step) {
            step = steps[s] < sizeof bytes - i ? steps[s] : sizeof bytes - i;
            vv_digester_add(digester, bytes + i, step);
            vv_digester_add(digester, NULL, 0);
            struct vv_digest so_far = vv_digester_end(digester);
            struct vv_digest part = i % 1000 ? so_far
                                             : vv_digest_of(bytes, i + step);
            cr_assert(vv_digest_equal(&so_far, &part));
        }
        struct vv_digest digest = vv_digester_end(digester);
        cr_assert(vv_digest_equal(&digest, &whole));
        vv_digester_free(test_allocator(), digester);
    }
}

TEST(checksum, starts_empty_in_each_digester)
{
    const varve_allocator *a = test_allocator();
    struct vv_digester *digester = vv_digester_new(a);
    struct vv_digest digest = vv_digester_end(digester);
    struct vv_digest empty = vv_digest_of("", 0);
    cr_assert(vv_digest_equal(&digest, &empty));
    vv_digester_free(a, digester);
    vv_digester_free(a, NULL);
    test_fail_allocation(0, false);
    cr_assert_null(vv_digester_new(a));
}

TEST(checksum, compares_every_byte_of_a_digest)
{
    struct vv_digest a = vv_digest_of("a", 1);
    for (size_t i = 0; i < sizeof a.bytes; i++) {
        struct vv_digest b = a;
        b.bytes[i] ^= 1;
        cr_assert_not(vv_digest_equal(&a, &b));
    }
    cr_assert(vv_digest_equal(&a, &a));
}

TEST(checksum, leaves_no_vector_register_in_use)
{
    fill();
    struct vv_digester *digester = vv_digester_new(test_allocator());
    for (size_t size = 0; size < sizeof bytes; size += 1 + size / 30) {
        registers_clear();
        vv_digest_of(bytes, size);
        cr_assert_not(registers_in_use(), "a digest of %zu", size);
        vv_hash_of(bytes, size);
        cr_assert_not(registers_in_use(), "a hash of %zu", size);
        vv_digester_add(digester, bytes, size);
        cr_assert_not(registers_in_use(), "%zu more", size);
        vv_digester_end(digester);
        cr_assert_not(registers_in_use(), "the end after %zu", size);
    }
    vv_digester_free(test_allocator(), digester);
}
