/* test_move_resize_buffers.c - Tests restoring into variables that are resized.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "move.h"
#include "support/thread_comm.h"

#include <varve/collective.h>

/* A variable number of particles, in a program that also has fixed-size
 * values. */
struct program {
    varve_node *root;
    double *particles;
    uint64_t count;
    int64_t step;
    struct text_state state; /* loaded last */
    int made, taken, left;
    bool refuses;
};

static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    struct program *p = user;
    (void)node;
    if (p->refuses)
        return VARVE_LIMIT;
    p->made++;
    *room = malloc((size_t)varve_tensor_size(coming) + 1);
    return VARVE_OK;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    struct program *p = user;
    free(is_taken ? p->particles : room);
    p->taken += is_taken;
    p->left += !is_taken;
    if (!is_taken)
        return;
    p->particles = room;
    p->count = varve_value(node)->shape[0];
}

static const varve_resizing resizing = { make_room, settle };

static void add_particles(struct program *p)
{
    varve_add_resizable(p->root, "particles",
        varve_array(p->particles, p->count, 3), &resizing, p);
}

static void begin_program(struct program *p, uint64_t count, double first)
{
    *p = (struct program){ .count = count, .step = (int64_t)count };
    p->particles = malloc((3 * count + 1) * sizeof *p->particles);
    for (uint64_t i = 0; i < 3 * count; i++)
        p->particles[i] = first + (double)i;
    strcpy(p->state.text, count == 5 ? "five" : "other");
    p->root = new_root();
    varve_add_variable(p->root, "step", varve_scalar(&p->step));
    varve_add_state(p->root, "state", &text_callbacks, &p->state);
}

static void end_program(struct program *p)
{
    free_root(p->root);
    free(p->particles);
    cr_assert_eq(p->made, p->taken + p->left);
}

static void save(uint64_t count)
{
    struct program p;
    begin_program(&p, count, 1000);
    add_particles(&p);
    write_root(p.root);
    end_program(&p);
}

static void check_is_saved(const struct program *p, uint64_t count)
{
    const varve_tensor *now =
        varve_value(varve_find(p->root, "particles"));
    cr_assert(p->count == count && now->shape[0] == count && now->rank == 2);
    for (uint64_t i = 0; i < 3 * count; i++)
        cr_assert_eq(p->particles[i], 1000 + (double)i);
    cr_assert_eq(p->step, (int64_t)count);
}

static void check_is_older(const struct program *p, uint64_t count)
{
    const varve_tensor *now =
        varve_value(varve_find(p->root, "particles"));
    cr_assert(p->count == count && now->shape[0] == count);
    cr_assert(now->data == p->particles && p->particles[0] == 1);
    cr_assert_eq(p->step, (int64_t)count);
    cr_assert_str_eq(p->state.text, "other");
}

TEST(resize_buffers, get_the_shape_of_the_file)
{
    static const uint64_t counts[] = { 5, 0, 70000, 2 };
    for (size_t i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            struct program p;
            varve_error error = { 0 };
            varve_read_options options = { .passes = k == 1 ? VARVE_ONE_PASS
                                                            : VARVE_TWO_PASSES,
                .resources.staging_size = k == 2,
                .map = k == 2 };
            begin_world();
            save(counts[i]);
            begin_program(&p, 2, 1);
            add_particles(&p);
            varve_restoration *r = read_root(p.root, &options);
            cr_assert_ok(varve_assert_consumed(r, &error), error);
            check_is_saved(&p, counts[i]);
            cr_assert(p.made == (counts[i] != 2) && p.left == 0);
            cr_assert_ok(varve_restore_again(r, p.root, &error), error);
            cr_assert_eq(p.made, counts[i] != 2);
            write_root(p.root);
            varve_restoration_free(r);
            end_program(&p);
            end_world();
        }
    }
}

TEST(resize_buffers, are_created_for_variables_added_later)
{
    struct program p;
    varve_error error = { 0 };
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    varve_restoration *r = read_root(p.root, NULL);
    add_particles(&p);
    good(p.root);
    check_is_saved(&p, 5);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    end_program(&p);
    end_world();
}

/* A variable that cannot be resized until a callback is set, and one that the
 * program resizes itself. */
TEST(resize_buffers, are_created_by_a_retry)
{
    for (int i = 0; i < 2; i++) {
        struct program p;
        varve_error error = { 0 };
        begin_world();
        save(5);
        begin_program(&p, 2, 1);
        varve_restoration *r = read_root(p.root, NULL);
        varve_node *node = varve_add_variable(p.root, "particles",
            varve_array(p.particles, p.count, 3));
        cr_assert_eq(varve_graph_check(varve_node_graph(p.root), &error),
            VARVE_MISMATCH);
        if (i == 0) {
            varve_set_resizing(node, &resizing, &p);
        } else {
            p.particles = realloc(p.particles, 15 * sizeof *p.particles);
            p.count = 5;
            varve_rebind(node, varve_array(p.particles, 5, 3));
        }
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        check_is_saved(&p, 5);
        good(p.root);
        varve_restoration_free(r);
        end_program(&p);
        end_world();
    }
}

TEST(resize_buffers, that_are_refused_change_nothing)
{
    struct program p;
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    add_particles(&p);
    p.refuses = true;
    varve_error error = fail_read(p.root, NULL, VARVE_CALLBACK);
    cr_assert(strstr(error.message, "particles: its callback that makes room"),
        "%s", error.message);
    check_is_older(&p, 2);
    good(p.root);
    end_program(&p);
    end_world();
}

TEST(resize_buffers, are_discarded_if_a_state_fails)
{
    struct program p;
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    add_particles(&p);
    p.state.load_status = VARVE_IO;
    p.state.fails_at = 1;
    fail_read(p.root, NULL, VARVE_CALLBACK);
    check_is_older(&p, 2);
    cr_assert(p.made == 1 && p.left == 1);
    end_program(&p);
    end_world();
}

static void damage(double value)
{
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t i = 0; i + sizeof value <= size; i++) {
        if (memcmp(bytes + i, &value, sizeof value) == 0)
            bytes[i] ^= 1;
    }
}

TEST(resize_buffers, are_discarded_if_the_value_is_damaged)
{
    for (int i = 0; i < 2; i++) {
        struct program p;
        varve_read_options options = { .passes = i ? VARVE_ONE_PASS
                                                   : VARVE_TWO_PASSES };
        begin_world();
        save(5);
        damage(1003);
        begin_program(&p, 2, 1);
        add_particles(&p);
        fail_read(p.root, &options, VARVE_CORRUPT);
        check_is_older(&p, 2);
        options = (varve_read_options){ .salvage.on = true };
        varve_restoration_free(read_root(p.root, &options));
        cr_assert(p.count == 2 && p.particles[0] == 1 && p.step == 5);
        end_program(&p);
        end_world();
    }
}

TEST(resize_buffers, are_created_for_other_types_and_ranks)
{
    float saved[2][2] = { { 1, 2 }, { 3, 4 } };
    struct program p;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "particles", varve_array(&saved[0][0], 2, 2));
    write_root(root);
    free_root(root);
    begin_program(&p, 1, 1);
    varve_add_resizable(p.root, "particles", varve_array(p.particles, 3),
        &resizing, &p);
    fail_read(p.root, NULL, VARVE_MISMATCH);
    varve_read_options options = { .cast = VARVE_CAST_WIDEN, .resize = "**",
        .reshape = true, .expect.missing = "step|state" };
    varve_restoration *r = read_root(p.root, &options);
    const varve_tensor *now = varve_value(varve_find(p.root, "particles"));
    cr_assert(now->rank == 2 && now->shape[1] == 2 && p.particles[3] == 4);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    end_program(&p);
    end_world();
}

TEST(resize_buffers, are_allocated_by_the_library_for_its_memory)
{
    static const varve_resizing none = { 0 };
    varve_string words[3] = { { "a", 1 }, { "bc", 2 }, { "", 0 } };
    begin_world();
    save(5);
    varve_node *root = new_root();
    varve_node *node = varve_add_allocated_variable(
        root, "particles", VARVE_FLOAT64, VARVE_SHAPE(1, 3), NULL, NULL);
    varve_set_resizing(node, &none, NULL);
    varve_read_options options = { .map = true };
    varve_restoration_free(read_root(root, &options));
    cr_assert(varve_value(node)->shape[0] == 5 &&
              ((double *)varve_data(node))[14] == 1014);
    free_root(root);

    root = new_root();
    varve_add_variable(root, "words", varve_array(words, 3));
    write_root(root);
    free_root(root);
    root = new_root();
    node = varve_add_allocated_variable(
        root, "words", VARVE_STRING, VARVE_SHAPE(1), NULL, NULL);
    varve_set_resizing(node, &none, NULL);
    for (int i = 0; i < 2; i++) {
        varve_restoration_free(read_root(root, NULL));
        const varve_string *now = varve_data(node);
        cr_assert(varve_value(node)->shape[0] == 3 && now[1].size == 2 &&
                  memcmp(now[1].data, "bc", 2) == 0);
    }
    free_root(root);
    end_world();
}

/* A snapshot can only restore the shapes that it was taken with. */
TEST(resize_buffers, prevent_the_restore_of_an_older_snapshot)
{
    struct program p;
    varve_error error = { 0 };
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    add_particles(&p);
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    varve_restoration_free(read_root(p.root, NULL));
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message,
        "snapshot: particles: was the shape when it was taken, is now "
        "float64[5,3]");
    check_is_saved(&p, 5);
    varve_rebind(varve_find(p.root, "particles"),
        varve_array(p.particles, 3, 2));
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    varve_rebind(varve_find(p.root, "particles"),
        varve_array(p.particles, 2, 3));
    p.count = 2;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check_is_older(&p, 2);
    varve_snapshot_free(s);
    end_program(&p);
    end_world();
}

#ifdef VV_HAVE_MANAGE
struct all {
    struct program programs[2];
    bool fits; /* on rank 1 */
    bool are_restored[2];
};

static void read_together(const varve_comm *comm, void *user)
{
    struct all *all = user;
    struct program *p = &all->programs[comm->rank];
    varve_error error = { 0 };
    begin_program(p, 2, 1);
    add_particles(p);
    if (comm->rank == 1 && !all->fits)
        p->refuses = true;
    varve_restoration *r =
        varve_read_all(comm, p->root, FILE_NAME, NULL, &error);
    all->are_restored[comm->rank] = r;
    varve_restoration_free(r);
}

/* If one process cannot resize, the new buffers of the others are discarded. */
TEST(resize_buffers, are_discarded_if_another_rank_has_none)
{
    for (int fits = 0; fits < 2; fits++) {
        struct all all = { .fits = fits };
        begin_world();
        save(5);
        thread_comm_run(2, 0, -1, read_together, &all);
        for (int i = 0; i < 2; i++) {
            const struct program *p = &all.programs[i];
            cr_assert_eq(all.are_restored[i], fits);
            if (fits)
                check_is_saved(p, 5);
            else
                check_is_older(p, 2);
            cr_assert_eq(p->left, !fits && i == 0);
            end_program(&all.programs[i]);
        }
        end_world();
    }
}
#endif

/* A strided view can be resized too: the new memory is row-major. */
TEST(resize_buffers, replace_strided_memory)
{
    struct program p;
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    const varve_memory strides = {
        .strides = (const int64_t[]){ 3 * sizeof(double), sizeof(double) }
    };
    varve_node *node = varve_add_resizable(p.root, "particles",
        varve_view_in(&strides, p.particles, VARVE_FLOAT64,
            VARVE_SHAPE(2, 3)),
        &resizing, &p);
    varve_restoration_free(read_root(p.root, NULL));
    check_is_saved(&p, 5);
    cr_assert_null(varve_value(node)->memory);
    end_program(&p);
    end_world();
}

TEST(resize_buffers, are_accepted_by_a_dry_run)
{
    struct program p;
    varve_error error = { 0 };
    begin_world();
    save(5);
    begin_program(&p, 2, 1);
    add_particles(&p);
    varve_restoration *plan = varve_dry_run(p.root, FILE_NAME, NULL, &error);
    cr_assert_not_null(plan, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(plan, &error), error);
    cr_assert_eq(p.made, 0);
    varve_restoration_free(plan);
    end_program(&p);
    end_world();
}

TEST(resize_buffers, are_undone_by_every_failed_allocation)
{
    long number = 0, failed = 0;
    begin_world();
    save(5);
    for (bool is_over = false; !is_over; number++) {
        struct program p;
        varve_error error = { 0 };
        begin_program(&p, 2, 1);
        add_particles(&p);
        test_fail_allocation(number, false);
        varve_restoration *r = varve_read(p.root, FILE_NAME, NULL, &error);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        cr_assert(r || error.status == VARVE_NO_MEMORY);
        if (r)
            check_is_saved(&p, 5);
        else
            check_is_older(&p, 2);
        failed += !r;
        good(p.root);
        varve_restoration_free(r);
        end_program(&p);
    }
    cr_assert_gt(failed, 10);
    end_world();
}
