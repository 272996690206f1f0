/* test_salvage.c - Tests salvage of damaged files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include <varve/structure.h>

#include "layout.h"
#include "salvage.h"
#include "structure.h"
#include "system.h"

enum { LARGE = 3 * VV_CHUNK_SIZE / 4 }; /* number of floats: three chunks */

static float large[LARGE], small[2], other[2];
static struct text_state state;

/* Creates a variable of three chunks, two small ones, and a state. */
static varve_node *make(float value, const char *text)
{
    varve_node *root = new_root();
    for (int i = 0; i < LARGE; i++)
        large[i] = value;
    small[0] = small[1] = value + 1;
    other[0] = other[1] = value + 2;
    state = (struct text_state){ .load_status = VARVE_IO };
    strcpy(state.text, text);
    varve_add_variable(root, "large", varve_array(large, LARGE));
    varve_add_variable(root, "small", varve_array(small, 2));
    varve_node *s = varve_add_state(root, "s", &text_callbacks, &state);
    varve_add_variable(s, "other", varve_array(other, 2));
    return root;
}

static void begin(void)
{
    begin_world();
    varve_node *root = make(5, "new");
    write_root(root);
    free_root(root);
}

/* Returns the offset of a value in the file, and sets its size. */
static uint64_t place_of(const char *path, uint64_t *size)
{
    varve_error error = { 0 };
    varve_saved_node node;
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader && varve_reader_find(reader, path, &node), "%s", path);
    uint64_t offset = node.offset;
    if (size)
        *size = node.size;
    varve_reader_free(reader);
    return offset;
}

static void damage(const char *path, uint64_t from)
{
    size_t size;
    uint64_t place = place_of(path, NULL);
    memory_bytes(world.memory, FILE_NAME, &size)[place + from] ^= 1;
}

static varve_read_options salvaging(uint64_t staging_size)
{
    return (varve_read_options){ .salvage.on = true,
        .resources = { .staging_size = staging_size,
        .threads = 1 } };
}

/* Checks the path of the only lost value, and a part of the reason. */
static void check_lost(
    varve_restoration *r, const char *path, const char *words)
{
    varve_error error = { 0 };
    varve_finding finding = { 0 };
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_DAMAGED), 1, "%s",
        varve_report_text(report));
    cr_assert(varve_report_at(report, VARVE_FINDING_DAMAGED, 0, &finding));
    cr_assert_str_eq(finding.program_path, path);
    cr_assert(strstr(finding.reason, words), "%s", finding.reason);
    cr_assert(!strstr(finding.reason, FILE_NAME), "%s", finding.reason);
    cr_assert(strstr(varve_report_text(report), ", 1 damaged\n"));
    varve_report_free(report);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, path), "%s", error.message);
    cr_assert_eq(
        varve_assert_existing_objects_matched(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, path), "%s", error.message);
}

/* Staged, in two passes, and in one pass. */
TEST(salvage, skips_and_reports_damaged_values)
{
    begin();
    damage("large", VV_CHUNK_SIZE);
    damage("large", 2 * VV_CHUNK_SIZE + 5);
    for (int way = 0; way < 3; way++) {
        varve_read_options options = salvaging(way ? 1 : 0);
        options.passes = way == 2 ? VARVE_ONE_PASS : VARVE_TWO_PASSES;
        varve_node *root = make(1, "old");
        varve_restoration *r = read_root(root, &options);
        cr_assert(large[0] == 1 && large[LARGE - 1] == 1);
        cr_assert(small[1] == 6 && other[1] == 7);
        cr_assert_str_eq(state.text, "new");
        check_lost(r, "large", "2 of 3 chunks, first: bytes ");
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(salvage, of_an_intact_file_equals_a_plain_read)
{
    static const uint64_t sizes[] = { 0, 1 };
    begin();
    for (int i = 0; i < 2; i++) {
        varve_read_options options = salvaging(sizes[i]);
        varve_error error = { 0 };
        varve_node *root = make(1, "old");
        varve_restoration *r = read_root(root, &options);
        cr_assert(large[0] == 5 && large[LARGE - 1] == 5 && small[1] == 6);
        cr_assert_str_eq(state.text, "new");
        cr_assert_ok(varve_assert_consumed(r, &error), error);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(salvage, requires_verification)
{
    begin();
    varve_node *root = make(1, "old");
    varve_read_options options = salvaging(0);
    options.no_verify = true;
    varve_error error = fail_read(root, &options, VARVE_MISUSE);
    cr_assert(strstr(error.message, "exclude each other"), "%s", error.message);
    free_root(root);
    end_world();
}

TEST(salvage, does_not_load_damaged_states_but_loads_others)
{
    begin();
    damage("s", 0);
    varve_read_options options = salvaging(0);
    varve_node *root = make(1, "old");
    varve_restoration *r = read_root(root, &options);
    cr_assert_str_eq(state.text, "old");
    cr_assert_eq(state.loads, 0);
    cr_assert(other[0] == 7 && large[0] == 5);
    check_lost(r, "s", "bytes ");
    varve_restoration_free(r);
    free_root(root);
    damage("s", 0); /* repaired */
    damage("s/other", 0);
    root = make(1, "old");
    r = read_root(root, &options);
    cr_assert_str_eq(state.text, "new");
    cr_assert_eq(other[0], 3);
    check_lost(r, "s/other", "bytes ");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* --- Read errors -------------------------------------------------------- */

/* Reads of some chunks of a value always fail. */
static const struct vv_system *under;
static uint64_t bad_begin, bad_end;

static int64_t read_but_one(
    void *system, int file, void *bytes, size_t size, uint64_t offset)
{
    if (offset < bad_end && offset + size > bad_begin)
        return -EIO;
    return under->read_at(system, file, bytes, size, offset);
}

TEST(salvage, continues_after_disk_errors)
{
    begin();
    uint64_t size;
    bad_begin = place_of("large", &size) + VV_CHUNK_SIZE;
    bad_end = bad_begin + 1;
    under = world.context.system;
    struct vv_system failing = *under;
    failing.read_at = read_but_one;
    world.context.system = &failing;
    varve_read_options options = salvaging(1);
    varve_node *root = make(1, "old");
    fail_read(root, &(varve_read_options){ .resources.threads = 1 }, VARVE_IO);
    varve_restoration *r = read_root(root, &options);
    cr_assert(large[0] == 1 && small[0] == 6);
    check_lost(r, "large", "1 of 3 chunks, first: read failed: ");
    varve_restoration_free(r);
    free_root(root);
    world.context.system = under;
    end_world();
}

/* --- Ownership of memory ------------------------------------------------ */

static varve_status fill_nine(const varve_tensor *value, void *user)
{
    (void)user;
    for (uint64_t i = 0; i < varve_tensor_count(value); i++)
        ((float *)value->data)[i] = 9;
    return VARVE_OK;
}

static varve_node *add_owned(varve_node *root, const char *name, size_t count)
{
    return varve_add_allocated_variable(
        root, name, VARVE_FLOAT32, VARVE_SHAPE(count), fill_nine, NULL);
}

TEST(salvage, initializes_lost_variables)
{
    begin();
    damage("small", 0);
    varve_read_options options = salvaging(0);
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, &options);
    varve_node *lost = add_owned(root, "small", 2);
    varve_node *had = add_owned(root, "large", LARGE);
    good(root);
    cr_assert_eq(varve_state_of(lost), VARVE_INITIALIZED);
    cr_assert_eq(((float *)varve_data(lost))[1], 9);
    cr_assert_eq(((float *)varve_data(had))[1], 5);
    check_lost(r, "small", "bytes ");
    varve_restoration_free(r);
    free_root(root);
    /* If initializers are deferred, this one is too. */
    root = new_root();
    varve_error error = { 0 };
    varve_defer_initializers(varve_node_graph(root), true);
    lost = add_owned(root, "small", 2);
    r = read_root(root, &options);
    cr_assert_eq(varve_state_of(lost), VARVE_DECLARED);
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_eq(((float *)varve_data(lost))[1], 9);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(salvage, maps_only_intact_values)
{
    begin();
    varve_read_options options = salvaging(0);
    options.map = true;
    for (size_t damaged = 0; damaged < 2; damaged++) {
        varve_node *root = new_root();
        varve_restoration *r = read_root(root, &options);
        varve_node *node = add_owned(root, "large", LARGE);
        cr_assert_eq(((float *)varve_data(node))[7], damaged ? 9 : 5);
        cr_assert_eq(varve_finding_count(r, VARVE_FINDING_DAMAGED), damaged);
        varve_restoration_free(r);
        free_root(root);
        damage("large", 70);
    }
    end_world();
}

/* --- Competing claims --------------------------------------------------- */

static varve_node *make_two(float *a, float *b)
{
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "a"), "x", varve_array(a, 2));
    varve_add_variable(
        varve_add_object(root, "b"), "x", varve_array(b, 2));
    return root;
}

TEST(salvage, loses_all_copies_of_a_value)
{
    float a[2] = { 1, 1 }, b[2] = { 2, 2 };
    begin_world();
    varve_node *root = new_root();
    varve_node *one = varve_add_object(root, "a");
    varve_node *x = varve_add_variable(one, "x", varve_array(a, 2));
    varve_track(varve_add_object(root, "b"), "x", x);
    write_root(root);
    free_root(root);
    damage("a/x", 0);
    varve_read_options options = salvaging(0);
    options.copy_shared = true;
    a[0] = 3;
    root = make_two(a, b);
    varve_restoration *r = read_root(root, &options);
    cr_assert(a[0] == 3 && b[0] == 2);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_DAMAGED), 2);
    varve_error error = { 0 };
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "a/x") && strstr(error.message, "b/x"));
    /* No later node gets it either. */
    varve_untrack(varve_find(root, "b"), "x");
    varve_add_variable(varve_find(root, "b"), "x", varve_array(b, 2));
    cr_assert_eq(b[0], 2);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(salvage, reports_a_later_copy_of_a_lost_value)
{
    float a[2] = { 1, 1 }, b[2] = { 2, 2 };
    begin_world();
    varve_node *root = new_root();
    varve_node *x = varve_add_variable(
        varve_add_object(root, "a"), "x", varve_array(a, 2));
    varve_track(varve_add_object(root, "b"), "x", x);
    write_root(root);
    free_root(root);
    varve_read_options options = salvaging(0);
    options.copy_shared = true;
    root = new_root();
    varve_add_variable(varve_add_object(root, "a"), "x", varve_array(a, 2));
    varve_restoration *r = read_root(root, &options);
    damage("a/x", 0);
    varve_add_variable(varve_add_object(root, "b"), "x", varve_array(b, 2));
    cr_assert_eq(b[0], 2);
    good(root);
    check_lost(r, "b/x", "bytes ");
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MATCHED), 1);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* --- Afterwards --------------------------------------------------------- */

TEST(salvage, is_final_unless_the_value_is_restored_again)
{
    begin();
    damage("small", 0);
    varve_read_options options = salvaging(0);
    varve_error error = { 0 };
    varve_node *root = make(1, "old");
    varve_restoration *r = read_root(root, &options);
    cr_assert_eq(small[0], 2);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    check_lost(r, "small", "bytes ");
    cr_assert_ok(
        varve_restore_again(r, varve_find(root, "small"), &error), error);
    check_lost(r, "small", "bytes ");
    damage("small", 0); /* repaired */
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(small[0], 2);
    cr_assert_ok(
        varve_restore_again(r, varve_find(root, "small"), &error), error);
    cr_assert_eq(small[0], 6);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    /* A value keeps its content if it cannot be delivered again. */
    small[0] = 4;
    damage("small", 0);
    cr_assert_ok(
        varve_restore_again(r, varve_find(root, "small"), &error), error);
    cr_assert_eq(small[0], 4);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(salvage, is_undone_if_the_rest_fails_and_can_be_retried)
{
    begin();
    damage("small", 0);
    varve_read_options options = salvaging(0);
    varve_error error = { 0 };
    varve_node *root = make(1, "old");
    state.fails_at = 1;
    fail_read(root, &options, VARVE_CALLBACK);
    cr_assert(large[0] == 1 && small[0] == 2 && other[0] == 3);
    free_root(root);
    /* For later nodes the lost value is skipped, and the others are pending. */
    root = new_root();
    varve_restoration *r = read_root(root, &options);
    state = (struct text_state){ .fails_at = 1, .load_status = VARVE_IO };
    varve_node *s = varve_add_state(root, "s", &text_callbacks, &state);
    varve_add_variable(s, "other", varve_array(other, 2));
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), NULL), VARVE_CALLBACK);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_str_eq(state.text, "new");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static void note_loss(void *user, const char *path, const char *what)
{
    char *text = user;
    cr_assert_lt(strlen(text) + strlen(path), 100);
    strcat(strcat(text, path), ";");
    cr_assert(strstr(what, "bytes "), "%s", what);
}

struct steps {
    uint64_t last, total;
    int calls, cancel_at;
};

static int step(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct steps *s = user;
    (void)what;
    cr_assert(done >= s->last && done <= total);
    cr_assert(s->total == 0 || total <= s->total);
    s->last = done;
    s->total = total;
    return ++s->calls == s->cancel_at;
}

TEST(salvage, reports_progress_and_can_be_cancelled)
{
    static const uint64_t sizes[] = { 0, 1 };
    begin();
    damage("small", 0);
    for (int i = 0; i < 2; i++) {
        struct steps steps = { 0 };
        varve_read_options options = salvaging(sizes[i]);
        options.progress = step;
        options.progress_user = &steps;
        varve_node *root = make(1, "old");
        varve_restoration_free(read_root(root, &options));
        cr_assert_gt(steps.calls, 6);
        free_root(root);
        for (int n = 1; n <= 5; n++) {
            steps = (struct steps){ .cancel_at = n };
            root = make(1, "old");
            fail_read(root, &options, VARVE_CANCELLED);
            cr_assert(large[0] == 1 && other[0] == 3);
            free_root(root);
        }
    }
    end_world();
}

TEST(salvage, leaves_nothing_partially_restored_without_memory)
{
    static const uint64_t sizes[] = { 0, 1 };
    begin();
    damage("small", 0);
    damage("large", 3);
    for (int i = 0; i < 2; i++) {
        varve_restoration *r = NULL;
        for (long n = 0; !r; n++) {
            varve_error error = { 0 };
            char reported[128] = "";
            varve_read_options options = salvaging(sizes[i]);
            options.salvage.loss = note_loss;
            options.salvage.loss_user = reported;
            varve_node *root = make(1, "old");
            good(root);
            test_fail_allocation(n, false);
            r = varve_read(root, FILE_NAME, &options, &error);
            test_fail_allocation(-1, false);
            cr_assert(small[0] == 2 && large[0] == 1);
            cr_assert_eq(other[0], r ? 7 : 3);
            cr_assert_eq(error.status, r ? VARVE_OK : VARVE_NO_MEMORY);
            varve_restoration_free(r);
            free_root(root);
        }
        varve_read_options options = salvaging(0);
        varve_node *root = make(1, "old");
        r = read_root(root, &options);
        varve_report *report = NULL;
        for (long n = 0; !report; n++) {
            test_fail_allocation(n, false);
            report = varve_report_new(r, NULL);
            test_fail_allocation(-1, false);
        }
        cr_assert_eq(varve_report_count(report, VARVE_FINDING_DAMAGED), 2);
        varve_report_free(report);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* Recomputes the checksums and digests of a file. */
static void sign(const void *old_value, const void *value, size_t value_size)
{
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    size_t end = size - VV_FOOTER_SIZE;
    unsigned char *footer = bytes + end;
    uint64_t begin = vv_load64(footer);
    struct vv_digest old = vv_digest_of(old_value, value_size);
    struct vv_digest now = vv_digest_of(value, value_size);
    for (unsigned char *at = bytes + begin; at + 16 <= footer; at++)
        if (memcmp(at, old.bytes, 16) == 0)
            memcpy(at, now.bytes, 16);
    now = vv_digest_of(bytes + begin, end - (size_t)begin);
    memcpy(bytes + 16, now.bytes, 16);
    memcpy(footer + 16, now.bytes, 16);
    memcpy(footer + 40, now.bytes, 8);
    vv_store64(bytes + 56, vv_hash_of(bytes, 56));
    vv_store64(footer + 48, vv_hash_of(footer, 48));
}

TEST(salvage, loses_strings_with_invalid_lengths)
{
    varve_string texts[2] = { { "one", 3 }, { "two", 3 } };
    float one[1] = { 1 };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(
        root, "texts", varve_view(texts, VARVE_STRING, VARVE_SHAPE(2)));
    varve_add_variable(root, "one", varve_array(one, 1));
    write_root(root);
    uint64_t value_size;
    size_t size;
    uint64_t place = place_of("texts", &value_size);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size) + place;
    for (int i = 0; i < 3; i++) {
        const size_t bad = i < 2;
        unsigned char old[22];
        memcpy(old, bytes, 22);
        vv_store64(bytes + 8, i == 0 ? 4 : i == 1 ? 2 : 3);
        sign(old, bytes, 22);
        varve_error error = { 0 };
        cr_assert_eq(verify_file(&error), bad ? VARVE_CORRUPT : VARVE_OK);
        cr_assert(!bad || strstr(error.message, "the lengths of its strings"));
        one[0] = 2;
        varve_read_options options = salvaging(0);
        varve_restoration *r = read_root(root, &options);
        cr_assert_eq(one[0], 1);
        if (bad)
            check_lost(r, "texts", "the lengths of its strings");
        cr_assert_eq(varve_finding_count(r, VARVE_FINDING_DAMAGED), bad);
        varve_restoration_free(r);
    }
    free_root(root);
    end_world();
}

TEST(salvage, reports_each_loss_once_in_file_order)
{
    char reported[128] = "";
    begin();
    damage("s/other", 0);
    damage("large", VV_CHUNK_SIZE);
    varve_read_options options = salvaging(0);
    options.salvage.loss = note_loss;
    options.salvage.loss_user = reported;
    varve_node *root = make(1, "old");
    varve_restoration *r = read_root(root, &options);
    cr_assert_str_eq(reported, "large;s/other;");
    /* Later damages are not added to the caller's array, which is gone. */
    varve_error error = { 0 };
    cr_assert_ok(varve_restore_again(r, root, &error), error);
    cr_assert_str_eq(reported, "large;s/other;");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* --- As a graph --------------------------------------------------------- */

TEST(salvage, creates_a_graph_without_lost_values)
{
    begin();
    damage("large", 0);
    damage("s", 0);
    varve_error error = { 0 };
    varve_read_options options = salvaging(0);
    cr_assert_null(vv_graph_from_in(&world.context, FILE_NAME, NULL, &error));
    varve_graph *graph =
        vv_graph_from_in(&world.context, FILE_NAME, &options, &error);
    cr_assert(graph, "%s", error.message);
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(varve_state_of(varve_find(root, "large")), VARVE_DECLARED);
    cr_assert_eq(varve_state_of(varve_find(root, "s")), VARVE_DECLARED);
    cr_assert_eq(varve_state_of(varve_find(root, "small")), VARVE_RESTORED);
    write_root(root);
    varve_graph_free(graph);
    root = make(1, "old");
    varve_restoration *r = read_root(root, NULL);
    cr_assert(large[0] == 1 && small[0] == 6 && other[0] == 7);
    cr_assert_str_eq(state.text, "old");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
