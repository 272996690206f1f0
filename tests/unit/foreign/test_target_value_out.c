/* test_target_value_out.c - Tests buffered writing of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "target.h"

#include <stdio.h>

#include "targets.h"

enum { LARGE = 3 << 20 };

static unsigned char large[LARGE];

/* Value 0 is large; any other one consists of its number, repeated that many
 * times. */
static varve_status give(
    void *user, uint32_t value, struct vv_source *source, varve_error *error)
{
    static unsigned char small[16];
    (void)user;
    (void)error;
    memset(small, (int)value, sizeof small);
    *source = (struct vv_source){ .bytes = value ? small : large };
    return VARVE_OK;
}

static varve_status write_some(struct world *w, varve_error *error)
{
    struct vv_target target = { .context = &w->context, .value = give };
    struct vv_publication p;
    struct vv_value_out out;
    varve_status status =
        vv_publish_begin(&p, &w->context, "a", VV_PUBLISH_NO_SYNC, error);
    if (status)
        return status;
    vv_value_out_init(&out, &target);
    out.file = &p;
    vv_buffer_add(&out.staged, "head", 4);
    for (uint32_t i = 0; i < 3 && !status; i++)
        status = vv_value_out_add(&out, (i + 1) % 3, i == 2 ? LARGE : 5, error);
    vv_buffer_add8(&out.staged, 0xff);
    if (!status)
        status = vv_value_out_flush(&out, error);
    vv_value_out_clear(&out);
    return vv_publish_end(&p, status, error);
}

TEST(value_out, writes_large_and_small_values_in_order)
{
    struct world w = world_new();
    varve_error error = { 0 };
    size_t size;
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (unsigned char)(i * 7 >> 3);
    cr_assert_ok(write_some(&w, &error), error);
    unsigned char *bytes = memory_bytes(w.memory, "a", &size);
    cr_assert_eq(size, 4 + 2 * 5 + LARGE + 1);
    cr_assert_eq(memcmp(bytes, "head\1\1\1\1\1\2\2\2\2\2", 14), 0);
    cr_assert_eq(memcmp(bytes + 14, large, LARGE), 0);
    cr_assert_eq(bytes[size - 1], 0xff);
    world_free(&w);
}

TEST(value_out, leaves_no_file_without_memory)
{
    struct world w = world_new();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = write_some(&w, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(memory_file_count(w.memory), status ? 0 : 1);
        cr_assert(n < 100);
    }
    world_free(&w);
}
