/* test_difference.c - Tests the comparison of values between ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

/* One rank differs from the others. */
struct run {
    int what;
    varve_error errors[4];
};

/* One of two variables with the same value is a slice, and it is not the same
 * one on every rank. */
static void add_twins(struct part *p, bool is_other)
{
    static int32_t zeros[8];
    const uint64_t start = 0;
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "right" : "left";
        if (is_other == (i == 0))
            varve_add_variable(p->root, name, varve_array(zeros, 8));
        else
            varve_add_slice(p->root, name, varve_array(zeros, 0),
                VARVE_SHAPE(8), &start);
    }
}

static void save(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, 1, true);
    bool is_other = comm->rank == 3;
    varve_write_options options = { .no_sync = run->what == 0 && is_other };
    varve_metadata metadata = { "step", VARVE_METADATA_INTEGER, is_other, 0,
        NULL };
    if (run->what == 1) {
        options.metadata = &metadata;
        options.metadata_count = 1;
    } else if (run->what == 2 && is_other) {
        varve_tag(p->root, "odd");
    } else if (run->what == 3 && is_other) {
        varve_tag(varve_find(p->root, "step"), VARVE_TAG_LOCAL);
    } else if (run->what == 4 && is_other) {
        p->words[1].data = "third";
    } else if (run->what == 5 && is_other) {
        snprintf(p->state.text, sizeof p->state.text, "THE STATE");
    } else if (run->what == 6) {
        add_twins(p, is_other);
    } else if (run->what == 7 && is_other) {
        options.collective.files = 2;
    } else if (run->what == 8 && is_other) {
        snprintf(p->state.text, sizeof p->state.text, "other bytes");
    } else if (run->what == 9 && is_other) {
        p->words[1].size--;
    }
    varve_status status = varve_write_all(
        comm, p->root, FILE_NAME, &options, &run->errors[comm->rank]);
    cr_assert_eq(status, VARVE_MISUSE);
    free_part(p);
}

TEST(difference, is_reported)
{
    static const char *const messages[] = {
        "the same options and metadata differ between ranks",
        "the same options and metadata differ between ranks",
        "the same edges, slots, tags and names differ",
        "step: rank 0 has int64[], found int64[] without a value",
        "words: a replicated variable differs from that of rank 0",
        "state: a replicated variable differs from that of rank 0",
        "right: a replicated variable differs from that of rank 0 at rank",
        "the same options and metadata differ between ranks",
        "state: rank 0 has a state of 9 bytes, found a state of 11",
        "words: rank 0 has string[2] of ",
    };
    for (int i = 0; i < 10; i++) {
        struct run run = { .what = i };
        begin_world();
        thread_comm_run(4, 0, -1, save, &run);
        for (int k = 0; k < 4; k++)
            cr_assert(strstr(run.errors[k].message, messages[i]), "%d: %s", i,
                run.errors[k].message);
        end_world();
    }
}
