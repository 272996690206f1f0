/* test_merge_places.c - Tests the extents of a merged index.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>

#include "data_in.h"
#include "merge_places.h"
#include "private_world.h"
#include "reader.h"
#include "together_world.h"

enum { MOST = 8 };

struct run {
    uint32_t wide;
    bool is_read;
    varve_write_options write;
    varve_status statuses[MOST];
    varve_error errors[MOST];
    int values[MOST];
};

static void visit(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct part *p = new_part(comm, run->wide, !run->is_read);
    varve_error *error = &run->errors[comm->rank];
    varve_restoration *r = NULL;
    if (run->is_read)
        r = varve_read_all(comm, p->root, FILE_NAME, NULL, error);
    run->statuses[comm->rank] =
        !run->is_read
            ? varve_write_all(comm, p->root, FILE_NAME, &run->write, error)
        : r ? varve_assert_consumed(r, error)
            : error->status;
    run->values[comm->rank] = values_of(p);
    varve_restoration_free(r);
    free_part(p);
}

static void run_all(struct run *run, uint32_t size)
{
    thread_comm_run(size, 2, -1, visit, run);
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_ok(run->statuses[i], run->errors[i]);
        cr_assert_eq(run->values[i], HAS_ALL);
    }
}

/* Packed, in layers, or both; new, and shared by the next save. */
TEST(merge_chunks, restores_compressed_data_with_another_number_of_ranks)
{
    static const uint32_t sizes[] = { 1, 2, 3, 8 };
    for (unsigned i = 0; i < 3 * 4 * 2; i++) {
        begin_world();
        uint32_t size = sizes[i / 3 % 4];
        struct run run = { .wide = size % 2 ? 1 : 2,
            .write = { .incremental = i % 3 != 0, .compress = i % 3 != 1 } };
        run.write.collective.files = i / 12 ? size : 0;
        run_all(&run, size);
        if (run.write.incremental)
            run_all(&run, size);
        for (size_t k = 0; k < 4; k++) {
            run.is_read = true;
            run.wide = sizes[k] == 8 ? 4 : 1;
            run_all(&run, sizes[k]);
        }
        end_world();
    }
}

TEST(merge_chunks, stores_one_bit_for_each)
{
    const uint8_t bits[] = { 0x81, 0x02 };
    cr_assert(vv_is_ordered(bits, 0));
    cr_assert_not(vv_is_ordered(bits, 1));
    cr_assert(vv_is_ordered(bits, 7));
    cr_assert_not(vv_is_ordered(bits, 8));
    cr_assert(vv_is_ordered(bits, 9));
}

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

TEST(merge_places, distinguishes_padding_from_data)
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
TEST(merge_places, joins_adjacent_ranges)
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
