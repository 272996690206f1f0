/* test_save_plan_incremental.c - Tests incremental saves of one process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include <errno.h>

#include "save_plan_incremental.h"
#include "data_in.h"
#include "layer_prune.h"
#include "support/faulty_system.h"

TEST(incremental, writes_everything_first_and_then_changes)
{
    uint64_t first, second, third;
    begin_incremental();
    saved_incremental();
    cr_assert_eq(count_layers(&first), 1);
    check_incremental("run/m-1.varve");
    incremental.large[100] = -1;
    incremental.large[400000] = -1;
    incremental.middle[5000] = -1;
    saved_incremental();
    cr_assert_eq(count_layers(&second), 2);
    check_incremental("run/m-2.varve");
    cr_assert_leq(second - first, 128 + 4 * 4096, "three pages");
    saved_incremental();
    cr_assert_eq(count_layers(&third), 2, "nothing changed");
    check_incremental("run/m-3.varve");
    end_incremental();
}

/* Checks that each checkpoint has the recorded digest. */
static void check_saves(uint8_t digests[][16], int count)
{
    uint8_t found[16];
    char path[32];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "run/m-%d.varve", i + 1);
        digest_of(path, found);
        cr_assert_eq(memcmp(digests[i], found, 16), 0, "%s", path);
    }
}

TEST(incremental, keeps_the_values_of_each_save)
{
    enum { SAVES = 12 };
    uint8_t digests[SAVES][16];
    begin_incremental();
    for (int i = 0; i < SAVES; i++) {
        for (int k = 0; k < 100; k++)
            incremental.large[(i * 7919 + k * 1000003) % LARGE] += 1;
        incremental.small[i * 20] += 1;
        if (i % 3 == 0)
            incremental.middle[i * 1000] += 1;
        snprintf(incremental.state.text, sizeof incremental.state.text, "%*d",
            1 + i % 5, i);
        if (i % 4 == 1)
            incremental.strings[0].size = 3 - incremental.strings[0].size % 3;
        digest_now(digests[i]);
        saved_incremental();
    }
    check_saves(digests, SAVES);
    end_incremental();
}

TEST(incremental, is_restored_like_a_full_checkpoint)
{
    static float large[LARGE];
    varve_error error = { 0 };
    begin_incremental();
    saved_incremental();
    incremental.large[123456] = 0.5f;
    saved_incremental();
    varve_node *root = new_root();
    varve_add_variable(root, "large", varve_array(large, LARGE));
    varve_restoration *r = varve_restore(root, "run/m", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(memcmp(large, incremental.large, sizeof large), 0);
    varve_restoration_free(r);
    free_root(root);
    end_incremental();
}

TEST(incremental, writes_everything_if_the_base_is_unusable)
{
    uint64_t one, two;
    static float more[10];
    size_t size;
    begin_incremental();
    saved_incremental();
    count_layers(&one);
    memory_bytes(world.memory, "run/m-1.varve", &size)[70] ^= 1;
    saved_incremental();
    count_layers(&two);
    cr_assert_gt(two, one / 2 * 3, "a damaged index");
    check_incremental("run/m-2.varve");
    varve_add_variable(incremental.root, "more", varve_array(more, 10));
    saved_incremental();
    count_layers(&one);
    cr_assert_gt(one, two / 4 * 5, "not mapped");
    check_incremental("run/m-3.varve");
    end_incremental();
}

TEST(incremental, can_replace_its_base)
{
    varve_error error = { 0 };
    const varve_write_options options = { .incremental = true };
    uint64_t one, two;
    begin_incremental();
    cr_assert_ok(
        varve_write(incremental.root, "run/a.varve", &options, &error), error);
    count_layers(&one);
    incremental.large[0] = 5;
    cr_assert_ok(
        varve_write(incremental.root, "run/a.varve", &options, &error), error);
    count_layers(&two);
    cr_assert_leq(two - one, 2 * 4096 + 128);
    check_incremental("run/a.varve");
    end_incremental();
}

TEST(incremental, has_a_bounded_number_of_data_files_of_bounded_size)
{
    varve_error error = { 0 };
    struct vv_opened *file;
    begin_incremental();
    for (int i = 0; i < 90; i++) {
        for (int k = 0; k < 7000; k++)
            incremental.large[(i * 7000 + k) % LARGE] += 1;
        incremental.small[i] += 1;
        saved_incremental();
    }
    check_incremental("run/m-90.varve");
    varve_reader *reader =
        vv_reader_open_in(&world.context, "run/m-90.varve", &error);
    cr_assert(reader, "%s", error.message);
    file = &reader->file;
    cr_assert_leq(file->parsed.index.layer_count, 64);
    cr_assert_leq(file->size, 3 * file->data_end);
    varve_reader_free(reader);
    end_incremental();
}

static int cancel_late(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    cr_assert_leq(done, total);
    return strcmp(what, "middle") == 0;
}

TEST(incremental, leaves_no_file_when_cancelled)
{
    varve_error error = { 0 };
    const varve_write_options options = {
        .incremental = true, .progress = cancel_late
    };
    begin_incremental();
    cr_assert_eq(varve_write(incremental.root, "run/a.varve", &options, &error),
        VARVE_CANCELLED);
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_incremental();
}

TEST(incremental, leaves_no_file_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    begin_incremental();
    saved_incremental();
    incremental.large[77] = 1;
    incremental.strings[1].size = 2;
    size_t files = memory_file_count(world.memory);
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        long blocks = test_block_count();
        test_fail_allocation(n, false);
        status = save_incremental(&error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(memory_file_count(world.memory), files, "%ld", n);
        cr_assert_leq(test_block_count() - blocks, 1, "%ld", n);
    }
    check_incremental("run/m-2.varve");
    end_incremental();
}

/* Shared data survives the loss of the checkpoint that it is shared with. */
TEST(incremental, syncs_data_shared_with_an_unsynced_checkpoint)
{
    for (int way = 0; way < 4; way++) {
        const varve_write_options hasty = { .incremental = true,
            .no_sync = true };
        varve_error error = { 0 };
        uint8_t expected[16], found[16];
        begin_incremental();
        cr_assert_ok(
            varve_save(incremental.root, "run/m", &hasty, &error), error);
        if (way & 1)
            incremental.large[100] = -1;
        digest_now(expected);
        saved_incremental();
        struct memory *before = world.memory;
        struct memory *left =
            memory_after_power_cut(before, way & 2, false);
        world.memory = left;
        world.context.system = memory_system(left);
        digest_of("run/m-2.varve", found);
        cr_assert_eq(memcmp(expected, found, 16), 0, "way %d", way);
        world.memory = before;
        world.context.system = memory_system(before);
        memory_free(left);
        end_incremental();
    }
}

/* --- Damage and failures -------------------------------------------------- */

/* Two and a half pages that later saves share, in a separate world. */
enum { PLAIN = 20 * 1024 };

static struct {
    int32_t large[PLAIN];
    int32_t small;
} plain;

static varve_node *new_plain(const struct vv_context *context)
{
    varve_node *root = varve_graph_root(vv_graph_new_in(context));
    varve_add_variable(root, "large", varve_array(plain.large, PLAIN));
    varve_add_variable(root, "small", varve_scalar(&plain.small));
    return root;
}

static varve_status save_plain(
    varve_node *root, int32_t number, varve_error *error)
{
    const varve_write_options options = { .incremental = true };
    plain.small = plain.large[3000] = number;
    plain.large[number * 2000] = number;
    return varve_save(root, "run/m", &options, error);
}

/* Checks that the damaged file has the right values or cannot be read. */
static void check_damaged(const char *path, size_t at)
{
    static const varve_status expected[] = { VARVE_CORRUPT, VARVE_TRUNCATED,
        VARVE_TOO_NEW, VARVE_NOT_A_CHECKPOINT, VARVE_LIMIT };
    static int32_t older[PLAIN];
    varve_error error = { 0 };
    bool is_expected = false;
    memcpy(older, plain.large, sizeof older);
    varve_node *root = new_plain(&world.context);
    varve_restoration *r = varve_read(root, "run/m-2.varve", NULL, &error);
    cr_assert_eq(memcmp(older, plain.large, sizeof older), 0,
        "%s, byte %zu: other values", path, at);
    cr_assert_eq(plain.small, 2);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        is_expected |= error.status == expected[i];
    cr_assert(r || is_expected, "%s, byte %zu: %s", path, at, error.message);
    varve_restoration_free(r);
    free_root(root);
}

TEST(incremental, never_gives_wrong_values_with_any_damaged_byte)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_plain(&world.context);
    for (int32_t i = 1; i <= 2; i++)
        cr_assert_ok(save_plain(root, i, &error), error);
    free_root(root);
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        size_t size;
        const char *path = memory_file_path(world.memory, i);
        uint8_t *bytes = memory_bytes(world.memory, path, &size);
        /* All bytes of metadata, and some bytes of values. */
        for (size_t at = 0; at < size;
             at += at > 200 && at + 500 < size ? 97 : 1) {
            bytes[at] ^= 0x40;
            check_damaged(path, at);
            bytes[at] ^= 0x40;
        }
    }
    end_world();
}

TEST(incremental, keeps_the_older_checkpoint_if_any_call_fails)
{
    bool hit = true;
    for (long n = 0; hit; n++) {
        varve_error error = { 0 };
        begin_world();
        struct faulty *faulty = faulty_new(world.context.system);
        const struct vv_context context = test_context(faulty_system(faulty));
        varve_node *root = new_plain(&context);
        cr_assert_ok(save_plain(root, 1, &error), error);
        faulty_plan(faulty,
            &(struct faulty_plan){ .number = n, .error = EIO });
        varve_status status = save_plain(root, 2, &error);
        hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        const char *path = status ? "run/m-1.varve" : "run/m-2.varve";
        uint8_t digest[16];
        digest_of("run/m-1.varve", digest);
        if (status != VARVE_UNKNOWN_OUTCOME)
            digest_of(path, digest);
        cr_assert_ok(save_plain(root, 3, &error), error);
        cr_assert_ok(vv_prune_layers(&context, "run/m", &error), error);
        digest_of("run/m-1.varve", digest);
        free_root(root);
        faulty_free(faulty);
        end_world();
    }
}

/* --- Waiting for the disk ------------------------------------------------- */

enum { RENAMES = FAULTY_RENAME | FAULTY_RENAME_NEW };

/* Returns the index in the log of the n-th call of some kinds. */
static size_t find_nth(
    const struct faulty *faulty, unsigned kinds, int n)
{
    size_t at = faulty_log_find(faulty, kinds, 0);
    while (--n > 0)
        at = faulty_log_find(faulty, kinds, at + 1);
    return at;
}

/* The new data file and the index are synced with their folders; the folder's
 * own name was synced before. */
TEST(incremental, syncs_two_files_and_two_directories_from_the_second_save)
{
    varve_error error = { 0 };
    begin_world();
    struct faulty *faulty = faulty_new(world.context.system);
    const struct vv_context context = test_context(faulty_system(faulty));
    varve_node *root = new_plain(&context);
    cr_assert_ok(save_plain(root, 1, &error), error);
    plain.large[0]++;
    faulty_plan(faulty, NULL);
    cr_assert_ok(save_plain(root, 2, &error), error);
    size_t end = faulty_log_size(faulty);
    cr_assert_lt(find_nth(faulty, FAULTY_SYNC, 2), end);
    cr_assert_eq(find_nth(faulty, FAULTY_SYNC, 3), end);
    cr_assert_lt(find_nth(faulty, FAULTY_SYNC_DIRECTORY, 2), end);
    cr_assert_eq(find_nth(faulty, FAULTY_SYNC_DIRECTORY, 3), end);
    cr_assert_lt(find_nth(faulty, RENAMES, 2), end);
    cr_assert_lt(find_nth(faulty, FAULTY_START_WRITE_BACK, 2),
        find_nth(faulty, FAULTY_SYNC, 1));
    cr_assert_lt(find_nth(faulty, RENAMES, 1),
        find_nth(faulty, FAULTY_SYNC, 1));
    cr_assert_lt(find_nth(faulty, FAULTY_SYNC, 2),
        find_nth(faulty, FAULTY_SYNC_DIRECTORY, 1));
    cr_assert_lt(find_nth(faulty, FAULTY_SYNC_DIRECTORY, 1),
        find_nth(faulty, RENAMES, 2));
    free_root(root);
    faulty_free(faulty);
    end_world();
}

/* --- Replaced while it is opened ------------------------------------------ */

static struct {
    struct vv_system system;
    int (*open_file)(void *state, int directory, const char *name);
    int replacements; /* remaining ones, each when a data file is opened */
    bool is_deleted;  /* deleted instead by the last one */
} meeting;

static int open_after_a_replacement(
    void *state, int directory, const char *name)
{
    const varve_write_options options = { .incremental = true };
    varve_error error = { 0 };
    if (strstr(name, "layers/") && meeting.replacements > 0) {
        int left = meeting.replacements;
        meeting.replacements = 0;
        for (int i = 0; i < LARGE; i++)
            incremental.large[i] += 1;
        cr_assert_ok(varve_write(incremental.root, "run/a.varve", &options,
                         &error),
            error);
        if (meeting.is_deleted && left == 1)
            meeting.system.remove(state, VV_WORKING_DIRECTORY, "run/a.varve");
        cr_assert_ok(
            vv_prune_layers(&world.context, "run/a.varve", &error), error);
        meeting.replacements = left - 1;
    }
    return meeting.open_file(state, directory, name);
}

static varve_status open_during(
    int replacements, bool is_deleted, varve_error *error)
{
    const varve_write_options options = { .incremental = true };
    struct vv_opened opened;
    cr_assert_ok(
        varve_write(incremental.root, "run/a.varve", &options, error), *error);
    meeting.system = *world.context.system;
    meeting.open_file = meeting.system.open_file;
    meeting.system.open_file = open_after_a_replacement;
    meeting.replacements = replacements;
    meeting.is_deleted = is_deleted;
    struct vv_context context = world.context;
    context.system = &meeting.system;
    varve_status status =
        vv_data_in_open(&opened, &context, "run/a.varve", error);
    if (!status)
        vv_opened_close(&opened);
    return status;
}

TEST(incremental, can_be_opened_while_replaced_and_pruned)
{
    varve_error error = { 0 };
    begin_incremental();
    cr_assert_ok(open_during(3, false, &error), error);
    check_incremental("run/a.varve");
    cr_assert_eq(open_during(1, true, &error), VARVE_NOT_FOUND);
    end_incremental();
}

#ifdef VV_HAVE_ZSTD

/* --- Compression ---------------------------------------------------------- */

static void write_now(const char *path, int level)
{
    const varve_write_options options = { .compress = level };
    varve_error error = { 0 };
    cr_assert_ok(varve_write(incremental.root, path, &options, &error), error);
}

TEST(incremental, compresses_in_one_file_without_a_directory)
{
    size_t packed, plain_size;
    begin_incremental();
    write_now("run/a.varve", 1);
    write_now("run/b.varve", 0);
    check_incremental("run/a.varve");
    cr_assert_eq(memory_file_count(world.memory), 2);
    memory_bytes(world.memory, "run/a.varve", &packed);
    memory_bytes(world.memory, "run/b.varve", &plain_size);
    cr_assert_lt(packed, plain_size / 2);
    end_incremental();
}

TEST(incremental, compresses_deterministically)
{
    size_t sizes[2];
    begin_incremental();
    write_now("run/a.varve", 3);
    write_now("run/b.varve", 3);
    uint8_t *a = memory_bytes(world.memory, "run/a.varve", &sizes[0]);
    uint8_t *b = memory_bytes(world.memory, "run/b.varve", &sizes[1]);
    cr_assert_eq(sizes[0], sizes[1]);
    cr_assert_eq(memcmp(a, b, sizes[0]), 0);
    end_incremental();
}

/* The data of each value is generated in the same buffer. */
TEST(incremental, compresses_values_generated_in_one_buffer)
{
    enum { VALUES = 5, STRINGS = 30000 };
    static varve_string strings[VALUES][STRINGS];
    begin_incremental();
    for (size_t i = 0; i < VALUES; i++) {
        char name[16];
        for (size_t k = 0; k < STRINGS; k++)
            strings[i][k] = (varve_string){ &"abcdefghijklmnopqrstuvwxyz"[i],
                10 + k % 7 };
        snprintf(name, sizeof name, "texts%zu", i);
        varve_add_variable(
            incremental.root, name, varve_array(strings[i], STRINGS));
    }
    write_now("run/a.varve", 1);
    check_incremental("run/a.varve");
    end_incremental();
}

/* Pages and whole chunks are shared, with and without compression. */
TEST(incremental, keeps_the_values_of_each_save_compressed_or_not)
{
    enum { SAVES = 16 };
    uint8_t digests[SAVES][16];
    begin_incremental();
    for (int i = 0; i < SAVES; i++) {
        incremental.level = i % 5;
        incremental.large[i * 1025] += 1;
        for (int k = 0; i % 4 == 3 && k < LARGE / 3; k++)
            incremental.large[k + i * 100] *= 1.5f;
        incremental.middle[i * 100] += 1;
        incremental.small[i] += 1;
        digest_now(digests[i]);
        saved_incremental();
    }
    check_saves(digests, SAVES);
    end_incremental();
}

TEST(incremental, writes_only_changes_of_compressed_data)
{
    uint64_t first, second;
    begin_incremental();
    incremental.level = 1;
    saved_incremental();
    cr_assert_eq(count_layers(&first), 1);
    incremental.large[100] = -1;
    incremental.middle[5000] = -1;
    saved_incremental();
    cr_assert_eq(count_layers(&second), 2);
    check_incremental("run/m-2.varve");
    cr_assert_leq(second - first, 128 + 3 * 4096, "two pages");
    end_incremental();
}

TEST(incremental, has_a_bounded_number_of_compressed_data_files)
{
    varve_error error = { 0 };
    begin_incremental();
    incremental.level = 1;
    for (int i = 0; i < 80; i++) {
        for (int k = 0; k < 60000; k++)
            incremental.large[(i * 60000 + k) % LARGE] += 1;
        incremental.small[i] += 1;
        saved_incremental();
    }
    check_incremental("run/m-80.varve");
    varve_reader *reader =
        vv_reader_open_in(&world.context, "run/m-80.varve", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_leq(reader->file.parsed.index.layer_count, 64);
    varve_reader_free(reader);
    end_incremental();
}

TEST(incremental, shares_nothing_with_a_full_checkpoint)
{
    const varve_write_options options = { .incremental = true, .compress = 1 };
    varve_error error = { 0 };
    begin_incremental();
    write_now("run/a.varve", 1);
    incremental.large[0] = 5;
    cr_assert_ok(
        varve_write(incremental.root, "run/a.varve", &options, &error), error);
    check_incremental("run/a.varve");
    write_now("run/a.varve", 1);
    check_incremental("run/a.varve");
    end_incremental();
}

TEST(incremental, leaves_no_compressed_file_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    const varve_write_options options = { .compress = 1 };
    begin_incremental();
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        long blocks = test_block_count();
        test_fail_allocation(n, false);
        status = varve_write(incremental.root, "run/a.varve", &options, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(memory_file_count(world.memory), !status);
        cr_assert_leq(test_block_count() - blocks, 1, "%ld", n);
    }
    check_incremental("run/a.varve");
    end_incremental();
}

TEST(incremental, never_gives_wrong_values_of_a_compressed_file)
{
    const varve_write_options options = { .compress = 1 };
    const char *path = "run/m-2.varve";
    varve_error error = { 0 };
    size_t size;
    begin_world();
    varve_node *root = new_plain(&world.context);
    plain.small = 2;
    for (int i = 0; i < PLAIN; i++)
        plain.large[i] = i / 100;
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    free_root(root);
    uint8_t *bytes = memory_bytes(world.memory, path, &size);
    cr_assert_lt(size, sizeof plain.large / 2);
    for (size_t at = 0; at < size; at += at > 200 && at + 900 < size ? 7 : 1) {
        bytes[at] ^= 0x40;
        check_damaged(path, at);
        bytes[at] ^= 0x40;
    }
    end_world();
}

#endif
