/* test_memory_system.c - Tests the systems of tests/support: the memory system
 * against the real one, and the planned failures of the faulty one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "system.h"

enum { MOST_ANSWERS = 128 };

struct answers {
    const struct vv_system *s;
    int64_t answer[MOST_ANSWERS];
    int count;
};

static int64_t note(struct answers *a, int64_t answer)
{
    cr_assert_lt(a->count, MOST_ANSWERS);
    a->answer[a->count++] = answer;
    return answer;
}

/* All descriptors are recorded as equal. */
static int note_open(struct answers *a, int descriptor)
{
    note(a, descriptor < 0 ? descriptor : 1);
    return descriptor;
}

static int count_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    ++*(int *)user;
    return 0;
}

static void use_files(struct answers *a, int at)
{
    const struct vv_system *s = a->s;
    char bytes[16];
    int file = note_open(a, s->create_file(s->state, at, "file"));
    note_open(a, s->create_file(s->state, at, "file"));
    note_open(a, s->create_file(s->state, at, "none/file"));
    note_open(a, s->create_file(s->state, at, "file/file"));
    note(a, s->write_at(s->state, file, "abc", 3, 2));
    note(a, s->read_at(s->state, file, bytes, 16, 0));
    note(a, memcmp(bytes, "\0\0abc", 5) == 0);
    note(a, s->read_at(s->state, file, bytes, 16, 5));
    note(a, s->reserve(s->state, file, 4096));
    struct vv_file_info info = { 0 };
    note(a, s->info(s->state, file, &info));
    note(a, (int64_t)info.size);
    note(a, s->sync(s->state, file));
    note(a, s->close(s->state, file));
    note(a, s->close(s->state, file));
    note(a, s->write_at(s->state, file, "abc", 3, 2));
    file = note_open(a, s->open_file(s->state, at, "file"));
    note(a, s->write_at(s->state, file, "abc", 3, 2));
    void *address;
    note(a, s->map(s->state, file, 0, 5, &address));
    note(a, memcmp(address, "\0\0abc", 5) == 0);
    note(a, s->unmap(s->state, address, 5));
    note(a, s->map(s->state, file, 5, 5, &address));
    note(a, s->remove(s->state, at, "file"));
    note(a, s->read_at(s->state, file, bytes, 16, 0)); /* still there */
    note_open(a, s->open_file(s->state, at, "file"));
    note(a, s->close(s->state, file));
    note(a, s->lock(s->state, file));
}

static void use_locks(struct answers *a, int at)
{
    const struct vv_system *s = a->s;
    int one = note_open(a, s->create_file(s->state, at, "locked"));
    int two = note_open(a, s->open_file(s->state, at, "locked"));
    note(a, s->lock(s->state, one));
    note(a, s->lock(s->state, one));
    note(a, s->lock(s->state, two));
    note(a, s->close(s->state, one));
    note(a, s->lock(s->state, two));
    note(a, s->share_lock(s->state, two));
    one = note_open(a, s->open_file(s->state, at, "locked"));
    note(a, s->share_lock(s->state, one));
    note(a, s->lock(s->state, one));
    note(a, s->close(s->state, two));
    note(a, s->lock(s->state, one));
    note(a, s->close(s->state, one));
    note(a, s->remove(s->state, at, "locked"));
}

static void use_names(struct answers *a, int at)
{
    const struct vv_system *s = a->s;
    note(a, s->make_directory(s->state, at, "sub"));
    note(a, s->make_directory(s->state, at, "sub"));
    note(a, s->make_directory(s->state, at, "none/sub"));
    note(a, s->close(s->state, note_open(a,
        s->create_file(s->state, at, "sub/one"))));
    note(a, s->close(s->state, note_open(a,
        s->create_file(s->state, at, "two"))));
    note_open(a, s->open_directory(s->state, at, "two"));
    note_open(a, s->open_directory(s->state, at, "none"));
    note_open(a, s->open_file(s->state, at, ""));
    note_open(a, s->open_file(s->state, at, "two/"));
    int sub = note_open(a, s->open_directory(s->state, at, "sub/../sub/"));
    note(a, s->rename(s->state, at, "two", "sub"));
    note(a, s->rename(s->state, at, "none", "two"));
    note(a, s->rename_new(s->state, at, "two", "sub/one"));
    note(a, s->rename(s->state, at, "two", "sub/one"));
    note(a, s->remove(s->state, at, "two"));
    note(a, s->remove(s->state, at, "sub"));
    int count = 0;
    note(a, s->each_name(s->state, at, count_name, &count));
    note(a, s->each_name(s->state, sub, count_name, &count));
    note(a, count);
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    note_open(a, s->create_file(s->state, at, name));
    note(a, s->rename_new(s->state, sub, "one", "three"));
    note(a, s->remove(s->state, sub, "three"));
    note(a, s->remove(s->state, at, "sub"));
    note(a, s->sync(s->state, sub));
    note(a, s->read_at(s->state, sub, name, 1, 0));
    note(a, s->close(s->state, sub));
}

static struct answers ask(const struct vv_system *system, const char *path)
{
    struct answers a = { .s = system };
    int at = system->open_directory(
        system->state, VV_WORKING_DIRECTORY, path);
    cr_assert_geq(at, 0);
    use_files(&a, at);
    use_locks(&a, at);
    use_names(&a, at);
    cr_assert_eq(system->close(system->state, at), 0);
    return a;
}

TEST(memory_system, behaves_like_the_posix_system)
{
    struct memory *memory = memory_new();
    struct answers one = ask(memory_system(memory), "/");
    struct answers two = ask(&vv_posix_system, test_path(""));
    cr_assert_eq(one.count, two.count);
    for (int i = 0; i < one.count; i++)
        cr_assert_eq(one.answer[i], two.answer[i],
            "answer %d: %s here, %s there", i,
            strerror((int)-one.answer[i]), strerror((int)-two.answer[i]));
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(memory_system, files_can_be_added_listed_and_damaged)
{
    struct memory *memory = memory_new();
    memory_put(memory, "a/b/one", "1234", 4);
    memory_put(memory, "two", "", 0);
    memory_put(memory, "a/b/one", "12345", 5);
    cr_assert_eq(memory_file_count(memory), 2);
    cr_assert_str_eq(memory_file_path(memory, 0), "a/b/one");
    cr_assert_str_eq(memory_file_path(memory, 1), "two");
    size_t size;
    memory_bytes(memory, "a/b/one", &size)[4] ^= 1;
    memory_resize(memory, "a/b/one", 7);
    const unsigned char *bytes = memory_bytes(memory, "a/b/one", &size);
    cr_assert_eq(size, 7);
    cr_assert_eq(memcmp(bytes, "12344\0\0", 7), 0);
    cr_assert_not_null(memory_bytes(memory, "two", &size));
    cr_assert_eq(size, 0);
    cr_assert_null(memory_bytes(memory, "none", &size));
    cr_assert_null(memory_bytes(memory, "a", &size));
    memory_free(memory);
}

TEST(memory_system, a_full_disk_accepts_bytes_that_fit)
{
    struct memory *memory = memory_new();
    const struct vv_system *s = memory_system(memory);
    memory_put(memory, "old", "12345", 5);
    memory_set_capacity(memory, 10);
    int file = s->create_file(s->state, VV_WORKING_DIRECTORY, "new");
    cr_assert_eq(s->write_at(s->state, file, "abcdefgh", 8, 0), 5);
    cr_assert_eq(s->write_at(s->state, file, "abcdefgh", 8, 5), -ENOSPC);
    cr_assert_eq(s->write_at(s->state, file, "ABC", 3, 2), 3);
    cr_assert_eq(s->reserve(s->state, file, 6), -ENOSPC);
    cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, "old"), 0);
    cr_assert_eq(s->reserve(s->state, file, 10), 0);
    cr_assert_eq(s->write_at(s->state, file, "abcdefgh", 8, 5), 5);
    cr_assert_eq(s->remove(s->state, VV_WORKING_DIRECTORY, "new"), 0);
    int other = s->create_file(s->state, VV_WORKING_DIRECTORY, "more");
    cr_assert_eq(s->write_at(s->state, other, "a", 1, 0), -ENOSPC);
    cr_assert_eq(s->close(s->state, file), 0);
    cr_assert_eq(s->write_at(s->state, other, "a", 1, 0), 1);
    memory_free(memory);
}

static void check_after_cut(struct memory *memory, bool names, bool content,
    const char *expected)
{
    struct memory *after = memory_after_power_cut(memory, names, content);
    size_t size;
    const unsigned char *bytes = memory_bytes(after, "file", &size);
    if (expected) {
        cr_assert_not_null(bytes);
        cr_assert_eq(size, 4);
        cr_assert_eq(memcmp(bytes, expected, 4), 0);
    } else {
        cr_assert_null(bytes);
    }
    memory_free(after);
}

TEST(memory_system, a_power_cut_loses_unsynced_data)
{
    struct memory *memory = memory_new();
    const struct vv_system *s = memory_system(memory);
    int root = s->open_directory(s->state, VV_WORKING_DIRECTORY, "/");
    int file = s->create_file(s->state, root, "file");
    cr_assert_eq(s->write_at(s->state, file, "full", 4, 0), 4);
    check_after_cut(memory, true, true, "full");
    check_after_cut(memory, true, false, "\0\0\0\0");
    check_after_cut(memory, false, true, NULL);
    s->sync(s->state, root);
    check_after_cut(memory, false, false, "\0\0\0\0");
    s->sync(s->state, file);
    check_after_cut(memory, false, false, "full");
    cr_assert_eq(s->remove(s->state, root, "file"), 0);
    check_after_cut(memory, false, false, "full");
    check_after_cut(memory, true, true, NULL);
    s->sync(s->state, root);
    check_after_cut(memory, false, false, NULL);
    memory_free(memory);
}

TEST(faulty_system, fails_the_planned_calls_only)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    const struct vv_system *s = faulty_system(faulty);
    int file = s->create_file(s->state, VV_WORKING_DIRECTORY, "file");
    faulty_plan(faulty, &(struct faulty_plan){
        .number = 1, .error = EIO, .kinds = FAULTY_WRITE });
    cr_assert_eq(s->write_at(s->state, file, "abc", 3, 0), 3);
    cr_assert_eq(s->sync(s->state, file), 0);
    cr_assert_not(faulty_hit(faulty));
    cr_assert_eq(s->write_at(s->state, file, "abc", 3, 3), -EIO);
    cr_assert(faulty_hit(faulty));
    cr_assert_eq(s->write_at(s->state, file, "abc", 3, 3), 3);
    cr_assert_eq(faulty_count(faulty), 3);
    cr_assert_eq(faulty_log_size(faulty), 4);
    const struct faulty_call *call = faulty_log_at(faulty, 2);
    cr_assert_eq(call->kind, FAULTY_WRITE);
    cr_assert_eq(call->descriptor, file);
    cr_assert_eq(call->offset, 3);
    cr_assert_eq(call->size, 3);
    cr_assert_eq(call->result, -EIO);
    cr_assert_str_eq(faulty_kind_name(call->kind), "write");
    cr_assert_str_eq(faulty_kind_name(FAULTY_JOIN_THREAD), "join_thread");

    faulty_plan(faulty, &(struct faulty_plan){ .sticky = true, .error = EIO });
    cr_assert_eq(s->sync(s->state, file), -EIO);
    cr_assert_eq(s->sync(s->state, file), -EIO);
    cr_assert_eq(faulty_open_count(faulty), 1);
    cr_assert_eq(s->close(s->state, file), -EIO);
    cr_assert_eq(faulty_open_count(faulty), 0);
    cr_assert_eq(memory_open_count(memory), 0, "a failed close has closed");
    faulty_free(faulty);
    memory_free(memory);
}
