/* test_npy_draft.c - Tests adding arrays to a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "npy_draft.h"

#include "arrays.h"

/* Adds an array to a draft; the result is in `in`. */
static varve_status add_one(const struct vv_npy_header *h,
    const struct vv_npy_item *item, struct vv_opened *in,
    varve_error *error)
{
    struct vv_context context = { .allocator = *test_allocator() };
    struct vv_draft draft;
    struct vv_place *places = NULL;
    size_t count = 0;
    cr_assert_ok(vv_opened_begin(in, &context, "x", error), *error);
    vv_draft_begin(&draft, &context, "x");
    vv_npy_add(&draft, h, item);
    varve_status status = vv_draft_end(&draft, in, &places, &count, error);
    vv_draft_clear(&draft);
    if (!status) {
        cr_assert_eq(count, 1);
        cr_assert_eq(places[0].offset, item->place.offset);
        const struct vv_index *index = &in->parsed.index;
        cr_assert_eq(index->value_count, 1);
        cr_assert_eq(vv_index_kind(index, 1),
            h->kind == VV_NPY_OPAQUE ? VARVE_STATE : VARVE_VARIABLE);
        cr_assert_eq(index->tag_count, h->kind == VV_NPY_OPAQUE);
        cr_assert_eq(vv_at64(index->value_sizes, 0), 12);
    }
    vv_release(test_allocator(), places, count * sizeof *places);
    vv_opened_close(in);
    return status;
}

static const struct vv_npy_item item = {
    .name = "a", .name_size = 1, .place = { .offset = 70 }
};

TEST(npy_draft, adds_a_variable_or_a_tagged_state)
{
    struct vv_opened in;
    varve_error error = { 0 };
    struct vv_npy_header h = {
        .kind = VV_NPY_NUMBERS, .count = 3, .item_size = 4, .size = 12,
        .type = { .dtype = VARVE_FLOAT32, .rank = 1, .shape = { 3 } },
        .descr = "V4", .descr_size = 2,
    };
    cr_assert_ok(add_one(&h, &item, &in, &error), error);
    h.kind = VV_NPY_OPAQUE;
    cr_assert_ok(add_one(&h, &item, &in, &error), error);
}

TEST(npy_draft, says_so_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    struct vv_npy_header h = { .kind = VV_NPY_OPAQUE, .size = 12,
        .descr = "V4", .descr_size = 2 };
    for (long n = 1; status; n++) { /* 0 is the path, which the test needs */
        struct vv_opened in;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = add_one(&h, &item, &in, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(n < 200);
    }
}
