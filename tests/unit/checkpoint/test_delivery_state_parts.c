/* test_delivery_state_parts.c - Tests file values that are slices of larger
 * values: the nodes that may receive them, and the reports for others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "write.h"

enum { ROWS = 3, COLUMNS = 4, WHOLE = 8, FIRST = 2 };

static float rows[ROWS][COLUMNS];
static double wide[ROWS][COLUMNS];
static float whole[WHOLE][COLUMNS];
static int32_t plain[2];
static const uint64_t start[] = { FIRST, 0 };

static void fill(float first)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        rows[i / COLUMNS][i % COLUMNS] = first + (float)i;
}

static bool is_filled(float first)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        if (rows[i / COLUMNS][i % COLUMNS] != first + (float)i)
            return false;
    return true;
}

static varve_node *add_rows(varve_node *root)
{
    return varve_add_slice(root, "x", varve_array(&rows[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(WHOLE, COLUMNS), start);
}

/* A slice between two whole values. */
static varve_node *make(void)
{
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(COPY_OF(plain), 2));
    add_rows(root);
    varve_add_variable(root, "z", varve_scalar(&plain[1]));
    return root;
}

static varve_status write_parts(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request request = {
        .root = root, .target = path, .options = options, .of = VV_OF_PARTS
    };
    return vv_save_now(&request, error);
}

static void save(void)
{
    varve_error error = { 0 };
    varve_node *root = make();
    fill(1);
    cr_assert_ok(write_parts(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    fill(100);
}

TEST(delivery_state_parts, are_restored_to_the_same_slice)
{
    begin_world();
    save();
    varve_error error = { 0 };
    varve_node *root = make();
    varve_restoration *r = read_root(root, NULL);
    cr_assert(is_filled(1));
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    cr_assert_ok(verify_file(&error), error);
    end_world();
}

TEST(delivery_state_parts, are_pending_until_their_slice_is_added)
{
    begin_world();
    save();
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert(is_filled(100));
    add_rows(root);
    good(root);
    cr_assert(is_filled(1));
    cr_assert_eq(varve_pending_count(r), 2);
    varve_restoration_free(r);
    free_root(root);
    root = new_root();
    r = read_root(root, NULL);
    varve_node *made = varve_add_variable_as_saved(
        root, "x", VARVE_FLOAT64, VARVE_SHAPE(1, 1), NULL, NULL);
    const varve_slice *slice = varve_slice_of(made);
    cr_assert(slice, "what is as saved is the slice that was saved");
    cr_assert_eq(slice->shape.extents[0], WHOLE);
    cr_assert_eq(slice->start[0], FIRST);
    cr_assert_eq(varve_value(made)->shape[0], ROWS);
    varve_restoration_free(r);
    free_root(root);
    (void)error;
    end_world();
}

TEST(delivery_state_parts, are_cast_like_other_values)
{
    begin_world();
    save();
    const varve_read_options options = { .cast = VARVE_CAST_WIDEN };
    varve_node *root = new_root();
    varve_add_slice(root, "x", varve_array(&wide[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(WHOLE, COLUMNS), start);
    fail_read(root, NULL, VARVE_MISMATCH);
    varve_restoration_free(read_root(root, &options));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        cr_assert_eq(wide[i / COLUMNS][i % COLUMNS], 1 + i);
    free_root(root);
    end_world();
}

TEST(delivery_state_parts, are_restored_to_library_memory)
{
    const varve_box box = { { FIRST, 0 }, { ROWS, COLUMNS } };
    begin_world();
    save();
    varve_node *root = new_root();
    varve_node *x = varve_add_allocated_slice(root, "x", VARVE_FLOAT32,
        VARVE_SHAPE(WHOLE, COLUMNS), &box, NULL, NULL);
    varve_restoration_free(read_root(root, NULL));
    const float *found = varve_value(x)->data;
    cr_assert(found);
    cr_assert_eq(found[0], 1);
    cr_assert_eq(found[ROWS * COLUMNS - 1], ROWS * COLUMNS);
    free_root(root);
    end_world();
}

/* --- Nodes that do not match ---------------------------------------------- */

#define SAVED "saved float32[3,4] from [2,0] on of float32[8,4], the program "

static void check_refused(varve_node *root, const char *says)
{
    static const varve_read_options options[] = {
        { 0 },
        { .cast = VARVE_CAST_ANY },
        { .reshape = true },
        { .resize = "**" },
    };
    good(root);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        varve_error error = fail_read(root, &options[i], VARVE_MISMATCH);
        cr_assert(strstr(error.message, SAVED), "%s", error.message);
        const char *after = strstr(error.message, SAVED) + strlen(SAVED);
        cr_assert_eq(strncmp(after, says, strlen(says)), 0, "%s",
            error.message);
        cr_assert_eq(
            strstr(after, "neither reshaped nor resized") != NULL, i >= 2);
    }
    free_root(root);
}

static void refuse_slice(
    void *data, uint64_t count, uint64_t all, uint64_t from, const char *says)
{
    const uint64_t at[] = { from, 0 };
    varve_node *root = new_root();
    varve_add_slice(root, "x", varve_array((float *)data, count, COLUMNS),
        VARVE_SHAPE(all, COLUMNS), at);
    check_refused(root, says);
}

TEST(delivery_state_parts, are_refused_for_another_slice)
{
    begin_world();
    save();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(&whole[0][0], WHOLE, COLUMNS));
    check_refused(root, "has float32[8,4]");
    root = new_root();
    varve_add_variable(root, "x", varve_array(&rows[0][0], ROWS, COLUMNS));
    check_refused(root, "has float32[3,4]");
    refuse_slice(rows, ROWS, WHOLE, 3, "has float32[3,4] from [3,0] on of "
                                       "float32[8,4]");
    refuse_slice(rows, ROWS, WHOLE + 1, FIRST,
        "has float32[3,4] from [2,0] on of float32[9,4]");
    refuse_slice(rows, ROWS - 1, WHOLE, FIRST,
        "has float32[2,4] from [2,0] on of float32[8,4]");
    refuse_slice(whole, WHOLE, WHOLE, 0, "has float32[8,4]");
    cr_assert(is_filled(100), "nothing was changed");
    end_world();
}

TEST(delivery_state_parts, are_reported_with_both_boxes)
{
    const uint64_t other[] = { 5, 0 };
    begin_world();
    save();
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_add_slice(root, "x", varve_array(&rows[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(WHOLE, COLUMNS), other);
    varve_restoration *r = varve_dry_run(root, FILE_NAME, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    varve_finding finding;
    cr_assert(varve_report_at(report, VARVE_FINDING_MISMATCHED, 0, &finding));
    cr_assert_str_eq(finding.reason,
        "saved float32[3,4] from [2,0] on of float32[8,4], the program has "
        "float32[3,4] from [5,0] on of float32[8,4]");
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* --- Saving --------------------------------------------------------------- */

/* Without slices the file is the same as that of any save. */
TEST(delivery_state_parts, do_not_change_files_without_slices)
{
    begin_world();
    varve_error error = { 0 };
    size_t size, other;
    const uint64_t at[] = { 0, 0 };
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(COPY_OF(plain), 2));
    varve_add_slice(root, "x", varve_array(&rows[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), at);
    write_root(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    cr_assert_ok(write_parts(root, "b.varve", NULL, &error), error);
    unsigned char *again = memory_bytes(world.memory, "b.varve", &other);
    cr_assert_eq(size, other);
    cr_assert_arr_eq(bytes, again, size);
    free_root(root);
    end_world();
}

TEST(delivery_state_parts, may_be_empty)
{
    begin_world();
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_add_slice(root, "x", varve_array(&rows[0][0], 0, COLUMNS),
        VARVE_SHAPE(WHOLE, COLUMNS), start);
    cr_assert_ok(write_parts(root, FILE_NAME, NULL, &error), error);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "x", varve_array(&rows[0][0], 0, COLUMNS));
    fail_read(root, NULL, VARVE_MISMATCH);
    free_root(root);
    end_world();
}

/* A slice that is not saved is recorded with the shape of its whole value, as
 * in any file. */
TEST(delivery_state_parts, are_saved_only_for_saved_slices)
{
    begin_world();
    varve_error error = { 0 };
    varve_node *root = make();
    varve_tag(varve_add_slice(root, "none",
                  varve_array(&whole[0][0], ROWS, COLUMNS),
                  VARVE_SHAPE(WHOLE, COLUMNS), start),
        VARVE_TAG_LOCAL);
    cr_assert_ok(write_parts(root, FILE_NAME, NULL, &error), error);
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "none", &node));
    cr_assert_not(node.has_value);
    cr_assert_null(node.part);
    cr_assert_eq(node.value.shape[0], WHOLE);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}

TEST(delivery_state_parts, are_refused_without_the_option)
{
    begin_world();
    varve_error error = { 0 };
    const varve_write_options foreign = { .format = VARVE_FORMAT_SAFETENSORS };
    varve_node *root = make();
    cr_assert_eq(varve_write(root, FILE_NAME, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(write_parts(root, "a.safetensors", &foreign, &error),
        VARVE_MISUSE, "it would not say that it is a part");
    cr_assert(strstr(error.message, "cannot be saved alone:"), "%s",
        error.message);
    free_root(root);
    end_world();
}

/* --- Reading -------------------------------------------------------------- */

TEST(delivery_state_parts, are_returned_by_a_reader)
{
    begin_world();
    save();
    float found[ROWS][COLUMNS];
    varve_saved_node node;
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "x", &node));
    cr_assert(node.part);
    cr_assert_eq(node.part->shape.rank, 2);
    cr_assert_eq(node.part->shape.extents[0], WHOLE);
    cr_assert_eq(node.part->shape.extents[1], COLUMNS);
    cr_assert_eq(node.part->start[0], FIRST);
    cr_assert_eq(node.value.shape[0], ROWS);
    cr_assert_ok(
        varve_reader_read(reader, node.id, found, sizeof found, &error), error);
    cr_assert_eq(found[0][0], 1);
    cr_assert_eq(found[ROWS - 1][COLUMNS - 1], ROWS * COLUMNS);
    for (int i = 0; i < 2; i++) {
        cr_assert(varve_reader_find(reader, i ? "a" : "z", &node));
        cr_assert_null(node.part);
    }
    varve_reader_free(reader);
    end_world();
}

static void digest_at(uint64_t from, uint8_t digest[16])
{
    const uint64_t at[] = { from, 0 };
    varve_error error = { 0 };
    varve_node *root = new_root();
    fill(1);
    varve_add_slice(root, "x", varve_array(&rows[0][0], ROWS, COLUMNS),
        VARVE_SHAPE(from == ROWS ? ROWS : WHOLE, COLUMNS),
        from == ROWS ? (const uint64_t[]){ 0, 0 } : at);
    cr_assert_ok(write_parts(root, FILE_NAME, NULL, &error), error);
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_digest(reader, digest, &error), error);
    varve_reader_free(reader);
    free_root(root);
}

TEST(delivery_state_parts, have_digests_that_depend_on_their_box)
{
    uint8_t digests[3][16];
    begin_world();
    digest_at(0, digests[0]);
    digest_at(1, digests[1]);
    digest_at(ROWS, digests[2]); /* the whole value */
    cr_assert_neq(memcmp(digests[0], digests[1], 16), 0);
    cr_assert_neq(memcmp(digests[0], digests[2], 16), 0);
    end_world();
}

/* --- Memory --------------------------------------------------------------- */

static varve_status save_and_look(varve_node *root)
{
    varve_error error = { 0 };
    varve_status status = write_parts(root, FILE_NAME, NULL, &error);
    if (status)
        return status;
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    varve_reader_free(reader);
    return reader ? VARVE_OK : error.status;
}

TEST(delivery_state_parts, leak_nothing_without_memory)
{
    bool is_done = false;
    for (long n = 0; !is_done; n++) {
        begin_world();
        varve_node *root = make();
        long before = test_block_count();
        test_fail_allocation(n, false);
        varve_status status = save_and_look(root);
        test_fail_allocation(-1, false);
        is_done = !status;
        cr_assert(is_done || status == VARVE_NO_MEMORY, "allocation %ld: %s", n,
            varve_status_name(status));
        cr_assert_leq(test_block_count(), before + 8);
        free_root(root);
        end_world();
    }
}
