/* test_restoration.c - Tests restorations and deferred delivery.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static float values[2] = { 1, 2 };
static float mine[2];

static void write_model(void)
{
    varve_error error = { 0 };
    varve_metadata metadata = { .name = "note",
        .kind = VARVE_METADATA_STRING, .string = "text" };
    varve_write_options options = { .metadata = &metadata,
        .metadata_count = 1 };
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(values, 2));
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
}

TEST(restoration, returns_the_path_and_counter_of_its_file)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_str_eq(varve_restoration_path(r), FILE_NAME);
    cr_assert_eq(varve_restoration_counter(r), 0);
    cr_assert_str_eq(varve_restoration_metadata(r, "note")->string, "text");
    cr_assert_null(varve_restoration_metadata(r, "none"));
    varve_restoration_free(r);
    varve_restoration_free(NULL);
    free_root(root);
    end_world();
}

TEST(restoration, accepts_a_subtree_as_its_root)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(mine, 2));
    mine[1] = 0;
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .subtree = "/model" });
    cr_assert_eq(mine[1], 2);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    fail_read(root, &(varve_read_options){ .subtree = "modell" },
        VARVE_NOT_FOUND);
    free_root(root);
    end_world();
}

TEST(restoration, outlives_its_graph)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "x", varve_array(mine, 2));
    varve_restoration *r = read_root(root, NULL);
    free_root(root);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    varve_restoration_free(r);
    end_world();
}

static void damage_model(void)
{
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    size_t at = 64;
    while (bytes[at] != 0x3f)
        at++;
    bytes[at] ^= 1;
}

/* After a value was delivered, its node is replaced by one that the value would
 * not fit. */
static void replace_and_verify(bool by_slice)
{
    varve_error error = { 0 };
    const uint64_t start[] = { 100, 100 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "x", varve_array(mine, 2));
    varve_restoration *r = read_root(root, NULL);
    varve_untrack(model, "x");
    if (by_slice)
        varve_add_slice(model, "x", varve_view(mine, VARVE_FLOAT32,
            VARVE_SHAPE(1, 2)), VARVE_SHAPE(200, 200), start);
    else
        varve_add_object(model, "x");
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    damage_model();
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(restoration, verifies_a_value_replaced_by_an_object)
{
    replace_and_verify(false);
}

TEST(restoration, verifies_a_value_replaced_by_another_slice)
{
    replace_and_verify(true);
}

TEST(restoration, verifies_restored_values)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(mine, 2));
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    damage_model();
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(restoration, restores_a_variable_changed_to_the_saved_type)
{
    varve_error error;
    float one[2] = { 1, 2.5F };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(one, 2));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *x = varve_add_allocated_variable(
        root, "x", VARVE_INT64, VARVE_SHAPE(2), NULL, NULL);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), &error), VARVE_MISMATCH);
    cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH);
    cr_assert_ok(varve_retype(x, VARVE_FLOAT32, NULL, &error), error);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(((float *)varve_data(x))[1], 2.5F);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(restoration, keeps_no_error_of_a_failed_read)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(mine, 1));
    mine[0] = 7;
    fail_read(root, NULL, VARVE_MISMATCH);
    good(root);
    cr_assert_eq(mine[0], 7);
    cr_assert_null(varve_node_graph(root)->newest);
    free_root(root);
    end_world();
}

TEST(restoration, handles_every_failed_allocation)
{
    varve_rename rename = { "net", "model" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 },
        .except = "nothing" };
    begin_world();
    write_model();
    varve_restoration *r = NULL;
    for (long n = 0; !r; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_add_variable(
            varve_add_object(root, "net"), "x", varve_array(mine, 2));
        good(root);
        mine[1] = 0;
        test_fail_allocation(n, false);
        r = varve_read(root, FILE_NAME, &options, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, r ? VARVE_OK : VARVE_NO_MEMORY);
        cr_assert_eq(mine[1], r ? 2 : 0, "%ld: %g", n, mine[1]);
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* A restoration below a node that is removed has no program any more. */
TEST(restoration, outlives_its_node)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_restoration *r = read_root(part, NULL);
    cr_assert_eq(varve_pending_count(r), 1);
    varve_remove(part);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_neq(varve_assert_consumed(r, &error), VARVE_OK);
    varve_report *report = varve_report_new(r, &error);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_PENDING, 0, &finding));
    cr_assert_str_eq(finding.reason, "the program is gone");
    varve_report_free(report);
    /* A new node with the same address and name is not matched. */
    mine[1] = 0;
    part = varve_add_object(root, "part");
    varve_add_variable(
        varve_add_object(part, "model"), "x", varve_array(mine, 2));
    cr_assert_eq(mine[1], 0);
    cr_assert_null(varve_pending(part, "model"));
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* --- Deferred values without memory -------------------------------------- */

struct late {
    float x[2], wrong[3], object[1], state[1], m[2];
    struct text_state text;
};

static void write_late_file(struct late *late)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *x = varve_add_variable(model, "x", varve_array(values, 2));
    varve_add_variable(model, "wrong", varve_array(COPY_OF(values), 2));
    varve_add_object(model, "object");
    varve_add_state(model, "state", &text_callbacks, &late->text);
    varve_add_slot(model, x, "m", varve_array(COPY_OF(values), 2));
    write_root(root);
    free_root(root);
}

/* Creates one value that fits, with a slot, and three that do not. */
static varve_node *make_late_part(varve_node *root, struct late *late)
{
    varve_node *part = varve_add_detached(varve_node_graph(root));
    varve_node *x = varve_add_variable(part, "x", varve_array(late->x, 2));
    varve_add_slot(part, x, "m", varve_array(late->m, 2));
    varve_add_variable(part, "wrong", varve_array(late->wrong, 3));
    varve_add_variable(part, "object", varve_array(late->object, 1));
    varve_add_variable(part, "state", varve_array(late->state, 1));
    return part;
}

static void check_late(varve_restoration *r, const char *path, long n)
{
    static const char *const mismatches[] = {
        "3 variables have another type or shape",
        "wrong: saved float32[2], the program has float32[3]",
        "object: saved an object, the program has float32[1]",
        "state: saved a state, the program has float32[1]"
    };
    varve_error error = { 0 };
    varve_status status = varve_restoration_retry(r, &error);
    cr_assert_eq(status, VARVE_MISMATCH, "%s, allocation %ld: %s: %s", path, n,
        varve_status_name(status), error.message);
    for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++)
        cr_assert_not_null(strstr(error.message, mismatches[i]), "%s: %s", path,
            error.message);
}

static void try_late(const char *name, const varve_read_options *options)
{
    struct late late = { .text = { .text = "saved" } };
    bool was_tried = true;
    write_late_file(&late);
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, options);
        varve_node *part = make_late_part(root, &late);
        memset(late.x, 0, sizeof late.x + sizeof late.wrong);
        late.m[1] = 0;
        good(root);
        test_fail_allocation(n, false);
        varve_track(root, name, part);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        if (varve_find(root, name) == part) {
            check_late(r, name, n);
            check_late(r, name, n);
            cr_assert_eq(late.wrong[0], 0);
            varve_untrack(part, "wrong");
            varve_untrack(part, "object");
            varve_untrack(part, "state");
            cr_assert_ok(varve_restoration_retry(r, &error), error);
            cr_assert_eq(late.x[1], 2, "allocation %ld", n);
            cr_assert_eq(late.m[1], 2, "allocation %ld", n);
            good(root);
        }
        varve_restoration_free(r);
        free_root(root);
    }
}

TEST(restoration, finds_late_mismatches_once_after_any_failed_allocation)
{
    varve_rename rename = { "net", "model" };
    begin_world();
    try_late("model", NULL);
    try_late("model", &(varve_read_options){ .except = "nothing" });
    try_late("net", &(varve_read_options){ .rename = { .list = &rename,
                        .count = 1 } });
    end_world();
}

/* The file has an object there, and no value whose dtype could be compared. */
TEST(restoration, finds_a_valueless_variable_after_a_failed_allocation)
{
    bool was_tried = true;
    begin_world();
    write_model();
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, NULL);
        varve_node *late = varve_add_variable(
            varve_add_detached(varve_node_graph(root)), "v",
            varve_array(mine, 2));
        good(root);
        test_fail_allocation(n, false);
        varve_track(root, "model", late);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        if (varve_find(root, "model") == late)
            cr_assert_eq(varve_restoration_retry(r, &error), VARVE_MISMATCH,
                "allocation %ld", n);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* A path that could not be allocated must not be treated as an empty one. */
static void try_option(const varve_read_options *options, float wanted)
{
    bool was_tried = true;
    for (long n = 0; was_tried; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, options);
        varve_node *part = varve_add_detached(varve_node_graph(root));
        varve_add_variable(part, "x", varve_array(mine, 2));
        mine[1] = 7;
        good(root);
        test_fail_allocation(n, false);
        varve_track(root, "model", part);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(mine[1] == 7 || mine[1] == wanted, "%ld: %g", n, mine[1]);
        if (varve_find(root, "model") == part) {
            cr_assert_ok(varve_restoration_retry(r, &error), error);
            cr_assert_eq(mine[1], wanted, "%ld: %g", n, mine[1]);
            cr_assert_ok(
                varve_assert_existing_objects_matched(r, &error), error);
        }
        varve_restoration_free(r);
        free_root(root);
    }
}

TEST(restoration, follows_its_options_after_any_failed_allocation)
{
    begin_world();
    write_model();
    try_option(&(varve_read_options){ .only = "model/x" }, 2);
    try_option(&(varve_read_options){ .only = "model/y" }, 7);
    try_option(&(varve_read_options){ .except = "model/x" }, 7);
    try_option(&(varve_read_options){ .except = "model/y" }, 2);
    end_world();
}
