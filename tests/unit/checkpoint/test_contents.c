/* test_contents.c - Tests reading all values in file order, and the digest of a
 * checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#define FILE_NAME "a.any" /* of any format */
#include "worlds.h"

#include "bytes.h"
#include "checksum.h"
#include "reader.h"

enum { LARGE = 400000 }; /* two chunks */

static float small[3] = { 1, 2, 3 };
static float large[LARGE];
static int64_t step = 7;

/* Builds the same values in one order or the other. */
static varve_node *make_model(bool backwards)
{
    varve_node *root = new_root();
    varve_node *first = varve_add_object(root, backwards ? "z" : "a");
    varve_node *second = varve_add_object(root, backwards ? "a" : "z");
    varve_node *a = backwards ? second : first;
    varve_node *z = backwards ? first : second;
    if (backwards)
        varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_variable(z, "large", varve_array(large, LARGE));
    varve_add_variable(a, "small", varve_array(small, 3));
    if (!backwards)
        varve_add_variable(root, "step", varve_scalar(&step));
    return root;
}

static varve_reader *reader_of(
    varve_node *root, const varve_write_options *options)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_write(root, FILE_NAME, options, &error), error);
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

static struct vv_digest digest_of(
    varve_node *root, const varve_write_options *options)
{
    struct vv_digest digest;
    varve_error error = { 0 };
    varve_reader *reader = reader_of(root, options);
    cr_assert_ok(varve_reader_digest(reader, digest.bytes, &error), error);
    varve_reader_free(reader);
    return digest;
}

static bool is_same(struct vv_digest a, struct vv_digest b)
{
    return vv_digest_equal(&a, &b);
}

/* --- Digest --------------------------------------------------------------- */

TEST(contents, have_one_digest_in_every_order_and_format)
{
    static const varve_format formats[] = {
        VARVE_FORMAT_TENSORFLOW_NAMES, VARVE_FORMAT_SAFETENSORS,
        VARVE_FORMAT_NPZ,
    };
    const varve_metadata metadata = { .name = "note", .string = "x",
        .kind = VARVE_METADATA_STRING };
    begin_world();
    varve_node *root = make_model(false);
    struct vv_digest wanted = digest_of(root, NULL);
    cr_assert(is_same(wanted, digest_of(root,
        &(varve_write_options){ .metadata = &metadata,
            .metadata_count = 1 })));
    for (size_t i = 0; i < 3; i++)
        cr_assert(is_same(wanted, digest_of(root,
            &(varve_write_options){ .format = formats[i] })), "%zu", i);
    free_root(root);
    root = make_model(true);
    varve_tag(varve_find_path(root, "a/small"), "mine");
    cr_assert(is_same(wanted, digest_of(root, NULL)));
    varve_track(root, "also", varve_find_path(root, "z/large"));
    cr_assert_not(is_same(wanted, digest_of(root, NULL)), "another path");
    free_root(root);
    end_world();
}

TEST(contents, have_another_digest_after_any_change)
{
    begin_world();
    varve_node *root = make_model(false);
    struct vv_digest before = digest_of(root, NULL);
    large[LARGE - 1] += 1;
    cr_assert_not(is_same(before, digest_of(root, NULL)));
    large[LARGE - 1] -= 1;
    cr_assert(is_same(before, digest_of(root, NULL)));
    varve_add_variable(root, "more", varve_scalar(COPY_AT(&step)));
    cr_assert_not(is_same(before, digest_of(root, NULL)));
    varve_remove(varve_find_path(root, "more"));
    varve_remove(varve_find_path(root, "step"));
    varve_add_variable(root, "steps", varve_scalar(&step));
    cr_assert_not(is_same(before, digest_of(root, NULL)), "its path");
    varve_remove(varve_find_path(root, "steps"));
    varve_add_variable(root, "step", varve_array(&step, 1));
    cr_assert_not(is_same(before, digest_of(root, NULL)), "its shape");
    free_root(root);
    end_world();
}

/* Computes the digest as documented in docs/format.md. */
TEST(contents, have_the_documented_digest)
{
    begin_world();
    varve_node *root = new_root();
    struct vv_buffer record;
    struct text_state state = { .text = "abc" };
    struct vv_digest all[2];
    varve_add_variable(root, "v", varve_array(small, 3));
    varve_add_state(root, "s", &text_callbacks, &state);
    vv_buffer_init(&record, test_allocator());
    for (int i = 0; i < 2; i++) {
        const void *bytes = i ? (const void *)"abc" : (const void *)small;
        size_t size = i ? 3 : sizeof small;
        struct vv_digest value = vv_digest_of(bytes, size);
        record.size = 0;
        vv_buffer_add(&record, i ? "s\0state" : "v\0float32", i ? 8 : 10);
        vv_buffer_add64(&record, 1);
        vv_buffer_add64(&record, 3);
        vv_buffer_add(&record, value.bytes, 16);
        all[i] = vv_digest_of(record.data, record.size);
    }
    if (memcmp(&all[0], &all[1], 16) > 0) {
        struct vv_digest first = all[0];
        all[0] = all[1];
        all[1] = first;
    }
    cr_assert(is_same(digest_of(root, NULL), vv_digest_of(all, 32)));
    vv_buffer_clear(&record);
    free_root(root);
    end_world();
}

TEST(contents, may_be_empty)
{
    begin_world();
    varve_node *root = new_root();
    cr_assert(is_same(digest_of(root, NULL), vv_digest_of("", 0)));
    cr_assert(is_same(digest_of(root,
        &(varve_write_options){ .format = VARVE_FORMAT_SAFETENSORS }),
        vv_digest_of("", 0)));
    free_root(root);
    end_world();
}

/* --- All values ----------------------------------------------------------- */

struct seen {
    int count;
    uint64_t offset;
    uint64_t bytes;
    varve_status gives;
    bool explains;
};

static varve_status look(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    struct seen *seen = user;
    cr_assert(node->has_value && bytes);
    cr_assert(!node->file || node->offset >= seen->offset);
    seen->offset = node->offset;
    seen->count++;
    seen->bytes += node->size;
    if (strstr(node->path, "large"))
        cr_assert_eq(memcmp(bytes, large, sizeof large), 0);
    else if (strstr(node->path, "small"))
        cr_assert_eq(memcmp(bytes, small, sizeof small), 0);
    if (seen->gives && seen->explains) {
        error->status = seen->gives;
        snprintf(error->message, sizeof error->message, "full");
    }
    return seen->gives;
}

TEST(contents, are_visited_in_the_order_of_the_file)
{
    static const varve_format formats[] = { VARVE_FORMAT_VARVE,
        VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_NPZ,
        VARVE_FORMAT_TORCH };
    begin_world();
    varve_node *root = make_model(false);
    varve_add_variable(root, "none", varve_array(small, 0));
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (float)i;
    for (size_t i = 0; i < 5; i++) {
        varve_error error = { 0 };
        varve_reader *reader = reader_of(
            root, &(varve_write_options){ .format = formats[i] });
        for (unsigned threads = 0; threads < 4; threads++) {
            struct seen seen = { 0 };
            cr_assert_ok(
                varve_reader_each(reader, look, &seen, threads, &error),
                error);
            cr_assert_eq(seen.count, 4);
            cr_assert_eq(seen.bytes, sizeof large + sizeof small + 8);
        }
        varve_reader_free(reader);
    }
    free_root(root);
    end_world();
}

/* More than one buffer holds, in values of all sizes. */
TEST(contents, are_visited_in_several_batches)
{
    enum { COUNT = 9, SIZE = 5 << 20, HUGE_SIZE = 17 << 20 };
    begin_world();
    varve_node *root = new_root();
    unsigned char *bytes = calloc(1, HUGE_SIZE + COUNT * SIZE), *at = bytes;
    for (int i = 0; i < COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%d", i);
        uint64_t size = i == 4 ? HUGE_SIZE : SIZE;
        varve_add_variable(root, name, varve_array(at, size));
        at += size;
    }
    struct seen seen = { 0 };
    varve_error error = { 0 };
    varve_reader *reader = reader_of(root, NULL);
    cr_assert_ok(varve_reader_each(reader, look, &seen, 2, &error), error);
    cr_assert_eq(seen.count, COUNT);
    varve_reader_free(reader);
    free_root(root);
    free(bytes);
    end_world();
}

TEST(contents, end_when_the_callback_returns_an_error)
{
    begin_world();
    varve_node *root = make_model(false);
    varve_error error = { 0 };
    varve_reader *reader = reader_of(root, NULL);
    struct seen seen = { .gives = VARVE_NO_SPACE };
    cr_assert_eq(varve_reader_each(reader, look, &seen, 0, &error),
        VARVE_CALLBACK);
    cr_assert(strstr(error.message, "the callback returned VARVE_NO_SPACE"),
        "%s", error.message);
    cr_assert_eq(seen.count, 1);
    seen = (struct seen){ .gives = VARVE_NO_SPACE, .explains = true };
    cr_assert_eq(varve_reader_each(reader, look, &seen, 0, &error),
        VARVE_NO_SPACE);
    cr_assert_str_eq(error.message, "full");
    cr_assert_eq(varve_reader_each(reader, NULL, &seen, 0, &error),
        VARVE_MISUSE);
    cr_assert_eq(varve_reader_digest(reader, NULL, &error), VARVE_MISUSE);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}

TEST(contents, are_verified_when_read)
{
    begin_world();
    varve_node *root = make_model(false);
    varve_error error = { 0 };
    varve_reader *reader = reader_of(root, NULL);
    varve_saved_node node;
    size_t size;
    cr_assert(varve_reader_find(reader, "z/large", &node));
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    bytes[node.offset + sizeof large - 1] ^= 1;
    struct seen seen = { 0 };
    cr_assert_eq(varve_reader_each(reader, look, &seen, 0, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "z/large"), "%s", error.message);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}

static void check_memory(const varve_write_options *options)
{
    varve_node *root = make_model(false);
    varve_error error = { 0 };
    varve_reader *reader = reader_of(root, options);
    varve_status status = VARVE_NO_MEMORY;
    struct vv_digest digest;
    for (long n = 0; status; n++) {
        long before = test_block_count();
        test_fail_allocation(n, false);
        status = varve_reader_digest(reader, digest.bytes, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert(!status || test_block_count() - before <= 4, "paths stay");
        cr_assert(n < 1000);
    }
    varve_reader_free(reader);
    free_root(root);
}

TEST(contents, fail_without_memory)
{
    begin_world();
    check_memory(NULL);
    check_memory(&(varve_write_options){ .format = VARVE_FORMAT_NPZ });
    check_memory(&(varve_write_options){ .format = VARVE_FORMAT_SAFETENSORS });
    end_world();
}
