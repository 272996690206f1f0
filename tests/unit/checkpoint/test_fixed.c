/* test_fixed.c - Tests fixed values, which must match the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "fixed.h"
#include "support/faulty_system.h"
#include "support/thread_comm.h"
#include "support/views.h"

#include <varve/slice.h>
#include <varve/collective.h>

enum { LARGE = 300000 };

/* A simulation: its parameters and its present state. */
struct program {
    varve_graph *graph;
    varve_node *root;
    int32_t size[2]; /* fixed, as are the next three */
    double viscosity;
    varve_string name;
    struct text_state rules;
    float weights[3][4];
    float field[5]; /* not fixed */
};

static void set(struct program *p)
{
    *p = (struct program){
        .size = { 64, 32 },
        .viscosity = 0.1,
        .name = { "channel", 7 },
        .rules = { .text = "bounce" },
        .field = { 1, 2, 3, 4, 5 },
    };
    for (int i = 0; i < 12; i++)
        p->weights[i / 4][i % 4] = (float)i / 10;
}

static void build(struct program *p)
{
    p->root = new_root();
    p->graph = varve_node_graph(p->root);
    varve_node *model = varve_add_object(p->root, "model");
    varve_add_fixed_variable(model, "size", varve_array(p->size, 2));
    varve_add_fixed_variable(model, "nu", varve_scalar(&p->viscosity));
    varve_add_fixed_variable(model, "name", varve_scalar(&p->name));
    varve_add_fixed_variable(
        model, "w", varve_array(&p->weights[0][0], 3, 4));
    varve_add_variable(p->root, "field", varve_array(p->field, 5));
    varve_node *rules =
        varve_add_state(model, "rules", &text_callbacks, &p->rules);
    varve_tag(rules, VARVE_TAG_FIXED);
    good(p->root);
}

/* Writes a program and rebuilds it. */
static void begin(struct program *p)
{
    begin_world();
    set(p);
    build(p);
    write_root(p->root);
    free_root(p->root);
    build(p);
    memset(p->field, 0, sizeof p->field);
}

static void end(struct program *p)
{
    free_root(p->root);
    end_world();
}

static void check_says(const varve_error *error, const char *line)
{
    cr_assert(strstr(error->message, line), "expected %s, found %s", line,
        error->message);
}

TEST(fixed, matches_an_equal_value)
{
    struct program p;
    varve_error error = { 0 };
    begin(&p);
    varve_restoration *r = read_root(p.root, NULL);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert(p.field[4] == 5 && p.rules.loads == 0);
    cr_assert_eq(varve_state_of(varve_find_path(p.root, "model/nu")),
        VARVE_RESTORED);
    varve_restoration_free(r);
    end(&p);
}

TEST(fixed, is_reported_with_both_values_if_it_differs)
{
    struct program p;
    begin(&p);
    p.size[1] = 16;
    p.viscosity = 0.25;
    p.name = (varve_string){ "cavity\n", 7 };
    p.weights[1][2] = -0.0f;
    p.weights[2][3] = 7;
    strcpy(p.rules.text, "slip");
    varve_error error = fail_read(p.root, NULL, VARVE_MISMATCH);
    check_says(&error, "  model/size[1]: saved 32, the program has 16");
    check_says(&error, "  model/nu: saved 0.1, the program has 0.25");
    check_says(&error, "  model/name: saved \"channel\", the program has "
                       "\"cavity?\"");
    check_says(&error, "  model/w[1,2]: saved 0.6, the program has -0, and 1 "
                       "more element");
    check_says(&error,
        "  model/rules: saved other bytes, the program has its own bytes");
    cr_assert(p.field[4] == 0 && p.size[1] == 16 && p.rules.loads == 0);
    good(p.root);
    end(&p);
}

/* More than is read at a time. */
TEST(fixed, is_found_among_many)
{
    enum { MANY = 5, LENGTH = 60000 };
    static double values[MANY][LENGTH];
    char name[] = "v0";
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < MANY; i++, name[1]++)
        varve_add_fixed_variable(root, name, varve_array(values[i], LENGTH));
    write_root(root);
    varve_restoration_free(read_root(root, NULL));
    for (int i = 0; i < MANY; i += 2)
        values[i][LENGTH - 1 - i] = i + 1;
    varve_error error = fail_read(root, NULL, VARVE_MISMATCH);
    check_says(&error, "  v0[59999]: saved 0, the program has 1");
    check_says(&error, "  v2[59997]: saved 0, the program has 3");
    check_says(&error, "  v4[59995]: saved 0, the program has 5");
    cr_assert(!strstr(error.message, "v1") && !strstr(error.message, "v3"));
    free_root(root);
    end_world();
}

/* The cost of reading the file. */
struct cost {
    size_t calls;
    uint64_t bytes;
};

static struct cost cost_of_read(
    struct faulty *faulty, const varve_read_options *options, bool are_fixed)
{
    enum { MANY = 200, LENGTH = 2000 };
    static float others[MANY][LENGTH];
    static int32_t counts[MANY];
    varve_node *nodes[MANY];
    struct cost cost = { 0 };
    char name[8] = "";
    varve_node *root = new_root();
    for (int i = 0; i < MANY; i++) {
        varve_node *parent = (snprintf(name, sizeof name, "p%d", i),
            varve_add_object(root, name));
        nodes[i] = varve_add_variable(parent, "n", varve_scalar(&counts[i]));
        varve_add_variable(parent, "v", varve_array(others[i], LENGTH));
    }
    write_root(root);
    for (int i = 0; i < MANY && are_fixed; i++)
        varve_tag(nodes[i], VARVE_TAG_FIXED);
    good(root);
    faulty_plan(faulty, NULL);
    varve_restoration_free(read_root(root, options));
    size_t at = faulty_log_find(faulty, FAULTY_READ, 0);
    for (; at < faulty_log_size(faulty);
         at = faulty_log_find(faulty, FAULTY_READ, at + 1)) {
        cost.calls++;
        cost.bytes += faulty_log_at(faulty, at)->size;
    }
    free_root(root);
    return cost;
}

/* If values are staged, no additional byte is read for fixed values; otherwise
 * at most those of the fixed values. */
TEST(fixed, is_read_in_the_common_pass)
{
    begin_world();
    struct faulty *faulty = faulty_new(world.context.system);
    world.context.system = faulty_system(faulty);
    varve_read_options options = { .resources.threads = 1 };
    for (int i = 0; i < 2; i++) { /* the second time in two passes */
        struct cost free = cost_of_read(faulty, &options, false);
        struct cost fixed = cost_of_read(faulty, &options, true);
        cr_assert_gt(free.bytes, 200 * 8004);
        cr_assert_leq(fixed.calls, free.calls + (unsigned)i, "pass %d", i);
        cr_assert_leq(fixed.bytes, free.bytes, "pass %d", i);
        options.passes = VARVE_TWO_PASSES;
        options.resources.staging_size = 1;
    }
    faulty_free(faulty);
    end_world();
}

struct forms {
    float plain[LARGE];
    double wide[LARGE];
    float part[7];
    struct view strided, far;
};

static void build_forms(struct forms *f, varve_node *root, bool are_fixed)
{
    float *wide = COPY_OF(f->plain), *part = COPY_OF(f->plain);
    varve_node *nodes[] = {
        varve_add_variable(root, "plain", varve_array(f->plain, LARGE)),
        are_fixed
            ? varve_add_variable(root, "wide", varve_array(f->wide, LARGE))
            : varve_add_variable(root, "wide", varve_array(wide, LARGE)),
        are_fixed
            ? varve_add_slice(root, "part", varve_array(f->part, 7),
                  VARVE_SHAPE(LARGE), (uint64_t[]){ LARGE - 7 })
            : varve_add_variable(root, "part", varve_array(part, LARGE)),
        varve_add_variable(root, "strided", f->strided.tensor),
        varve_add_variable(root, "far", f->far.tensor),
    };
    for (size_t i = 0; are_fixed && i < sizeof nodes / sizeof *nodes; i++)
        varve_tag(nodes[i], VARVE_TAG_FIXED);
    good(root);
}

static void set_forms(struct forms *f)
{
    for (int i = 0; i < LARGE; i++)
        f->plain[i] = (float)i, f->wide[i] = i;
    memcpy(f->part, f->plain + LARGE - 7, sizeof f->part);
    view_set(&f->strided, 5);
    view_set(&f->far, 6);
    f->plain[LARGE - 2] = -0.0f;
    f->wide[LARGE - 2] = f->part[5] = -0.0f;
}

/* Each layout is compared up to its last element with every option. */
static void check_forms(
    struct forms *f, varve_node *root, const varve_read_options *options)
{
    set_forms(f);
    varve_restoration_free(read_root(root, options));
    cr_assert(view_is(&f->strided, 5) && view_is(&f->far, 6));
    for (int i = 0; i < 5; i++) {
        static const char *const names[] = { "  plain[299998]: saved -0",
            "  wide[299998]: saved -0", "  part[5]: saved -0", "  strided[",
            "  far[" };
        set_forms(f);
        if (i == 0)
            f->plain[LARGE - 2] = 0;
        else if (i == 1)
            f->wide[LARGE - 2] = 0;
        else if (i == 2)
            f->part[5] = 0;
        else if (i == 3)
            f->strided.block[view_place(&f->strided, 29 * 1009)] ^= 1;
        else
            f->far.block[f->far.size - 1] ^= 1;
        varve_error error = fail_read(root, options, VARVE_MISMATCH);
        check_says(&error, names[i]);
        cr_assert_eq(f->far.calls_in, 0);
    }
}

TEST(fixed, is_compared_in_every_stored_form)
{
    static struct forms f;
    uint64_t seed = 20261123;
    view_make_strided(&f.strided, VARVE_INT16, VARVE_SHAPE(30, 1010), &seed);
    view_make_far(&f.far, VARVE_FLOAT64, VARVE_SHAPE(20000));
    set_forms(&f);
    begin_world();
    varve_node *root = new_root();
    build_forms(&f, root, false);
    write_root(root);
    free_root(root);
    root = new_root();
    build_forms(&f, root, true);
    for (unsigned i = 0; i < 12; i++) {
        varve_read_options options = { .cast = VARVE_CAST_WIDEN,
            .resources.staging_size = i & 1,
            .passes = i & 2 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
            .no_verify = i / 4 == 1,
            .salvage.on = i / 4 == 2 };
        check_forms(&f, root, &options);
    }
    cr_assert(!f.far.was_shared);
    set_forms(&f);
    view_fail(&f.far, 1, 1);
    varve_error error = fail_read(root,
        &(varve_read_options){ .cast = VARVE_CAST_WIDEN }, VARVE_CALLBACK);
    check_says(&error, "far");
    free_root(root);
    view_free(&f.strided);
    view_free(&f.far);
    end_world();
}

/* Also if the other values are changed in place. */
TEST(fixed, changes_nothing_if_values_are_large_or_streamed)
{
    static float large[LARGE];
    for (int is_streaming = 0; is_streaming < 2; is_streaming++) {
        int64_t count = 3;
        begin_world();
        varve_node *root = new_root();
        varve_add_variable(root, "a", varve_array(large, LARGE));
        varve_add_fixed_variable(root, "b", varve_scalar(&count));
        large[LARGE - 1] = 1;
        write_root(root);
        large[LARGE - 1] = 2;
        count = 4;
        varve_read_options options = { .resources.staging_size = 1,
            .passes = is_streaming ? VARVE_ONE_PASS : VARVE_TWO_PASSES };
        fail_read(root, &options, VARVE_MISMATCH);
        cr_assert_eq(large[LARGE - 1], 2);
        count = 3;
        varve_restoration_free(read_root(root, &options));
        cr_assert_eq(large[LARGE - 1], 1);
        free_root(root);
        end_world();
    }
}

TEST(fixed, is_compared_when_added_after_the_read)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    int32_t size = 8;
    varve_add_variable(root, "size", varve_scalar(&size));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    size = 9;
    varve_node *node =
        varve_add_fixed_variable(root, "size", varve_scalar(&size));
    cr_assert_eq(varve_graph_check(varve_node_graph(root), &error),
        VARVE_MISMATCH);
    check_says(&error, "size: saved 8, the program has 9");
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
    cr_assert_eq(size, 9);
    size = 8;
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    good(root);
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static varve_status set_seven(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(int32_t *)tensor->data = 7;
    return VARVE_OK;
}

/* Variables with a value are compared, others are filled. */
TEST(fixed, of_library_memory_is_restored_once)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *node = varve_add_allocated_variable(
        root, "size", VARVE_INT32, VARVE_SCALAR, set_seven, NULL);
    varve_tag(node, VARVE_TAG_FIXED);
    write_root(root);
    varve_restoration_free(read_root(root, NULL));
    *(int32_t *)varve_data(node) = 8;
    fail_read(root, NULL, VARVE_MISMATCH);
    cr_assert_eq(*(int32_t *)varve_data(node), 8);
    free_root(root);

    root = new_root();
    varve_defer_initializers(varve_node_graph(root), true);
    node = varve_add_allocated_variable(
        root, "size", VARVE_INT32, VARVE_SCALAR, set_seven, NULL);
    varve_tag(node, VARVE_TAG_FIXED);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(*(int32_t *)varve_data(node), 7);
    *(int32_t *)varve_data(node) = 9;
    cr_assert_eq(varve_restore_again(r, root, &error), VARVE_MISMATCH);
    cr_assert_eq(*(int32_t *)varve_data(node), 9);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* It had its value before it got an edge, and keeps it. */
TEST(fixed, keeps_its_value_when_it_is_matched_later)
{
    varve_error error = { 0 };
    begin_world();
    int32_t size = 8;
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "size", varve_scalar(&size));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *model = varve_add_detached(varve_node_graph(root));
    varve_node *node = varve_add_allocated_variable(
        model, "size", VARVE_INT32, VARVE_SCALAR, set_seven, NULL);
    varve_tag(node, VARVE_TAG_FIXED);
    varve_track(root, "model", model);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
        check_says(&error, "model/size: saved 8, the program has 7");
        cr_assert_eq(*(int32_t *)varve_data(node), 7);
    }
    cr_assert_neq(varve_graph_check(varve_node_graph(root), NULL), VARVE_OK);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A value that a cast changes differs, and so does another shape. */
TEST(fixed, is_compared_after_a_cast)
{
    begin_world();
    varve_node *root = new_root();
    float saved[2] = { 1, 2.5f };
    int32_t whole[2] = { 1, 2 };
    float shorter[1] = { 1 };
    varve_add_variable(root, "v", varve_array(saved, 2));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_fixed_variable(root, "v", varve_array(whole, 2));
    varve_read_options options = { .cast = VARVE_CAST_ANY };
    varve_error error = fail_read(root, &options, VARVE_MISMATCH);
    check_says(&error, "v: saved float32[2], the program has int32[2]");
    free_root(root);
    root = new_root();
    varve_add_fixed_variable(root, "v", varve_array(shorter, 1));
    options = (varve_read_options){ .resize = "**" };
    error = fail_read(root, &options, VARVE_MISMATCH);
    check_says(&error, "v: saved float32[2], the program has float32[1]");
    free_root(root);
    root = new_root();
    double wide[2] = { 1, 2.5 };
    varve_add_fixed_variable(root, "v", varve_array(wide, 2));
    options = (varve_read_options){ .cast = VARVE_CAST_WIDEN };
    varve_restoration_free(read_root(root, &options));
    free_root(root);
    root = new_root();
    varve_add_slice(root, "v", varve_array(&saved[1], 1), VARVE_SHAPE(2),
        (uint64_t[]){ 1 });
    varve_tag(varve_find(root, "v"), VARVE_TAG_FIXED);
    varve_restoration_free(read_root(root, NULL));
    saved[1] = 3;
    error = fail_read(root, NULL, VARVE_MISMATCH);
    check_says(&error, "v[0]: saved 2.5, the program has 3");
    free_root(root);
    end_world();
}

static varve_status make_no_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)node;
    (void)coming;
    (void)room;
    ++*(int *)user;
    return VARVE_OK;
}

static void settle_none(
    void *user, varve_node *node, void *room, bool is_taken)
{
    (void)node;
    (void)room;
    (void)is_taken;
    ++*(int *)user;
}

/* A resizable variable must not be resized. */
TEST(fixed, is_not_resized)
{
    static const varve_resizing resizing = { make_no_room, settle_none };
    static const varve_resizing none = { 0 };
    double saved[100] = { 1 }, small[2] = { 1 };
    int asked = 0;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "v", varve_array(saved, 100));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_tag(varve_add_resizable(
                  root, "v", varve_array(small, 2), &resizing, &asked),
        VARVE_TAG_FIXED);
    varve_error error = fail_read(root, NULL, VARVE_MISMATCH);
    check_says(&error, "v: saved float64[100], the program has float64[2]");
    cr_assert_eq(asked, 0);
    free_root(root);
    root = new_root();
    varve_node *node = varve_add_allocated_variable(
        root, "v", VARVE_FLOAT64, VARVE_SHAPE(2), NULL, NULL);
    varve_tag(node, VARVE_TAG_FIXED);
    varve_set_resizing(node, &none, NULL);
    error = fail_read(root, NULL, VARVE_MISMATCH);
    check_says(&error, "v: saved float64[100], the program has float64[2]");
    free_root(root);
    end_world();
}

#ifdef VV_HAVE_MANAGE
struct all {
    varve_error errors[3];
    float fields[3];
    bool has_failed[3];
};

static void read_together(const varve_comm *comm, void *user)
{
    struct all *all = user;
    int32_t size = comm->rank == 2 ? 5 : 4;
    varve_node *root = new_root();
    varve_add_fixed_variable(root, "size", varve_scalar(&size));
    varve_add_variable(root, "x", varve_scalar(&all->fields[comm->rank]));
    varve_restoration *r = varve_read_all(
        comm, root, FILE_NAME, NULL, &all->errors[comm->rank]);
    all->has_failed[comm->rank] = !r;
    varve_restoration_free(r);
    free_root(root);
}

TEST(fixed, of_one_rank_changes_nothing_on_others)
{
    struct all all = { .fields = { 0 } };
    begin_world();
    varve_node *root = new_root();
    int32_t size = 4;
    float x = 1;
    varve_add_variable(root, "size", varve_scalar(&size));
    varve_add_variable(root, "x", varve_scalar(&x));
    write_root(root);
    free_root(root);
    thread_comm_run(3, 0, -1, read_together, &all);
    for (int i = 0; i < 3; i++) {
        cr_assert(all.has_failed[i] && all.fields[i] == 0);
        check_says(&all.errors[i], "rank 2");
        check_says(&all.errors[i], "size: saved 4, the program has 5");
    }
    end_world();
}
#endif

/* Damage is reported as damage, not as a difference. */
TEST(fixed, is_verified)
{
    size_t size;
    double nu = 0.5;
    begin_world();
    varve_node *root = new_root();
    varve_add_fixed_variable(root, "nu", varve_scalar(&nu));
    write_root(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t i = 0; i + sizeof nu <= size; i++) {
        if (memcmp(bytes + i, &nu, sizeof nu) == 0)
            bytes[i] ^= 1;
    }
    fail_read(root, NULL, VARVE_CORRUPT);
    cr_assert_eq(nu, 0.5);
    free_root(root);
    end_world();
}

TEST(fixed, is_undone_by_every_failed_allocation)
{
    struct program p;
    long failed = 0, number = 0;
    begin(&p);
    do {
        varve_error error = { 0 };
        p.field[4] = 0;
        test_fail_allocation(number, false);
        varve_restoration *r = varve_read(p.root, FILE_NAME, NULL, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        cr_assert(r || error.status == VARVE_NO_MEMORY);
        cr_assert_eq(p.field[4], r ? 5 : 0);
        good(p.root);
        failed += !r;
        varve_restoration_free(r);
        if (is_over)
            break;
    } while (number++ < 1000);
    cr_assert(failed > 10 && number < 1000);
    end(&p);
}
