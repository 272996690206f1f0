/* test_zip_out.c - Tests writing zip archives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "zip_out.h"

#include "arrays.h"
#include "system.h"
#include "zip_in.h"

struct made {
    struct world world;
    struct vv_zip_out zip;
    int file;
};

static void begin(struct made *m)
{
    m->world = world_new();
    const struct vv_system *s = m->world.context.system;
    m->file = s->create_file(s->state, VV_WORKING_DIRECTORY, "a.zip");
    cr_assert_geq(m->file, 0);
    vv_zip_out_init(&m->zip, &m->world.context, m->file, "a.zip");
}

static void add(struct made *m, const char *name, const char *text)
{
    varve_error error = { 0 };
    size_t size = strlen(text);
    cr_assert_ok(vv_zip_out_begin(
        &m->zip, name, strlen(name), size, &error), error);
    cr_assert_ok(vv_zip_out_write(&m->zip, text, size / 2, &error), error);
    cr_assert_ok(vv_zip_out_write(
        &m->zip, text + size / 2, size - size / 2, &error), error);
    cr_assert_ok(vv_zip_out_end(&m->zip, &error), error);
}

static void end(struct made *m)
{
    varve_error error = { 0 };
    const struct vv_system *s = m->world.context.system;
    cr_assert_ok(vv_zip_out_finish(&m->zip, &error), error);
    vv_zip_out_clear(&m->zip);
    cr_assert_eq(s->close(s->state, m->file), 0);
}

/* Reads the archive with the strict reader. */
static void read_back(struct made *m, struct vv_zip *zip,
    struct vv_foreign **foreign)
{
    varve_error error = { 0 };
    uint32_t number;
    *foreign = vv_allocate_zeroed(test_allocator(), sizeof **foreign);
    (*foreign)->context = &m->world.context;
    cr_assert_ok(vv_foreign_add_file(*foreign, "a.zip", &number, &error),
        error);
    cr_assert_ok(vv_zip_read(
        zip, *foreign, vv_zip_whole(*foreign, 0), &error), error);
}

TEST(zip_out, writes_aligned_entries)
{
    struct made m;
    struct vv_zip zip;
    struct vv_foreign *foreign;
    /* Names of all lengths, which need padding of all lengths. */
    char name[81] = "";
    begin(&m);
    for (size_t i = 0; i < 80; i++) {
        name[i] = 'n';
        add(&m, name, "hello");
    }
    end(&m);
    read_back(&m, &zip, &foreign);
    cr_assert_eq(zip.count, 80);
    for (size_t i = 0; i < zip.count; i++) {
        char text[5];
        varve_error error = { 0 };
        cr_assert_eq(zip.entries[i].data % VV_ZIP_ALIGNMENT, 0);
        cr_assert_eq(zip.entries[i].crc, vv_crc32(0, "hello", 5));
        cr_assert_eq(zip.entries[i].flags, 0);
        cr_assert_ok(vv_foreign_read(
            foreign, 0, text, 5, zip.entries[i].data, &error), error);
        cr_assert_eq(memcmp(text, "hello", 5), 0);
    }
    vv_zip_clear(&zip);
    vv_foreign_free(foreign);
    world_free(&m.world);
}

TEST(zip_out, marks_utf8_names_that_are_not_ascii)
{
    struct made m;
    struct vv_zip zip;
    struct vv_foreign *foreign;
    begin(&m);
    add(&m, "\xc3\xbc", "");
    end(&m);
    read_back(&m, &zip, &foreign);
    cr_assert_eq(zip.entries[0].flags, 1 << 11);
    vv_zip_clear(&zip);
    vv_foreign_free(foreign);
    world_free(&m.world);
}

/* Only the headers are tested, since the file would be too large. */
TEST(zip_out, uses_zip64_for_large_numbers)
{
    static const uint64_t sizes[] = {
        UINT64_C(0xfffffffe), UINT64_C(0xffffffff), UINT64_C(0x123456789a),
    };
    for (size_t i = 0; i < 3; i++) {
        struct made m;
        varve_error error = { 0 };
        begin(&m);
        bool is_large = i > 0;
        cr_assert_ok(vv_zip_out_begin(
            &m.zip, "a", 1, sizes[i], &error), error);
        const unsigned char *local = m.zip.local.data;
        cr_assert_eq(vv_load32(local + 22),
            is_large ? UINT32_MAX : (uint32_t)sizes[i]);
        if (is_large)
            cr_assert_eq(vv_load64(local + 35), sizes[i]);
        cr_assert_eq(m.zip.offset % VV_ZIP_ALIGNMENT, 0);
        cr_assert_ok(vv_zip_out_end(&m.zip, &error), error);
        const unsigned char *record = m.zip.directory.data;
        cr_assert_eq(m.zip.directory.size, is_large ? 46u + 1 + 20 : 46u + 1);
        if (is_large)
            cr_assert_eq(vv_load64(record + 51), sizes[i]);
        m.zip.directory.size = 0;
        m.zip.offset = UINT64_C(0x1000000000);
        cr_assert_ok(vv_zip_out_begin(&m.zip, "b", 1, 5, &error), error);
        m.zip.begin = UINT64_C(0xffffffff);
        m.zip.offset = 100;
        m.zip.begin += 1;
        struct vv_zip_out copy = m.zip;
        copy.file = -1;
        cr_assert_neq(vv_zip_out_end(&copy, &error), VARVE_OK);
        m.zip = copy;
        record = m.zip.directory.data;
        cr_assert_eq(vv_load32(record + 42), UINT32_MAX);
        cr_assert_eq(vv_load32(record + 24), 5);
        cr_assert_eq(vv_load64(record + 47 + 4), UINT64_C(0x100000000));
        vv_zip_out_clear(&m.zip);
        const struct vv_system *s = m.world.context.system;
        s->close(s->state, m.file);
        world_free(&m.world);
    }
}

TEST(zip_out, counts_more_entries_than_fit_the_end_record)
{
    struct made m;
    struct vv_zip zip;
    struct vv_foreign *foreign;
    char name[24];
    begin(&m);
    for (int i = 0; i < 65535; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26 % 26);
        name[2] = (char)('a' + i / 676 % 26);
        name[3] = (char)('a' + i / 17576);
        name[4] = 0;
        add(&m, name, "");
    }
    end(&m);
    read_back(&m, &zip, &foreign);
    cr_assert_eq(zip.count, 65535);
    size_t size;
    unsigned char *bytes = memory_bytes(m.world.memory, "a.zip", &size);
    cr_assert_eq(memcmp(bytes + size - 42, "PK\6\7", 4), 0);
    vv_zip_clear(&zip);
    vv_foreign_free(foreign);
    world_free(&m.world);
}
