/* test_merge_chunks.c - Tests mapping chunks of ranks to the order of the data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include <varve/reader.h>

#include "data_in.h"
#include "merge_chunks.h"
#include "reader.h"

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

/* Compressed, incremental, or both; written, and shared by the next save. */
TEST(merge_chunks, gives_m_ranks_what_n_have_packed)
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

TEST(merge_chunks, orders_a_bit_for_each)
{
    const uint8_t bits[] = { 0x81, 0x02 };
    cr_assert(vv_is_ordered(bits, 0));
    cr_assert_not(vv_is_ordered(bits, 1));
    cr_assert(vv_is_ordered(bits, 7));
    cr_assert_not(vv_is_ordered(bits, 8));
    cr_assert(vv_is_ordered(bits, 9));
}
