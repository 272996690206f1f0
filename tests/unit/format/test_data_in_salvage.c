/* test_data_in_salvage.c - Tests opening damaged files for salvage.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_file.h"

#include <errno.h>
#include <string.h>

#include "support/faulty_system.h"

static varve_status open_and_read(
    const struct vv_context *context, varve_error *error)
{
    struct vv_opened in;
    varve_status status = vv_data_in_open(&in, context, "file", error);
    if (status)
        return status;
    status = saved_file_read(&in, error);
    vv_opened_close(&in);
    return status;
}

static varve_status salvage_and_read(
    const struct vv_context *context, varve_error *error)
{
    struct vv_opened in;
    struct vv_context how = *context;
    how.salvages = true;
    varve_status status = vv_data_in_open(&in, &how, "file", error);
    if (status)
        return status;
    status = saved_file_read(&in, error);
    vv_opened_close(&in);
    return status;
}

/* A header of another version with a valid checksum is not damage. */
TEST(data_in, salvages_a_file_whose_header_or_footer_is_damaged)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    for (size_t i = 0; i < 128; i++) {
        unsigned char *byte = &f.bytes[i < 64 ? i : f.size - 128 + i];
        *byte ^= 0x40;
        cr_assert_neq(open_and_read(&f.context, &error), VARVE_OK);
        cr_assert_ok(salvage_and_read(&f.context, &error), error);
        *byte ^= 0x40;
    }
    memset(f.bytes, 0, 64);
    cr_assert_ok(salvage_and_read(&f.context, &error), error);
    memset(f.bytes + f.size - 64, 0, 64);
    cr_assert_eq(
        salvage_and_read(&f.context, &error), VARVE_NOT_A_CHECKPOINT);
    saved_file_end(&f);
}

TEST(data_in, salvages_a_file_truncated_after_its_index)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    size_t whole = f.size;
    for (size_t gone = 1; gone <= 64; gone++) {
        memory_resize(f.memory, "file", whole - gone);
        cr_assert_eq(open_and_read(&f.context, &error), VARVE_TRUNCATED);
        cr_assert_ok(salvage_and_read(&f.context, &error), error);
    }
    memory_resize(f.memory, "file", whole - 65);
    cr_assert_eq(salvage_and_read(&f.context, &error), VARVE_TRUNCATED);
    cr_assert(
        strstr(error.message, "no footer at offset"), "%s", error.message);
    saved_file_end(&f);
}

TEST(data_in, salvages_a_file_with_trailing_bytes)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    for (size_t more = 1; more < 200; more++) {
        memory_resize(f.memory, "file", f.size + more);
        cr_assert_ok(salvage_and_read(&f.context, &error), error);
    }
    saved_file_end(&f);
}

/* The header of one file with the footer of another: the index of either is
 * accepted, but nothing that neither refers to. */
TEST(data_in, salvages_only_an_index_with_its_checksum)
{
    struct saved a, b;
    varve_error error;
    saved_file_make(&a, sample_build);
    saved_file_make(&b, sample_build_smallest);
    memcpy(a.bytes, b.bytes, 64);
    cr_assert_ok(salvage_and_read(&a.context, &error), error);
    a.bytes[a.size - 70] ^= 1; /* of the index */
    cr_assert_eq(salvage_and_read(&a.context, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "another file"), "%s", error.message);
    saved_file_end(&a);
    saved_file_end(&b);
}

TEST(data_in, salvages_no_file_of_a_later_version)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    vv_store32(f.bytes + 8, 2);
    vv_store64(f.bytes + 56, vv_hash_of(f.bytes, 56));
    cr_assert_eq(salvage_and_read(&f.context, &error), VARVE_TOO_NEW);
    saved_file_end(&f);
}

/* A bad sector at the header or the footer. */
TEST(data_in, salvages_a_file_with_unreadable_header_or_footer)
{
    struct saved f;
    varve_error error;
    saved_file_make(&f, sample_build);
    struct faulty *faulty = faulty_new(memory_system(f.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    for (long n = 0; n < 2; n++) {
        faulty_plan(faulty, &(struct faulty_plan){
            .number = n, .kinds = FAULTY_READ, .error = EIO });
        cr_assert_ok(salvage_and_read(&context, &error), error);
        cr_assert(faulty_hit(faulty));
    }
    faulty_free(faulty);
    saved_file_end(&f);
}

TEST(data_in, salvages_or_leaks_nothing_without_memory)
{
    struct saved f;
    struct vv_opened in;
    varve_error error;
    saved_file_make(&f, sample_build);
    f.bytes[f.size - 1] ^= 1;
    f.context.salvages = true;
    long failing = 0;
    for (;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status =
            vv_data_in_open(&in, &f.context, "file", &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(f.memory), 0);
    }
    cr_assert_geq(failing, 7);
    vv_opened_close(&in);
    saved_file_end(&f);
}
