/* test_bools.c - Tests that bytes other than 0 and 1 are never stored in a C
 * bool, nor saved from one.
 *
 * SPDX-License-Identifier: MIT
 */
#define FILE_NAME "a.any" /* of any format */
#include "worlds.h"

#include <varve/collective.h>

#include "save_plan_write.h"
#include "support/thread_comm.h"

enum { FEW = 40, MANY = 3000000, BAD = 17, BYTE = 2 };

/* Changes the dtype of the values to bool once they are written. */
static int declare_bools(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct vv_save_plan *save_plan = user;
    uint8_t *dtypes = save_plan->columns.index.value_dtypes.data;
    for (size_t i = 0; i < save_plan->value_count; i++)
        dtypes[i] = VARVE_BOOL;
    return what && done > total;
}

/* Writes `count` bools at "b" with valid checksums, one of which has the value
 * BYTE. */
static void write_bad(size_t count)
{
    varve_error error = { 0 };
    struct vv_save_plan save_plan;
    varve_write_options options = { .progress = declare_bools,
        .progress_user = &save_plan };
    uint8_t *bytes = calloc(1, count);
    bytes[count - BAD] = BYTE;
    varve_node *root = new_root();
    varve_add_variable(
        root, "b", varve_view(bytes, VARVE_UINT8, VARVE_SHAPE(count)));
    cr_assert_ok(
        vv_save_plan_gather(&save_plan, root, &options, &error), error);
    cr_assert_ok(vv_save_plan_write(&save_plan, FILE_NAME, &error), error);
    vv_save_plan_clear(&save_plan);
    free_root(root);
    free(bytes);
}

static bool is_all_zero(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t i = 0;
    while (i < size && at[i] == 0)
        i++;
    return i == size;
}

/* Unless everything is verified first, the other values may have been
 * changed. */
static void check_refused(size_t count, const varve_read_options *options)
{
    bool may_be_half = count == MANY && options->passes != VARVE_TWO_PASSES;
    varve_error error = { 0 };
    bool *bools = calloc(1, count);
    varve_node *root = new_root();
    varve_add_variable(
        root, "b", varve_view(bools, VARVE_BOOL, VARVE_SHAPE(count)));
    cr_assert_null(varve_read(root, FILE_NAME, options, &error));
    cr_assert(error.status == VARVE_CORRUPT ||
              (may_be_half && error.status == VARVE_PARTIALLY_RESTORED));
    cr_assert(strstr(error.message, ": b: offset "), "%s", error.message);
    cr_assert(
        strstr(error.message, "found the byte 2"), "%s", error.message);
    cr_assert(is_all_zero(bools, count));
    free_root(root);
    free(bools);
}

static void check_all_refused(size_t count)
{
    const varve_read_options ways[] = {
        { .no_verify = false },
        { .passes = VARVE_ONE_PASS },
        { .passes = VARVE_TWO_PASSES, .resources.staging_size = 1 },
        { .no_verify = true },
        { .resources.staging_size = 1 },
        { .no_verify = true, .resources.staging_size = 1 },
        { .passes = VARVE_ONE_PASS, .no_verify = true },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        check_refused(count, &ways[i]);
}

TEST(bools, are_refused_by_a_read_despite_a_valid_checksum)
{
    begin_world();
    write_bad(FEW);
    check_all_refused(FEW);
    write_bad(MANY);
    check_all_refused(MANY);
    end_world();
}

/* Library-owned memory, which is a map of the file's pages otherwise, or is
 * filled when the variable is added. */
TEST(bools, are_refused_if_mapped_or_added_later)
{
    const varve_read_options ways[] = { { .map = true }, { .map = false },
        { .map = true, .no_verify = true }, { .no_verify = true } };
    for (size_t i = 0; i < 8; i++) {
        size_t count = i < 4 ? FEW : MANY;
        varve_error error = { 0 };
        begin_world();
        write_bad(count);
        varve_node *root = new_root();
        varve_read_options options = ways[i % 4];
        options.expect.missing = "**";
        varve_restoration *r = read_root(root, &options);
        varve_node *b = varve_add_allocated_variable(
            root, "b", VARVE_BOOL, VARVE_SHAPE(count), NULL, NULL);
        cr_assert_eq(varve_graph_check(varve_node_graph(root), &error),
            VARVE_CORRUPT, "%zu: %s", i, error.message);
        const varve_tensor *value = varve_value(b);
        cr_assert(!value || !value->data || is_all_zero(value->data, count),
            "%zu", i);
        varve_restoration_free(r);
        free_root(root);
        end_world();
    }
}

#ifdef VV_HAVE_MANAGE
static void read_with_others(const varve_comm *comm, void *user)
{
    const size_t *count = user;
    varve_error error = { 0 };
    bool *bools = calloc(1, *count);
    varve_node *root = new_root();
    varve_add_variable(
        root, "b", varve_view(bools, VARVE_BOOL, VARVE_SHAPE(*count)));
    cr_assert_null(varve_read_all(comm, root, FILE_NAME, NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT, "%s", error.message);
    cr_assert(strstr(error.message, ": b: offset "), "%s", error.message);
    cr_assert(is_all_zero(bools, *count));
    free_root(root);
    free(bools);
}

TEST(bools, are_refused_by_a_read_of_many_processes)
{
    size_t counts[] = { FEW, MANY };
    for (int i = 0; i < 2; i++) {
        begin_world();
        write_bad(counts[i]);
        thread_comm_run(3, 0, -1, read_with_others, &counts[i]);
        end_world();
    }
}
#endif

static void note(void *user, const varve_damage *damage)
{
    varve_damage *first = user;
    *first = *damage;
}

TEST(bools, are_reported_as_damage_by_verify)
{
    static const size_t counts[] = { FEW, MANY };
    for (int i = 0; i < 2; i++) {
        varve_error error = { 0 };
        varve_damage found = { 0 };
        varve_verify_options options = { .on_damage = note,
            .on_damage_user = &found };
        varve_saved_node node;
        begin_world();
        write_bad(counts[i]);
        varve_reader *reader =
            vv_reader_open_in(&world.context, FILE_NAME, &error);
        cr_assert(reader && varve_reader_find(reader, "b", &node));
        cr_assert_eq(
            varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
        cr_assert_str_eq(found.what, "a bool is neither 0 nor 1");
        cr_assert_eq(found.size, 1);
        cr_assert_eq(found.offset, node.offset + counts[i] - BAD);
        void *bytes = malloc(counts[i]);
        cr_assert_eq(varve_reader_read(
                         reader, node.id, bytes, counts[i], &error),
            VARVE_CORRUPT);
        free(bytes);
        varve_reader_free(reader);
        end_world();
    }
}

TEST(bools, are_excluded_by_a_salvage)
{
    bool bools[FEW] = { 0 };
    begin_world();
    write_bad(FEW);
    varve_node *root = new_root();
    varve_node *b = varve_add_variable(root, "b", varve_array(bools, FEW));
    varve_error error = { 0 };
    varve_restoration *r = varve_read(root, FILE_NAME,
        &(varve_read_options){ .salvage.on = true }, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_neq(varve_state_of(b), VARVE_RESTORED);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "found the byte 2"), "%s", error.message);
    cr_assert(is_all_zero(bools, sizeof bools));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* For example uninitialized memory. The file would not be readable. */
TEST(bools, are_refused_by_a_save)
{
    static const varve_write_options ways[] = {
        { .no_sync = true },
#ifdef VV_HAVE_FORMATS
        { .format = VARVE_FORMAT_SAFETENSORS },
#else
        { .no_sync = false },
#endif
    };
    static const size_t counts[] = { FEW, MANY };
    for (int i = 0; i < 4; i++) {
        size_t count = counts[i / 2];
        varve_error error = { 0 };
        begin_world();
        unsigned char *bytes = calloc(1, count);
        varve_node *root = new_root();
        varve_node *net = varve_add_object(root, "net");
        varve_add_variable(
            net, "b", varve_view(bytes, VARVE_BOOL, VARVE_SHAPE(count)));
        write_root(root);
        bytes[count - BAD] = BYTE;
        cr_assert_eq(
            varve_write(root, FILE_NAME, &ways[i % 2], &error), VARVE_MISUSE);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "net/b: element %zu: ", count - BAD);
        cr_assert(strstr(error.message, wanted), "%s", error.message);
        bytes[count - BAD] = 1;
        varve_restoration *r = read_root(root, NULL); /* unchanged */
        cr_assert(is_all_zero(bytes, count));
        varve_restoration_free(r);
        free_root(root);
        free(bytes);
        end_world();
    }
}
