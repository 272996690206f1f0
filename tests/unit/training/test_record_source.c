/* test_record_source.c - Tests what all sources of records share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include "record_source.h"
#include "system.h"

TEST(record_source, options_may_be_omitted)
{
    struct vv_record_opening opening = vv_record_opening_of(NULL);
    cr_assert_eq(opening.context.system, &vv_posix_system);
    cr_assert_not_null(opening.context.allocator.function);
    cr_assert(!opening.options.shuffle && !opening.options.drop_last);
    const varve_records_options options = {
        .batch = 5,
        .allocator = test_allocator(),
    };
    opening = vv_record_opening_of(&options);
    cr_assert_eq(opening.options.batch, 5);
    cr_assert_eq(
        opening.context.allocator.function, test_allocator()->function);
}

/* Saved positions depend on it. */
TEST(record_source, fingerprints_depend_on_kind_size_and_content)
{
    static const struct {
        enum vv_source_kind kind;
        uint64_t size;
        const char *content;
    } rows[] = { { VV_LINES, 0, "a" }, { VV_TFRECORDS, 0, "a" },
        { VV_FIXED, 1, "a" }, { VV_FIXED, 2, "a" }, { VV_LINES, 0, "b" } };
    enum { COUNT = sizeof rows / sizeof *rows };
    varve_source sources[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        struct vv_digest digest = vv_digest_of(rows[i].content, 1);
        vv_set_fingerprint(
            &sources[i], rows[i].kind, rows[i].size, &digest);
        for (size_t k = 0; k < i; k++) {
            cr_assert_neq(
                sources[i].fingerprint[0], sources[k].fingerprint[0]);
            cr_assert_neq(
                sources[i].fingerprint[1], sources[k].fingerprint[1]);
        }
    }
    cr_assert_eq(sources[0].fingerprint[0], UINT64_C(0xee9e19246082b1db));
}
