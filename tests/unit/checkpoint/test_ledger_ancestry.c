/* test_ledger_ancestry.c - Tests the recorded ancestors of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "ledger.h"

TEST(ancestry, is_parsed_from_its_printed_form)
{
    struct vv_ancestry a = { 0 }, b = { 0 };
    char text[VV_ANCESTRY_SIZE], again[VV_ANCESTRY_SIZE];
    vv_ancestry_print(&a, VV_MOST_ANCESTORS, text);
    cr_assert_str_eq(text, "");
    cr_assert(vv_ancestry_parse(&b, text, 0) && b.count == 0);
    vv_ancestry_add(&a, 0x1f, 7);
    vv_ancestry_add(&a, UINT64_MAX, 5);
    vv_ancestry_print(&a, VV_MOST_ANCESTORS, text);
    cr_assert_str_eq(text, "000000000000001f:7,ffffffffffffffff:5");
    cr_assert(vv_ancestry_parse(&b, text, strlen(text)));
    vv_ancestry_print(&b, VV_MOST_ANCESTORS, again);
    cr_assert_str_eq(again, text);
    vv_ancestry_print(&b, 1, again);
    cr_assert_str_eq(again, "000000000000001f:7");
    cr_assert_eq(vv_ancestry_find(&b, UINT64_MAX), 1);
    cr_assert_eq(vv_ancestry_find(&b, 3), 2, "it is not there");
}

TEST(ancestry, is_bounded)
{
    struct vv_ancestry a = { 0 }, b = { 0 };
    char text[VV_ANCESTRY_SIZE];
    for (uint64_t i = 0; i < 2 * VV_MOST_ANCESTORS; i++)
        vv_ancestry_add(&a, UINT64_MAX - i, UINT64_MAX);
    cr_assert_eq(a.count, VV_MOST_ANCESTORS);
    cr_assert_eq(vv_ancestry_find(&a, UINT64_MAX), 0, "the newest are kept");
    vv_ancestry_print(&a, SIZE_MAX, text);
    cr_assert_lt(strlen(text), sizeof text);
    cr_assert(vv_ancestry_parse(&b, text, strlen(text)));
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
}

TEST(ancestry, refuses_invalid_texts)
{
    static const char *const texts[] = { "x", "000000000000001f",
        "000000000000001f:", "000000000000001f:x", "000000000000001F:7",
        "000000000000001f 7", "000000000000001f:7,x", ",000000000000001f:7" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct vv_ancestry a = { 0 };
        cr_assert_not(vv_ancestry_parse(&a, texts[i], strlen(texts[i])),
            "%s", texts[i]);
        cr_assert_leq(a.count, 1);
    }
}

TEST(ancestry, hashes_distinguish_runs)
{
    cr_assert_eq(vv_run_hash(""), 0);
    cr_assert_neq(vv_run_hash("a"), 0);
    cr_assert_neq(vv_run_hash("a"), vv_run_hash("b"));
}
