/* test_torch_file.c - Tests the archives of torch.save and their storages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_file.h"
#include "torch_sample.h"

/* Returns an archive with these entries; "NAME=bytes" has content. */
static struct vv_buffer archive_of(const char *const *names)
{
    struct archive a = archive_new();
    for (; *names; names++) {
        char name[60];
        const char *bytes = strchr(*names, '=');
        size_t size = bytes ? (size_t)(bytes - *names) : strlen(*names);
        snprintf(name, sizeof name, "%.*s", (int)size, *names);
        archive_add(&a, (struct entry){ .name = name,
            .bytes = bytes ? bytes + 1 : "",
            .size = bytes ? strlen(bytes + 1) : 0 });
    }
    archive_end(&a);
    vv_buffer_clear(&a.directory);
    return a.file;
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__, NULL }

struct opened {
    struct world w;
    struct vv_buffer bytes;
    struct vv_foreign *foreign;
    struct vv_torch_file *file;
    varve_error error;
};

static varve_status read_it(struct opened *o)
{
    o->file = vv_torch_file_new(o->foreign);
    cr_assert(o->file);
    return vv_torch_file_read(
        o->file, o->foreign, vv_zip_whole(o->foreign, 0), &o->error);
}

static varve_status open_it(struct opened *o, const char *const *names)
{
    *o = (struct opened){ .w = world_new(), .bytes = archive_of(names) };
    o->foreign = world_foreign(&o->w, "a.pt", &o->bytes);
    return read_it(o);
}

static void end(struct opened *o)
{
    vv_foreign_free(o->foreign);
    world_free(&o->w);
    vv_buffer_clear(&o->bytes);
}

TEST(torch_file, uses_the_pickle_of_its_directory)
{
    struct opened o;
    cr_assert_ok(open_it(&o, NAMES("a/b/data.pkl=no", "a/data.pkl=N.",
        "c/data.pkl=no", "c/byteorder=big")), o.error);
    cr_assert_eq(o.file->pickle.size, 2);
    cr_assert_eq(memcmp(o.file->pickle.data, "N.", 2), 0);
    cr_assert_not(o.file->is_big_endian);
    end(&o);
}

TEST(torch_file, is_little_endian_unless_recorded_otherwise)
{
    static const struct {
        const char *record;
        bool is_big;
        varve_status status;
    } cases[] = {
        { "a/x", false, VARVE_OK },
        { "a/byteorder=little", false, VARVE_OK },
        { "a/byteorder=big", true, VARVE_OK },
        { "a/byteorder=middle", false, VARVE_CORRUPT },
        { "a/byteorder=bigger", false, VARVE_CORRUPT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o;
        cr_assert_eq(open_it(&o, NAMES("a/data.pkl=N.", cases[i].record)),
            cases[i].status, "%zu: %s", i, o.error.message);
        cr_assert_eq(o.file->is_big_endian, cases[i].is_big, "%zu", i);
        end(&o);
    }
}

TEST(torch_file, is_refused_without_a_pickle_or_with_a_torchscript_program)
{
    struct opened o;
    cr_assert_eq(open_it(&o, NAMES("a/version=3")), VARVE_NOT_A_CHECKPOINT);
    cr_assert(strstr(o.error.message, "data.pkl"), "%s", o.error.message);
    end(&o);
    cr_assert_eq(open_it(&o, NAMES("a/data.pkl=N.", "a/constants.pkl=N.")),
        VARVE_NOT_A_CHECKPOINT);
    cr_assert(strstr(o.error.message, "torch.jit"), "%s", o.error.message);
    end(&o);
}

TEST(torch_file, verifies_its_pickle)
{
    struct opened o = { .w = world_new(),
        .bytes = archive_of(NAMES("a/data.pkl=N.")) };
    o.bytes.data[30 + strlen("a/data.pkl")] ^= 1;
    o.foreign = world_foreign(&o.w, "a.pt", &o.bytes);
    cr_assert_eq(read_it(&o), VARVE_CORRUPT);
    cr_assert(strstr(o.error.message, "CRC-32"), "%s", o.error.message);
    end(&o);
}

/* --- Storages ------------------------------------------------------------- */

/* Opens a dict of one tensor and asserts the message, which begins with the
 * path of the value. */
static void check(const struct put *t, varve_status status, const char *says)
{
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "}");
    put_text(&pickle, "model");
    OP(&pickle, "}");
    put_text(&pickle, "w");
    put_tensor(&pickle, t);
    OP(&pickle, "ss.");
    struct vv_buffer file = new_torch(&pickle, "0", 24, NULL);
    if (status)
        check_refused("a.pt", &file, status, says);
    else {
        struct world w = world_new();
        varve_error error = { 0 };
        varve_reader *r = open_bytes(&w, "a.pt", &file, &error);
        cr_assert(r, "%s", error.message);
        varve_reader_free(r);
        world_free(&w);
    }
    vv_buffer_clear(&pickle);
    vv_buffer_clear(&file);
}

#define HUGE_NUMBER INT64_C(0x4000000000000000)

TEST(torch_file, requires_storages_as_large_as_their_tensors)
{
    const struct put fine = { .class = "FloatStorage", .key = "0",
        .count = 6, .offset = 1, .rank = 2, .shape = { 2, 3 },
        .strides = { 2, 1 } };
    struct put t = fine;
    check(&t, VARVE_OK, NULL);
    t.key = "1";
    check(&t, VARVE_TRUNCATED,
        "a.pt: model/w: the archive has no storage \"data/1\"");
    t.key = "../data.pkl";
    check(&t, VARVE_TRUNCATED, "\"data/../data.pkl\"");
    t = fine;
    t.count = 7;
    check(&t, VARVE_TRUNCATED, "a.pt: model/w: the storage must have 7 "
        "elements, but has only 24 bytes");
    t.count = HUGE_NUMBER;
    check(&t, VARVE_TRUNCATED, "a.pt: model/w: the storage must have 461168");
    t = fine;
    t.offset = 2;
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends beyond "
        "its storage of 24 bytes");
    t.offset = HUGE_NUMBER;
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends");
    t = fine;
    t.strides[0] = 3;
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends");
    t.strides[0] = HUGE_NUMBER;
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends");
    t = fine;
    t.shape[0] = HUGE_NUMBER;
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends");
    t = fine;
    t.count = 5; /* the following bytes belong to another storage */
    check(&t, VARVE_CORRUPT, "a.pt: model/w: the tensor extends");
    t = fine;
    t.shape[1] = 0; /* a tensor without elements needs no storage */
    t.offset = HUGE_NUMBER;
    check(&t, VARVE_OK, NULL);
}

TEST(torch_file, reports_failed_allocations)
{
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "}");
    put_text(&pickle, "w");
    put_floats(&pickle, "0", 6);
    OP(&pickle, "s.");
    struct vv_buffer file = new_torch(&pickle, "0", 24, NULL);
    check_without_memory("a.pt", &file);
    vv_buffer_clear(&pickle);
    vv_buffer_clear(&file);
}
