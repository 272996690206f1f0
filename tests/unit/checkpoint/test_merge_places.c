/* test_merge_places.c - Tests the extents of a merged index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include "data_in.h"

static struct vv_opened opened;

static const struct vv_index *open_index(void)
{
    varve_error error = { 0 };
    cr_assert_ok(
        vv_data_in_open(&opened, &world.context, FILE_NAME, &error), error);
    return &opened.parsed.index;
}

/* Two rank-local nodes on each rank, whose values alternate in the data but are
 * adjacent in the region. The gap between two values of the first node must not
 * be taken for padding. */
static void save_between(const varve_comm *comm, void *user)
{
    static int8_t big[VV_PAGED_SIZE], large[VV_PAGED_SIZE];
    int64_t one = 11, between[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    varve_error *error = user;
    varve_node *root = new_root();
    varve_node *a = varve_add_rank_local(root, "a", comm, NULL);
    varve_node *b = varve_add_rank_local(root, "b", comm, NULL);
    varve_add_variable(a, "big", varve_array(big, sizeof big));
    varve_add_variable(a, "one", varve_scalar(&one));
    varve_add_variable(varve_add_object(a, "deep"), "between",
        varve_array(between, 8));
    varve_add_variable(b, "large", varve_array(large, sizeof large));
    cr_assert_eq(varve_write_all(comm, root, FILE_NAME,
                     &(varve_write_options){ .incremental = true },
                     comm->rank ? NULL : error),
        VARVE_OK, "%s", error->message);
    free_root(root);
}

TEST(merge_places, takes_nothing_for_padding_that_is_not)
{
    for (uint32_t size = 1; size < 4; size++) {
        varve_error error = { 0 };
        begin_world();
        thread_comm_run(size, 0, -1, save_between, &error);
        varve_reader_free(open_world(FILE_NAME));
        end_world();
    }
}

static void save_small(const varve_comm *comm, void *user)
{
    int64_t numbers[500][3];
    const varve_write_options *options = user;
    varve_node *root = new_root();
    for (int i = 0; i < 500; i++) {
        char name[16];
        for (int k = 0; k < 3; k++)
            numbers[i][k] = (i - i % 3 + k) % 50;
        snprintf(name, sizeof name, "n%03d", i);
        varve_add_variable(root, name,
            varve_array(numbers[i], (uint64_t)(1 + i % 3)));
    }
    cr_assert_eq(
        varve_write_all(comm, root, FILE_NAME, options, NULL), VARVE_OK);
    free_root(root);
}

/* Small values and the padding between them share an extent. */
TEST(merge_places, joins_what_lies_together)
{
    for (int i = 0; i < 2; i++) {
        const varve_write_options options = {
            .incremental = i == 0, .compress = i
        };
        begin_world();
        thread_comm_run(3, 0, -1, save_small, (void *)&options);
        for (int k = 0; k < 2; k++) { /* new, and shared */
            const struct vv_index *index = open_index();
            cr_assert_leq(index->place_count, 8);
            cr_assert_eq(index->packed_count, 0, "nothing is large enough");
            vv_opened_close(&opened);
            thread_comm_run(3, 0, -1, save_small, (void *)&options);
        }
        varve_reader_free(open_world(FILE_NAME));
        end_world();
    }
}
