/* test_share_private.c - Tests the collection of rank-local subtrees for a
 * save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include "share.h"

static varve_node *mine_of(const struct own *w, const varve_comm *comm)
{
    char path[40];
    snprintf(path, sizeof path, "zz/%u", comm->rank);
    return varve_find_path(w->root, path);
}

static float memory[8];

static void share(struct own *w, const varve_comm *comm)
{
    varve_track(mine_of(w, comm), "out", varve_find(w->root, "step"));
}

static void lead_back(struct own *w, const varve_comm *comm)
{
    varve_track(mine_of(w, comm), "up", w->root);
}

static void share_two(struct own *w, const varve_comm *comm)
{
    varve_node *other =
        varve_find(varve_find(w->root, "model"), "worker");
    varve_track(mine_of(w, comm), "other",
        varve_edge_first(other)->node);
}

static void add_slot(struct own *w, const varve_comm *comm)
{
    varve_node *inside =
        varve_add_variable(mine_of(w, comm), "in", varve_array(memory, 8));
    varve_add_slot(w->root, inside, "moment", varve_array(COPY_OF(memory), 8));
}

static void add_slot_out(struct own *w, const varve_comm *comm)
{
    varve_add_slot(mine_of(w, comm), varve_find(w->root, "step"), "moment",
        varve_array(memory, 8));
}

static void add_part(struct own *w, const varve_comm *comm)
{
    const uint64_t start = 1;
    varve_add_slice(mine_of(w, comm), "part", varve_array(memory, 8),
        VARVE_SHAPE(20), &start);
}

static void name(struct own *w, const varve_comm *comm)
{
    varve_set_global_name(
        varve_add_variable(mine_of(w, comm), "in", varve_array(memory, 8)),
        "everywhere");
}

static void nest(struct own *w, const varve_comm *comm)
{
    varve_add_rank_local(mine_of(w, comm), "nested", comm, NULL);
}

static void make_alone(struct own *w, const varve_comm *comm)
{
    (void)comm;
    varve_add_rank_local(w->root, "alone", NULL, NULL);
}

static void add_child(struct own *w, const varve_comm *comm)
{
    (void)comm;
    varve_add_object(varve_find(w->root, "zz"), "another");
}

static void remove_child(struct own *w, const varve_comm *comm)
{
    varve_remove(mine_of(w, comm));
}

/* On one rank the node is an ordinary object. */
static void disguise(struct own *w, const varve_comm *comm)
{
    if (comm->rank == 2)
        varve_add_rank_local(w->root, "odd", comm, NULL);
    else
        varve_tag(varve_add_object(w->root, "odd"), VARVE_TAG_RANK_LOCAL);
}

TEST(private_parts, are_refused_with_edges_into_or_out_of_them)
{
    static const struct {
        void (*spoil)(struct own *w, const varve_comm *comm);
        const char *message;
    } all[] = {
        { share, "step: edges or slots lead to it from outside" },
        { lead_back, "edges or slots lead to it from outside its rank-local" },
        { share_two, "edges or slots lead to it from outside its rank-local" },
        { add_slot, "moment(zz/0/in): edges or slots lead to it from outside" },
        { add_slot_out,
            "moment(step): edges or slots lead to it from outside" },
        { add_part, "zz/0/part: a shard of float32[20]" },
        { name, "zz/0: a rank-local subtree cannot contain global names" },
        { nest, "zz/0/nested: a rank-local subtree cannot be saved alone: it "
                "is of rank 0 of 3" },
        { make_alone, "alone: this rank is 0 of 3, but the rank-local "
                      "subtree is of rank 0 of 1" },
        { add_child, "zz: a rank-local subtree must have one child, that of "
                     "rank 0" },
        { remove_child,
            "zz: a rank-local subtree must have one child, that of rank 0" },
        { disguise, "odd: rank 0 has an object, found a private object at "
                    "rank 2" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct own_run run = { .path = FILE_NAME, .spoil = all[i].spoil };
        begin_world();
        thread_comm_run(3, 0, -1, save_own, &run);
        check_own(&run, 3, VARVE_MISUSE);
        cr_assert(strstr(run.errors[0].message, all[i].message), "%zu: %s", i,
            run.errors[0].message);
        end_world();
    }
}

TEST(private_parts, are_refused_by_a_save_of_one_process)
{
    static const varve_comm comm = { .rank = 1, .size = 2 };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_rank_local(root, "own", &comm, NULL);
    cr_assert_eq(
        varve_write(root, FILE_NAME, NULL, &error), VARVE_MISUSE);
    cr_assert_str_eq(error.message,
        "own: a rank-local subtree cannot be saved alone: it is of rank 1 of "
        "2: only a call with a communicator (`comm`) saves it, outside other "
        "rank-local subtrees");
    free_root(root);
    root = new_root();
    int32_t x = 5;
    varve_add_variable(
        varve_add_rank_local(root, "own", NULL, NULL), "x", varve_scalar(&x));
    write_root(root);
    x = 0;
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(x, 5);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_parts, may_exist_on_some_ranks_only)
{
    uint8_t one[16], other[16];
    varve_error error = { 0 };
    for (unsigned seed = 0; seed < 2; seed++) {
        begin_world();
        save_ranks(3, seed);
        varve_reader *reader = open_world(FILE_NAME);
        cr_assert_ok(varve_reader_digest(
                         reader, seed ? other : one, &error),
            error);
        varve_reader_free(reader);
        end_world();
    }
    cr_assert_neq(memcmp(one, other, sizeof one), 0);
}

TEST(private_parts, report_failed_allocations)
{
    static const varve_comm comm = { .rank = 1, .size = 3 };
    begin_world();
    struct own *w = new_own(&comm, 3, true, NULL);
    struct vv_save_plan save_plan;
    varve_error error = { 0 };
    cr_assert_ok(
        vv_save_plan_gather_of(
            &save_plan, w->root, VV_OF_SEVERAL, NULL, &error), error);
    for (long number = 0;; number++) {
        struct vv_private_parts parts;
        test_fail_allocation(number, false);
        varve_status status = vv_private_parts_gather(
            &parts, w->root, &save_plan, &comm, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        if (!status)
            vv_private_parts_clear(&parts);
        else
            cr_assert_eq(status, VARVE_NO_MEMORY);
        if (is_over)
            break;
    }
    vv_save_plan_clear(&save_plan);
    free_own(w);
    end_world();
}
