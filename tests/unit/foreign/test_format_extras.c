/* test_format_extras.c - Tests data that is kept for writing a format again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "index.h"
#include "format_extras.h"

static bool is(const struct vv_kept *kept, uint32_t node, const char *text)
{
    size_t size;
    const unsigned char *bytes = vv_kept_find(kept, node, &size);
    return text ? bytes && size == strlen(text) &&
                      memcmp(bytes, text, size) == 0
                : !bytes && size == 0;
}

TEST(format_extras, finds_entries_after_renumbering)
{
    static const uint32_t numbers[] = { 0, 5, VV_NONE, 3 };
    struct vv_kept kept, moved;
    vv_kept_init(&kept, test_allocator());
    cr_assert(is(&kept, 0, NULL));
    vv_kept_add(&kept, 1, "one", 3);
    vv_kept_add(&kept, 2, "two", 3);
    vv_kept_add(&kept, 3, "three", 5);
    vv_kept_number(&kept, numbers);
    cr_assert(is(&kept, 5, "one") && is(&kept, 3, "three"));
    cr_assert(is(&kept, 1, NULL) && is(&kept, 2, NULL));
    vv_kept_move(&moved, &kept, test_allocator());
    cr_assert(is(&moved, 5, "one") && is(&kept, 5, NULL));
    vv_kept_clear(&kept);
    vv_kept_clear(&moved);
}

TEST(format_extras, reports_failed_allocations)
{
    for (long n = 0; n < 2; n++) {
        struct vv_kept kept;
        vv_kept_init(&kept, test_allocator());
        test_fail_allocation(n, false);
        vv_kept_add(&kept, 1, "one", 3);
        test_fail_allocation(-1, false);
        cr_assert(vv_kept_failed(&kept));
        vv_kept_clear(&kept);
    }
}
