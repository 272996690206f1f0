/* test_file.c - Tests opening, reading and writing files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "file.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

/* A file of ten digits in memory, and a faulty system over it. */
struct fixture {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    int file; /* for reading */
    int created; /* for writing */
    varve_error error;
};

static struct fixture begin(void)
{
    struct fixture f = { .memory = memory_new() };
    memory_put(f.memory, "digits", "0123456789", 10);
    f.faulty = faulty_new(memory_system(f.memory));
    f.context = test_context(faulty_system(f.faulty));
    uint64_t size;
    cr_assert_ok(vv_file_open(&f.context, "digits", &f.file, &size, &f.error),
        f.error);
    const struct vv_system *system = f.context.system;
    f.created = system->create_file(
        system->state, VV_WORKING_DIRECTORY, "new");
    cr_assert_geq(f.created, 0);
    return f;
}

static void end(struct fixture *f)
{
    vv_file_close(&f->context, f->file);
    vv_file_close(&f->context, f->created);
    cr_assert_eq(faulty_open_count(f->faulty), 0);
    faulty_free(f->faulty);
    memory_free(f->memory);
}

static varve_status read_digits(struct fixture *f, char digits[11])
{
    memset(digits, 0, 11);
    return vv_file_read(
        &f->context, f->file, "digits", digits, 10, 0, &f->error);
}

static varve_status write_digits(struct fixture *f)
{
    return vv_file_write(
        &f->context, f->created, "new", "0123456789", 10, 0, &f->error);
}

static void check_written(struct fixture *f)
{
    size_t size;
    const unsigned char *bytes = memory_bytes(f->memory, "new", &size);
    cr_assert_eq(size, 10);
    cr_assert_eq(memcmp(bytes, "0123456789", 10), 0);
}

TEST(file, open_returns_the_size)
{
    const char *path = test_path("five");
    test_write_file(path, "12345", 5);
    struct vv_context context = test_context(&vv_posix_system);
    varve_error error;
    int file = -1;
    uint64_t size = 0;
    cr_assert_ok(vv_file_open(&context, path, &file, &size, &error), error);
    cr_assert_eq(size, 5);
    vv_file_close(&context, file);
}

static void check_refused(const char *path, varve_status expected)
{
    struct vv_context context = test_context(&vv_posix_system);
    varve_error error;
    int file = -7;
    uint64_t size = 77;
    cr_assert_eq(vv_file_open(&context, path, &file, &size, &error), expected);
    cr_assert_eq(error.status, expected);
    cr_assert_eq(file, -7, "an output was written on failure");
    cr_assert_eq(size, 77, "an output was written on failure");
    cr_assert(strstr(error.message, path), "%s", error.message);
    cr_assert_null(strchr(error.message, '\n'));
}

TEST(file, open_refuses_files_that_are_not_regular)
{
    check_refused(test_path("nothing"), VARVE_NOT_FOUND);
    check_refused(test_path(""), VARVE_IS_DIRECTORY);
    check_refused("/dev/null", VARVE_NOT_A_CHECKPOINT);

    const char *fifo = test_path("fifo"); /* and does not wait for a writer */
    cr_assert_eq(mkfifo(fifo, 0600), 0);
    check_refused(fifo, VARVE_NOT_A_CHECKPOINT);

    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strcpy(address.sun_path, test_path("socket"));
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(
        listener, (struct sockaddr *)&address, sizeof address), 0);
    check_refused(address.sun_path, VARVE_NOT_A_CHECKPOINT);
    struct vv_context context = test_context(&vv_posix_system);
    vv_file_close(&context, listener);
}

TEST(file, open_closes_the_file_if_it_cannot_be_examined)
{
    struct fixture f = begin();
    int file;
    uint64_t size;
    int open = faulty_open_count(f.faulty);
    faulty_plan(f.faulty, &(struct faulty_plan){
        .kinds = FAULTY_INFO, .error = EIO });
    cr_assert_eq(vv_file_open(&f.context, "digits", &file, &size, &f.error),
        VARVE_IO);
    cr_assert_eq(f.error.system_error, EIO);
    cr_assert_eq(faulty_open_count(f.faulty), open);
    end(&f);
}

TEST(file, look_examines_the_file_that_open_would_open)
{
    struct fixture f = begin();
    struct vv_file_info info = { 0 }, opened;
    int file, open = faulty_open_count(f.faulty);
    cr_assert_ok(vv_file_look(&f.context, "digits", &info, &f.error), f.error);
    cr_assert_ok(vv_file_look(&f.context, "digits", NULL, &f.error), f.error);
    cr_assert_eq(faulty_open_count(f.faulty), open);
    cr_assert_eq(vv_file_look(&f.context, "nothing", &info, &f.error),
        VARVE_NOT_FOUND);
    cr_assert_ok(
        vv_file_open_info(&f.context, "digits", &file, &opened, &f.error),
        f.error);
    cr_assert(opened.size == info.size && opened.serial == info.serial);
    cr_assert_ok(
        vv_file_info(&f.context, file, "digits", &opened, &f.error), f.error);
    cr_assert_eq(opened.modified, info.modified);
    vv_file_close(&f.context, file);
    end(&f);
}

TEST(file, close_accepts_an_invalid_descriptor)
{
    struct fixture f = begin();
    faulty_plan(f.faulty, NULL);
    vv_file_close(&f.context, -1);
    cr_assert_eq(faulty_count(f.faulty), 0);
    end(&f);
}

TEST(file, read_past_the_end_is_truncated)
{
    struct fixture f = begin();
    char bytes[8];
    cr_assert_ok(vv_file_read(
        &f.context, f.file, "digits", bytes, 2, 8, &f.error), f.error);
    cr_assert_eq(memcmp(bytes, "89", 2), 0);
    cr_assert_eq(vv_file_read(
        &f.context, f.file, "digits", bytes, 3, 8, &f.error),
        VARVE_TRUNCATED);
    cr_assert_str_eq(f.error.message, "digits: expected 3 bytes at offset 8, "
        "but the file ends after 2");
    cr_assert_ok(vv_file_read(
        &f.context, f.file, "digits", bytes, 0, 99, &f.error), f.error);
    end(&f);
}

/* Large enough to be read by several threads. */
enum { MUCH = (9 << 20) + 5 };
static unsigned char much[MUCH], read_back[MUCH];

static varve_status read_much(struct fixture *f, size_t size)
{
    uint64_t all;
    int file;
    memset(read_back, 0, sizeof read_back);
    cr_assert_ok(vv_file_open(&f->context, "much", &file, &all, &f->error),
        f->error);
    varve_status status = vv_file_read_much(
        &f->context, file, "much", read_back, size, 1, &f->error);
    vv_file_close(&f->context, file);
    return status;
}

TEST(file, large_reads_use_several_threads)
{
    struct fixture f = begin();
    for (size_t i = 0; i < MUCH; i++)
        much[i] = (unsigned char)(i * 2654435761u >> 13);
    memory_put(f.memory, "much", much, MUCH);
    faulty_plan(f.faulty,
        &(struct faulty_plan){ .number = 100, .kinds = FAULTY_START_THREAD });
    cr_assert_ok(read_much(&f, MUCH - 1), f.error);
    cr_assert_eq(faulty_count(f.faulty), 1, "no thread was started");
    cr_assert_eq(memcmp(read_back, much + 1, MUCH - 1), 0);
    /* Up to the last byte, and not beyond it. */
    cr_assert_ok(read_much(&f, MUCH - 2), f.error);
    cr_assert_eq(memcmp(read_back, much + 1, MUCH - 2), 0);
    cr_assert_eq(read_back[MUCH - 2], 0);
    cr_assert_eq(read_much(&f, MUCH), VARVE_TRUNCATED);
    cr_assert_str_eq(f.error.message, "much: expected 9437189 bytes at "
        "offset 1, but the file ends after 9437188");
    end(&f);
}

TEST(file, large_reads_report_errors)
{
    struct fixture f = begin();
    memory_put(f.memory, "much", much, MUCH);
    for (long n = 0; n < 5; n++) {
        faulty_plan(f.faulty, &(struct faulty_plan){ .number = n,
            .sticky = true, .error = EIO, .kinds = FAULTY_READ });
        varve_status status = read_much(&f, MUCH - 1);
        cr_assert_eq(status, n < 3 ? VARVE_IO : VARVE_OK);
        cr_assert(n >= 3 || f.error.system_error == EIO);
    }
    end(&f);
}

TEST(file, short_reads_and_writes_are_continued)
{
    static const enum faulty_way ways[] = { FAULTY_ONE_BYTE, FAULTY_HALF };
    struct fixture f = begin();
    for (size_t i = 0; i < 2; i++) {
        char digits[11];
        faulty_plan(f.faulty, &(struct faulty_plan){
            .sticky = true, .way = ways[i] });
        cr_assert_ok(read_digits(&f, digits), f.error);
        cr_assert_str_eq(digits, "0123456789");
        cr_assert_gt(faulty_count(f.faulty), 3);

        faulty_plan(f.faulty, &(struct faulty_plan){
            .sticky = true, .way = ways[i] });
        cr_assert_ok(write_digits(&f), f.error);
        check_written(&f);
        cr_assert_gt(faulty_count(f.faulty), 3);
    }
    end(&f);
}

TEST(file, transfers_of_0_bytes_fail)
{
    struct fixture f = begin();
    char digits[11];
    const struct faulty_plan plan = { .way = FAULTY_NOTHING };
    faulty_plan(f.faulty, &plan);
    cr_assert_eq(read_digits(&f, digits), VARVE_TRUNCATED);
    faulty_plan(f.faulty, &plan);
    cr_assert_eq(write_digits(&f), VARVE_IO);
    end(&f);
}

TEST(file, interrupted_calls_are_retried)
{
    static const int numbers[] = { EINTR, EAGAIN };
    struct fixture f = begin();
    for (size_t i = 0; i < 2; i++) {
        char digits[11];
        struct faulty_plan plan = { .error = numbers[i] };
        faulty_plan(f.faulty, &plan);
        cr_assert_ok(read_digits(&f, digits), f.error);
        cr_assert_str_eq(digits, "0123456789");
        faulty_plan(f.faulty, &plan);
        cr_assert_ok(write_digits(&f), f.error);
        check_written(&f);
        int file;
        uint64_t size;
        faulty_plan(f.faulty, &plan);
        cr_assert_ok(vv_file_open(
            &f.context, "digits", &file, &size, &f.error), f.error);
        cr_assert(faulty_hit(f.faulty));
        vv_file_close(&f.context, file);
    }
    end(&f);
}

TEST(file, endless_interruptions_fail)
{
    struct fixture f = begin();
    char digits[11];
    const struct faulty_plan plan = { .sticky = true, .error = EAGAIN };
    faulty_plan(f.faulty, &plan);
    cr_assert_eq(read_digits(&f, digits), VARVE_IO);
    cr_assert_eq(f.error.system_error, EAGAIN);
    faulty_plan(f.faulty, &plan);
    cr_assert_eq(write_digits(&f), VARVE_IO);
    end(&f);
}

TEST(file, errors_keep_their_errno)
{
    static const struct {
        int number;
        varve_status status;
    } cases[] = {
        { EIO, VARVE_IO }, { ENOSPC, VARVE_NO_SPACE },
        { EDQUOT, VARVE_NO_SPACE }, { EFBIG, VARVE_NO_SPACE },
        { EROFS, VARVE_IO }, { ESTALE, VARVE_IO },
    };
    struct fixture f = begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char digits[11];
        struct faulty_plan plan = { .error = cases[i].number };
        faulty_plan(f.faulty, &plan);
        cr_assert_eq(write_digits(&f), cases[i].status);
        cr_assert_eq(f.error.system_error, cases[i].number);
        faulty_plan(f.faulty, &plan);
        cr_assert_eq(read_digits(&f, digits), cases[i].status);
        cr_assert_eq(f.error.system_error, cases[i].number);
    }
    end(&f);
}

/* A system without data: it only records the requested sizes. */
static size_t largest;

static int64_t move_all(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    (void)state;
    (void)file;
    (void)bytes;
    (void)offset;
    largest = size > largest ? size : largest;
    return (int64_t)size;
}

static int64_t take_all(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    (void)bytes;
    return move_all(state, file, NULL, size, offset);
}

TEST(file, a_call_transfers_at_most_one_gibibyte)
{
    struct vv_system system = { .read_at = move_all, .write_at = take_all };
    struct vv_context context = test_context(&system);
    const size_t size = ((size_t)3 << 30) + 5;
    varve_error error;
    void *bytes = mmap(NULL, size, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(bytes, MAP_FAILED);
    largest = 0;
    cr_assert_ok(vv_file_read(
        &context, 3, "large", bytes, size, 0, &error), error);
    cr_assert_eq(largest, (size_t)1 << 30);
    largest = 0;
    cr_assert_ok(vv_file_write(
        &context, 3, "large", bytes, size, 0, &error), error);
    cr_assert_eq(largest, (size_t)1 << 30);
    munmap(bytes, size);
}

TEST(file, remove_deletes_files_and_ignores_missing_ones)
{
    varve_error error;
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    memory_put(memory, "f", "x", 1);
    faulty_plan(faulty, &(struct faulty_plan){ .error = EINTR });
    cr_assert_ok(vv_file_remove(
                     &context, VV_WORKING_DIRECTORY, "f", "f", &error),
        error);
    cr_assert_eq(memory_file_count(memory), 0);
    faulty_plan(faulty, NULL);
    cr_assert_ok(vv_file_remove(
                     &context, VV_WORKING_DIRECTORY, "f", "f", &error),
        error);
    faulty_plan(faulty, &(struct faulty_plan){ .error = EIO });
    cr_assert_eq(vv_file_remove(
                     &context, VV_WORKING_DIRECTORY, "f", "f", &error),
        VARVE_IO);
    cr_assert(strstr(error.message, "f: remove failed"));
    faulty_free(faulty);
    memory_free(memory);
}
