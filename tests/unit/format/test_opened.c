/* test_opened.c - Tests opened checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "failure.h"
#include "opened.h"
#include "support/index_sample.h"
#include "support/test_context.h"

/* --- A backing that records its calls ------------------------------------- */

struct note {
    char asked; /* the first letter of the last call */
    uint64_t numbers[2];
    size_t closed;
};

static struct note *note_of(
    const struct vv_opened *o, char asked, uint64_t first, uint64_t second)
{
    struct note *note = o->state;
    note->asked = asked;
    note->numbers[0] = first;
    note->numbers[1] = second;
    return note;
}

static varve_status note_read(const struct vv_opened *o, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    note_of(o, 'r', offset, size);
    memset(bytes, 5, size);
    return vv_fail(error, VARVE_TRUNCATED, "read");
}

static varve_status note_check(const struct vv_opened *o, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    note_of(o, 'c', value, chunk);
    return vv_fail(error, VARVE_CORRUPT, "%s: %s", what, (const char *)bytes);
}

static bool note_locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    note_of(o, 'l', value, 0);
    *file = 3;
    *offset = 77;
    return value == 1;
}

static const char *note_place(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    note_of(o, 'p', value, 0);
    *offset = 78;
    return "shard";
}

static struct vv_digest note_digest(const struct vv_opened *o, uint32_t value)
{
    note_of(o, 'd', value, 0);
    return (struct vv_digest){ .bytes = { 9 } };
}

static void note_close(struct vv_opened *o)
{
    ((struct note *)o->state)->closed++;
}

static const struct vv_backing backing = {
    .read = note_read,
    .check = note_check,
    .locate = note_locate,
    .place = note_place,
    .digest = note_digest,
    .close = note_close,
};

static const struct vv_backing backing_without_digests = {
    .close = note_close,
};

static void begin(
    struct vv_opened *o, const struct vv_backing *of, struct note *note)
{
    varve_error error;
    *note = (struct note){ 0 };
    cr_assert_ok(vv_opened_begin(o, sample_context(), "path", &error), error);
    cr_assert_str_eq(o->path, "path");
    o->backing = of;
    o->state = note;
}

static void check_note(
    const struct note *note, char asked, uint64_t first, uint64_t second)
{
    cr_assert_eq(note->asked, asked);
    cr_assert_eq(note->numbers[0], first);
    cr_assert_eq(note->numbers[1], second);
}

TEST(opened, forwards_every_call_to_its_backing)
{
    struct vv_opened o;
    struct note note;
    varve_error error;
    unsigned char byte = 0;
    int file = 0;
    uint64_t offset = 0;
    begin(&o, &backing, &note);
    cr_assert_eq(vv_opened_read(&o, 40, &byte, 1, &error), VARVE_TRUNCATED);
    check_note(&note, 'r', 40, 1);
    cr_assert_eq(byte, 5);
    cr_assert_eq(
        vv_opened_check(&o, 2, 4, "bytes", "what", &error), VARVE_CORRUPT);
    check_note(&note, 'c', 2, 4);
    cr_assert_str_eq(error.message, "what: bytes");
    cr_assert(vv_opened_locate(&o, 1, &file, &offset));
    cr_assert_eq(file, 3);
    cr_assert_eq(offset, 77);
    cr_assert_not(vv_opened_locate(&o, 6, &file, &offset));
    check_note(&note, 'l', 6, 0);
    cr_assert_str_eq(vv_opened_place(&o, 8, &offset), "shard");
    check_note(&note, 'p', 8, 0);
    cr_assert_eq(offset, 78);
    cr_assert_eq(vv_opened_digest(&o, 7).bytes[0], 9);
    check_note(&note, 'd', 7, 0);
    vv_opened_close(&o);
    cr_assert_eq(note.closed, 1);
}

TEST(opened, has_digests_if_its_backing_has)
{
    struct vv_opened o;
    struct note note;
    struct vv_digest none = { 0 };
    begin(&o, &backing, &note);
    cr_assert(vv_opened_has_digests(&o));
    vv_opened_close(&o);
    begin(&o, &backing_without_digests, &note);
    cr_assert_not(vv_opened_has_digests(&o));
    struct vv_digest found = vv_opened_digest(&o, 0);
    cr_assert(vv_digest_equal(&none, &found));
    vv_opened_close(&o);
}

/* --- The index ------------------------------------------------------------ */

static varve_status take_index(
    struct vv_opened *o, const struct sample *s, varve_error *error)
{
    varve_status status = vv_opened_reserve(o, s->bytes.size, error);
    if (status)
        return status;
    memcpy(o->index_bytes, s->bytes.data, s->bytes.size);
    o->data_end = s->data_end;
    return vv_opened_parse(o, error);
}

TEST(opened, returns_the_chunks_of_a_value)
{
    struct sample s;
    struct vv_opened o;
    varve_error error;
    uint64_t offset;
    size_t size;
    sample_build_state(&s, 2 * VV_CHUNK_SIZE + 5);
    cr_assert_ok(vv_opened_begin(&o, sample_context(), "a", &error), error);
    cr_assert_ok(take_index(&o, &s, &error), error);
    vv_opened_chunk(&o, 0, 0, &offset, &size);
    cr_assert_eq(offset, 4096);
    cr_assert_eq(size, VV_CHUNK_SIZE);
    vv_opened_chunk(&o, 0, 2, &offset, &size);
    cr_assert_eq(offset, 4096 + 2 * VV_CHUNK_SIZE);
    cr_assert_eq(size, 5);
    vv_opened_close(&o);
    sample_clear(&s);
}

TEST(opened, reports_its_path_if_the_index_is_invalid)
{
    struct sample s;
    struct vv_opened o;
    varve_error error;
    sample_build(&s);
    s.data_end += 64;
    cr_assert_ok(vv_opened_begin(&o, sample_context(), "a", &error), error);
    cr_assert_eq(take_index(&o, &s, &error), VARVE_CORRUPT);
    cr_assert(
        strstr(error.message, "a: index at offset "), "%s", error.message);
    vv_opened_close(&o);
    sample_clear(&s);
}

TEST(opened, can_be_closed_in_every_state)
{
    struct vv_opened o = { 0 };
    varve_error error;
    vv_opened_close(&o);
    cr_assert_ok(vv_opened_begin(&o, sample_context(), "a", &error), error);
    cr_assert_ok(vv_opened_reserve(&o, 0, &error), error);
    vv_opened_close(&o);
    vv_opened_close(&o);
    cr_assert_eq(test_block_count(), 0);
}

TEST(opened, leaks_nothing_without_memory)
{
    struct sample s;
    varve_status status = VARVE_NO_MEMORY;
    sample_build(&s);
    long before = test_block_count();
    long failing = 0;
    for (; status; failing++) {
        struct vv_opened o;
        varve_error error = { 0 };
        test_fail_allocation(failing, false);
        status = vv_opened_begin(&o, sample_context(), "a", &error);
        if (!status)
            status = take_index(&o, &s, &error);
        test_fail_allocation(-1, false);
        vv_opened_close(&o);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), before);
    }
    cr_assert_gt(failing, 3);
    sample_clear(&s);
}
