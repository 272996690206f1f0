/* test_gguf_split.c - Tests GGUF models that are split into several files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "gguf_sample.h"
#include "gguf_split.h"

#define PART(n, of) "a/m-0000" #n "-of-0000" #of ".gguf"

enum { F32 = 0 };

/* The split information of a part. */
struct part {
    const char *path;
    uint16_t number, count;
    uint32_t tensors;   /* in all parts */
    const char *tensor; /* in this part */
};

static void put_key(struct gguf_file *f, const char *name, uint32_t kind)
{
    put_string(f, name);
    put32(f, kind);
}

static void put_part(struct memory *memory, const struct part *p)
{
    static struct gguf_file f;
    f.size = 0;
    put_head(&f, 1, 4);
    put_key(&f, p->number ? "other" : "first", VV_GGUF_STRING);
    put_string(&f, "text");
    put_key(&f, "split.no", VV_GGUF_UINT16);
    put_number(&f, p->number, 2);
    put_key(&f, "split.tensors.count", VV_GGUF_INT32);
    put32(&f, p->tensors);
    put_key(&f, "split.count", VV_GGUF_UINT16);
    put_number(&f, p->count, 2);
    put_tensor(&f, p->tensor, F32, 1, 0);
    put_padding(&f, 32);
    put32(&f, 0x3f800000 + p->number);
    memory_put(memory, p->path, f.bytes, f.size);
}

struct set {
    struct memory *memory;
    struct vv_context context;
    varve_error error;
};

static struct set begin(const struct part *parts, size_t count)
{
    struct set s = { .memory = memory_new() };
    s.context = test_context(memory_system(s.memory));
    for (size_t i = 0; i < count; i++)
        put_part(s.memory, &parts[i]);
    return s;
}

static void end(struct set *s)
{
    cr_assert_eq(memory_open_count(s->memory), 0);
    memory_free(s->memory);
}

static void check_value(
    struct set *s, varve_reader *reader, const char *path, uint32_t expected)
{
    varve_saved_node node;
    uint32_t bits = 0;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert_ok(varve_reader_read(
        reader, node.id, &bits, sizeof bits, &s->error), s->error);
    cr_assert_eq(bits, expected, "%s", path);
}

TEST(gguf_split, reads_all_parts_whichever_is_opened)
{
    static const struct part parts[] = { { PART(1, 3), 0, 3, 3, "x" },
        { PART(2, 3), 1, 3, 3, "y" }, { PART(3, 3), 2, 3, 3, "z" } };
    struct set s = begin(parts, 3);
    for (int i = 0; i < 3; i++) {
        const varve_metadata *m;
        varve_reader *reader =
            vv_reader_open_in(&s.context, parts[i].path, &s.error);
        cr_assert(reader, "%s", s.error.message);
        check_value(&s, reader, "x", 0x3f800000);
        check_value(&s, reader, "y", 0x3f800001);
        check_value(&s, reader, "z", 0x3f800002);
        for (size_t k = 0; (m = varve_reader_metadata_at(reader, k)); k++)
            cr_assert_neq(strncmp(m->name, "split.", 6), 0, "%s", m->name);
        varve_reader_free(reader);
    }
    end(&s);
}

static void check_refused(const struct part *parts, size_t count,
    varve_status status, const char *expected)
{
    struct set s = begin(parts, count);
    varve_reader *reader =
        vv_reader_open_in(&s.context, parts[0].path, &s.error);
    cr_assert_null(reader);
    cr_assert_eq(s.error.status, status, "%s", s.error.message);
    cr_assert(strstr(s.error.message, expected), "%s", s.error.message);
    end(&s);
}

TEST(gguf_split, refuses_a_part_without_the_others)
{
    check_refused((struct part[]){ { PART(2, 3), 1, 3, 3, "y" },
                      { PART(1, 3), 0, 3, 3, "x" } },
        2, VARVE_NOT_FOUND, "part 2 of 3 of a GGUF model, but part 3");
    check_refused((struct part[]){ { "m.gguf", 0, 2, 2, "x" } }, 1,
        VARVE_NOT_FOUND, "this is part 1 of 2 of a GGUF model, but its name");
    check_refused((struct part[]){ { PART(2, 2), 0, 2, 2, "x" } }, 1,
        VARVE_NOT_FOUND, "this is part 1 of 2 of a GGUF model, but its name");
}

TEST(gguf_split, refuses_parts_of_different_models)
{
    check_refused((struct part[]){ { PART(1, 2), 0, 2, 2, "x" },
                      { PART(2, 2), 0, 2, 2, "y" } },
        2, VARVE_CORRUPT, "expected part 2 of 2");
    check_refused((struct part[]){ { PART(1, 2), 0, 2, 2, "x" },
                      { PART(2, 2), 1, 2, 5, "y" } },
        2, VARVE_CORRUPT, "of a GGUF model of 2 tensors, found part 2 of 2");
    check_refused((struct part[]){ { PART(1, 2), 0, 2, 3, "x" },
                      { PART(2, 2), 1, 2, 3, "y" } },
        2, VARVE_CORRUPT, "expected 3 tensors in 2 parts, found 2");
    check_refused((struct part[]){ { PART(1, 2), 0, 2, 2, "x" },
                      { PART(2, 2), 1, 2, 2, "x" } },
        2, VARVE_CORRUPT, "\"x\"");
    check_refused((struct part[]){ { PART(1, 2), 4, 2, 2, "x" } }, 1,
        VARVE_CORRUPT, "split.no must be less than 2, found 4");
}

/* A file whose name only resembles that of a part. */
TEST(gguf_split, is_a_single_file_without_part_metadata)
{
    struct set s = begin(
        (struct part[]){ { PART(1, 2), 0, 1, 1, "x" } }, 1);
    varve_reader *reader =
        vv_reader_open_in(&s.context, PART(1, 2), &s.error);
    cr_assert(reader, "%s", s.error.message);
    check_value(&s, reader, "x", 0x3f800000);
    varve_reader_free(reader);
    end(&s);
    cr_assert(vv_gguf_split_is_name(PART(1, 2)));
    cr_assert_not(vv_gguf_split_is_name("m-1-of-2.gguf"));
    cr_assert_not(vv_gguf_split_is_name("m-0000a-of-00002.gguf"));
    cr_assert_not(vv_gguf_split_is_name("gguf"));
}

TEST(gguf_split, reports_failed_allocations)
{
    static const struct part parts[] = { { PART(1, 2), 0, 2, 2, "x" },
        { PART(2, 2), 1, 2, 2, "y" } };
    struct set s = begin(parts, 2);
    varve_reader *reader = NULL;
    for (long n = 0; !reader; n++) {
        test_fail_allocation(n, false);
        reader = vv_reader_open_in(&s.context, PART(2, 2), &s.error);
        test_fail_allocation(-1, false);
        cr_assert(reader || s.error.status == VARVE_NO_MEMORY, "%s",
            s.error.message);
    }
    varve_reader_free(reader);
    end(&s);
}
