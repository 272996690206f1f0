/* test_layer_columns_page_sums.c - Tests page digests: lookups, and each rule
 * violated once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "layer_columns.h"

#include "paged_columns.h"
#include "piece_table.h"
#include "support/index_sample.h"
#include "index.h"

/* Three values: of 2 1/2 chunks, small, of 2 chunks. */
enum { VALUES = 3, CHUNKS = 6, PAGED = 2 };

static struct {
    uint8_t sizes[8 * VALUES];
    uint8_t ranks[VALUES];
    uint8_t digests[CHUNKS * VV_DIGEST_SIZE];
    uint8_t chunks[8 * PAGED];
    uint8_t sums[PAGED * VV_PAGE_SUMS_SIZE];
    uint8_t nonce[VV_NONCE_SIZE];
    uint8_t pieced[4];
    struct vv_index index;
    struct vv_value_table table;
} p;

static void begin(void)
{
    static const uint64_t sizes[] = { 5 * VV_CHUNK_SIZE / 2, 100,
        2 * VV_CHUNK_SIZE };
    static const uint64_t chunks[] = { 1, 5 };
    varve_error error;
    memset(&p, 0, sizeof p);
    for (size_t i = 0; i < VALUES; i++)
        vv_store64(p.sizes + 8 * i, sizes[i]);
    for (size_t i = 0; i < sizeof p.sums; i++)
        p.sums[i] = (uint8_t)(i * 7 + i / 256);
    for (size_t i = 0; i < PAGED; i++) {
        struct vv_digest digest =
            vv_page_sums_digest(p.sums + i * VV_PAGE_SUMS_SIZE);
        vv_store64(p.chunks + 8 * i, chunks[i]);
        memcpy(p.digests + chunks[i] * VV_DIGEST_SIZE, digest.bytes,
            sizeof digest.bytes);
    }
    p.nonce[3] = 1;
    p.index = (struct vv_index){ .value_count = VALUES,
        .value_sizes = p.sizes,
        .value_ranks = p.ranks,
        .digests = p.digests,
        .digest_count = CHUNKS,
        .layer_count = 1,
        .layer_nonces = p.nonce,
        .paged_chunks = p.chunks,
        .paged_count = PAGED,
        .page_digests = p.sums,
        .page_digest_count = PAGED * VV_CHUNK_PAGES };
    cr_assert_ok(vv_value_table_make(&p.table,
                     &sample_context()->allocator, &p.index, &error),
        error);
    vv_value_table_fill(&p.table, &p.index);
}

static void end(void)
{
    vv_value_table_clear(&p.table, &sample_context()->allocator);
}

/* Digests stored elsewhere may have been checked already. */
static varve_status check(bool has_digests, varve_error *error)
{
    struct vv_paged_columns far = { .is_checked = true };
    far.columns[VV_KEY_DIGESTS].size = 1;
    p.index.far = has_digests ? NULL : &far;
    const struct vv_index_check check = { .context = sample_context(),
        .path = "sample",
        .bytes = p.sums,
        .index = &p.index,
        .error = error };
    *error = (varve_error){ 0 };
    varve_status status = vv_check_page_sums(&check, &p.table);
    p.index.far = NULL;
    return status;
}

TEST(page_sums, are_found_by_chunk)
{
    begin();
    cr_assert_null(vv_page_sums_find(&p.index, 0));
    cr_assert_eq(vv_page_sums_find(&p.index, 1), p.sums);
    cr_assert_null(vv_page_sums_find(&p.index, 4));
    cr_assert_eq(vv_page_sums_find(&p.index, 5), p.sums + VV_PAGE_SUMS_SIZE);
    cr_assert_null(vv_page_sums_find(&p.index, 6));
    cr_assert(vv_page_sums_any(&p.index, 0, 3));
    cr_assert_not(vv_page_sums_any(&p.index, 0, 1));
    cr_assert_not(vv_page_sums_any(&p.index, 2, 3));
    cr_assert_not(vv_page_sums_any(&p.index, 6, 9));
    p.index.paged_count = 0;
    cr_assert_null(vv_page_sums_find(&p.index, 1));
    cr_assert_not(vv_page_sums_any(&p.index, 0, 9));
    end();
}

TEST(page_sums, are_the_digests_of_pages)
{
    static uint8_t bytes[3 * VV_PAGE_ALIGNMENT];
    uint8_t sums[3 * VV_DIGEST_SIZE] = { 0 };
    memset(bytes + VV_PAGE_ALIGNMENT, 1, VV_PAGE_ALIGNMENT);
    memset(bytes + 2 * VV_PAGE_ALIGNMENT, 2, 10);
    vv_page_sums_make(bytes, 2 * VV_PAGE_ALIGNMENT + 10, sums);
    static const size_t sizes[] = { VV_PAGE_ALIGNMENT, VV_PAGE_ALIGNMENT, 10 };
    for (size_t i = 0; i < 3; i++) {
        struct vv_digest digest =
            vv_digest_of(bytes + i * VV_PAGE_ALIGNMENT, sizes[i]);
        cr_assert_eq(
            memcmp(digest.bytes, sums + i * VV_DIGEST_SIZE, VV_DIGEST_SIZE), 0,
            "page %zu", i);
    }
}

TEST(page_sums, are_accepted_if_valid)
{
    varve_error error;
    begin();
    cr_assert_ok(check(true, &error), error);
    cr_assert_ok(check(false, &error), error);
    end();
}

/* --- Rules ---------------------------------------------------------------- */

static void lacks_a_digest(void)
{
    p.index.page_digest_count--;
}

static void lacks_a_chunk(void)
{
    p.index.paged_count--;
}

static void has_no_layers(void)
{
    p.index.layer_count = 0;
}

static void is_inside(void)
{
    p.nonce[3] = 0;
}

static void does_not_increase(void)
{
    vv_store64(p.chunks + 8, 1);
}

static void is_behind_all(void)
{
    vv_store64(p.chunks + 8, CHUNKS);
}

static void is_short(void)
{
    vv_store64(p.chunks + 8, 2);
}

static void is_of_a_small_value(void)
{
    vv_store64(p.chunks + 8, 3);
}

static void is_in_pieces(void)
{
    p.index.pieced_count = 1;
    p.index.pieced_values = p.pieced;
    vv_store32(p.pieced, 2);
    static const uint8_t end[4] = { 1 };
    static struct vv_piece_start start;
    p.index.piece_ends = end;
    p.table.pieces.starts = &start;
}

static void has_another_digest(void)
{
    p.digests[5 * VV_DIGEST_SIZE] ^= 1;
}

TEST(page_sums, report_the_violated_rule)
{
    static const struct {
        void (*breaks)(void);
        const char *message;
        bool is_of_digests;
    } cases[] = {
        { lacks_a_digest, "expected 512, found 511", false },
        { lacks_a_chunk, "expected 256, found 512", false },
        { has_no_layers, "page checksums are permitted in data files only",
            false },
        { is_inside, "page checksums are permitted in data files only", false },
        { does_not_increase, "page checksums", false },
        { is_behind_all, "page checksums", false },
        { is_short, "found 2", false },
        { is_of_a_small_value, "found 3", false },
        { is_in_pieces, "page checksums", false },
        { has_another_digest, "chunk 5: the checksums", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_error error;
        begin();
        cases[i].breaks();
        cr_assert_eq(check(true, &error), VARVE_CORRUPT, "case %zu", i);
        cr_assert(strstr(error.message, cases[i].message), "case %zu: %s", i,
            error.message);
        if (cases[i].is_of_digests)
            cr_assert_ok(check(false, &error), error);
        p.index.pieced_count = 0;
        p.table.pieces = (struct vv_piece_table){ 0 };
        end();
    }
}
