/* test_pickle_in.c - Tests the opcodes of pickles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "pickle_in.h"
#include "torch_sample.h"

/* Describes an item as text, with members as far as there is room. */
static void describe(
    const struct vv_pickle *p, uint32_t number, int depth, char *text)
{
    static const char *const names[] = { "None", "bool", "int", "long", "real",
        "text", "bytes", "global", "extension", "tuple", "list", "dict", "set",
        "call", "outside" };
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    char *end = text + sprintf(text, "%s", names[item->kind]);
    switch (item->kind) {
    case VV_PICKLE_BOOL:
    case VV_PICKLE_INTEGER:
        end += sprintf(end, " %lld", (long long)vv_pickle_integer(item));
        break;
    case VV_PICKLE_REAL:
        end += sprintf(end, " %g", vv_pickle_real(item));
        break;
    case VV_PICKLE_TEXT:
    case VV_PICKLE_BYTES:
        end += sprintf(end, " %.*s", (int)item->b, vv_pickle_bytes(p, item));
        break;
    case VV_PICKLE_LONG: end += sprintf(end, " %d", (int)item->b); break;
    case VV_PICKLE_EXTENSION: end += sprintf(end, " %d", (int)item->a); break;
    case VV_PICKLE_CALL:
        if (item->state)
            end += sprintf(end, "+state");
        break;
    default: break;
    }
    if (!item->first || depth == 0)
        return;
    end += sprintf(end, "[");
    for (uint32_t at = item->first; at; at = vv_pickle_link(p, at).next) {
        describe(p, vv_pickle_link(p, at).item, depth - 1, end);
        end += strlen(end);
        end += sprintf(end, vv_pickle_link(p, at).next ? ", " : "]");
    }
}

struct sample {
    const char *bytes;
    size_t size;
    const char *means;
};

#define SAMPLE(bytes, means) { bytes, sizeof(bytes) - 1, means }

static const struct sample samples[] = {
    SAMPLE("\x80\x02N.", "None"),
    SAMPLE("\x88.", "bool 1"),
    SAMPLE("\x89.", "bool 0"),
    SAMPLE("J\xff\xff\xff\xff.", "int -1"),
    SAMPLE("K\xff.", "int 255"),
    SAMPLE("M\xff\xff.", "int 65535"),
    SAMPLE("\x8a\x00.", "int 0"),
    SAMPLE("\x8a\x01\x80.", "int -128"),
    SAMPLE("\x8a\x02\x80\x00.", "int 128"),
    SAMPLE("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.",
        "int 9223372036854775807"),
    SAMPLE("\x8b\x01\x00\x00\x00\xff.", "int -1"),
    SAMPLE("\x8a\x09\0\0\0\0\0\0\0\x80\0.", "long 9"),
    SAMPLE("G\x3f\xf8\0\0\0\0\0\0.", "real 1.5"),
    SAMPLE("X\x02\0\0\0ab.", "text ab"),
    SAMPLE("X\x01\0\0\0\xff.", "bytes \xff"),
    SAMPLE("\x8c\x02" "ab.", "text ab"),
    SAMPLE("\x8d\x02\0\0\0\0\0\0\0ab.", "text ab"),
    SAMPLE("U\x02" "ab.", "text ab"),
    SAMPLE("T\x02\0\0\0ab.", "text ab"),
    SAMPLE("B\x02\0\0\0ab.", "bytes ab"),
    SAMPLE("C\x02" "ab.", "bytes ab"),
    SAMPLE("\x8e\x02\0\0\0\0\0\0\0ab.", "bytes ab"),
    SAMPLE("\x96\x02\0\0\0\0\0\0\0ab.", "bytes ab"),
    SAMPLE(").", "tuple"),
    SAMPLE("].", "list"),
    SAMPLE("}.", "dict"),
    SAMPLE("\x8f.", "set"),
    SAMPLE("K\1\x85.", "tuple[int 1]"),
    SAMPLE("K\1K\2\x86.", "tuple[int 1, int 2]"),
    SAMPLE("K\1K\2K\3\x87.", "tuple[int 1, int 2, int 3]"),
    SAMPLE("(K\1K\2K\3K\4t.", "tuple[int 1, int 2, int 3, int 4]"),
    SAMPLE("]K\1a.", "list[int 1]"),
    SAMPLE("](K\1K\2e.", "list[int 1, int 2]"),
    SAMPLE("}K\1K\2s.", "dict[int 1, int 2]"),
    SAMPLE("}(K\1K\2K\3K\4u.", "dict[int 1, int 2, int 3, int 4]"),
    SAMPLE("\x8f(K\1\x90.", "set[int 1]"),
    SAMPLE("(K\1\x91.", "set[int 1]"),
    SAMPLE("]q\1h\1a.", "list[list[list]]"),
    SAMPLE("]r\1\0\0\0j\1\0\0\0a.", "list[list[list]]"),
    SAMPLE("]\x94h\0a.", "list[list[list]]"),
    SAMPLE("]q\1K\7\x94" "ah\1a.", "list[int 7, int 7]"),
    SAMPLE("cm\nn\n.", "global"),
    SAMPLE("\x8c\1m\x8c\1n\x93.", "global"),
    SAMPLE("\x82\7.", "extension 7"),
    SAMPLE("\x83\7\0.", "extension 7"),
    SAMPLE("\x84\7\0\0\0.", "extension 7"),
    SAMPLE("cm\nn\n)R.", "call"),
    SAMPLE("cm\nn\n)\x81.", "call"),
    SAMPLE("cm\nn\n)}\x92.", "call"),
    SAMPLE("cm\nn\n)R}b.", "call+state"),
    SAMPLE("cm\nn\n)RK\1K\2s.", "call[int 1, int 2]"),
    SAMPLE("cm\nn\n)RK\1a.", "call[int 1]"),
    SAMPLE("K\1Q.", "outside"),
    SAMPLE("K\1K\2" "0.", "int 1"),
    SAMPLE("K\1(K\2" "1.", "int 1"),
    SAMPLE("K\1(0.", "int 1"),
    SAMPLE("K\1" "2\x86.", "tuple[int 1, int 1]"),
    SAMPLE("\x95\0\0\0\0\0\0\0\0K\1.", "int 1"),
};

TEST(pickle_in, accepts_every_data_opcode)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char text[1000];
        struct vv_buffer b = new_bytes();
        vv_buffer_add(&b, samples[i].bytes, samples[i].size);
        struct vv_pickle p = read_pickle(&b);
        describe(&p, p.root, 2, text);
        cr_assert_str_eq(text, samples[i].means, "%zu", i);
        vv_pickle_clear(&p);
        vv_buffer_clear(&b);
    }
}

static varve_status read_bytes(
    const char *bytes, size_t size, varve_error *error)
{
    struct vv_pickle p;
    struct vv_buffer b = new_bytes();
    /* Allocated exactly, so that reads past the end are detected. */
    vv_buffer_reserve(&b, size);
    vv_buffer_add(&b, bytes, size);
    varve_status status = vv_pickle_read(&p, &b, "a.pt", error);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
    return status;
}

TEST(pickle_in, refuses_every_opcode_truncated_at_any_byte)
{
    size_t tried = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t size = 0; size < samples[i].size; size++, tried++) {
            varve_error error = { 0 };
            varve_status status = read_bytes(samples[i].bytes, size, &error);
            cr_assert(status == VARVE_TRUNCATED, "%zu, %zu: %s", i, size,
                error.message);
            cr_assert(strncmp(error.message, "a.pt: byte ", 11) == 0);
        }
    }
    cr_assert_gt(tried, 300);
}

static const struct wrong {
    const char *bytes;
    size_t size;
    varve_status status;
    const char *says;
} wrongs[] = {
#define WRONG(bytes, status, says) { bytes, sizeof(bytes) - 1, status, says }
    WRONG("\x80\6N.", VARVE_TOO_NEW, "protocol 6 is not supported"),
    WRONG("\xff.", VARVE_TOO_NEW, "byte 0: opcode 0xff is not supported"),
    WRONG("\x97.", VARVE_TOO_NEW, "opcode 0x97 is not"),
    WRONG("L1L\n.", VARVE_TOO_NEW, "0x4c of protocols 0 and 1 is not"),
    WRONG("I\n.", VARVE_CORRUPT, "or exceeds 64 bits"),
    WRONG("I-\n.", VARVE_CORRUPT, "or exceeds 64 bits"),
    WRONG("I9223372036854775808\n.", VARVE_CORRUPT, "or exceeds 64 bits"),
    WRONG("I12", VARVE_TRUNCATED, "ends inside a number"),
    WRONG("\0.", VARVE_TOO_NEW, "opcode 0 is not"),
    WRONG(".", VARVE_CORRUPT, "the stack is empty"),
    WRONG("NN.", VARVE_CORRUPT, "the stack is not empty at the end"),
    WRONG("(N.", VARVE_CORRUPT, "the stack is not empty at the end"),
    WRONG("N(.", VARVE_CORRUPT, "the stack is empty"),
    WRONG("K\1\x86.", VARVE_CORRUPT, "fewer items than the tuple"),
    WRONG("K\1(K\2\x86.", VARVE_CORRUPT, "fewer items than the tuple"),
    WRONG("t.", VARVE_CORRUPT, "the stack has no mark"),
    WRONG("1.", VARVE_CORRUPT, "the stack has no mark"),
    WRONG("0.", VARVE_CORRUPT, "the stack is empty"),
    WRONG("2.", VARVE_CORRUPT, "the stack is empty"),
    WRONG("K\1a.", VARVE_CORRUPT, "no list to add items to"),
    WRONG("]a.", VARVE_CORRUPT, "no list to add items to"),
    WRONG("(K\1e.", VARVE_CORRUPT, "no list to add items to"),
    WRONG("]((K\1ee.", VARVE_CORRUPT, "no list to add items to"),
    WRONG("}K\1a.", VARVE_CORRUPT, "no list to add items to"),
    WRONG("]K\1K\2s.", VARVE_CORRUPT, "no dict to add items to"),
    WRONG("}(K\1u.", VARVE_CORRUPT, "the last key has no value"),
    WRONG("](K\1\x90.", VARVE_CORRUPT, "no set to add items to"),
    WRONG("cm\nn\n)RK\1aK\1K\2s.", VARVE_CORRUPT, "items of different kinds"),
    WRONG("h\0.", VARVE_CORRUPT, "byte 0: the memo has no entry"),
    WRONG("Nq\2h\1.", VARVE_CORRUPT, "the memo has no entry"),
    WRONG("q\0.", VARVE_CORRUPT, "the stack is empty"),
    WRONG("Nr\xff\xff\xff\x7f.", VARVE_CORRUPT, "larger than the pickle"),
    WRONG("K\1}b.", VARVE_CORRUPT, "can be given a state"),
    WRONG("cm\nn\nK\1R.", VARVE_CORRUPT, "arguments of a call are not"),
    WRONG("K\1K\2\x93.", VARVE_CORRUPT, "the module or name of"),
    WRONG("c\xff\nn\n.", VARVE_CORRUPT, "not valid UTF-8"),
    WRONG("X\0\0\0\x80.", VARVE_TRUNCATED, "before the next 2147483648 bytes"),
    WRONG("\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", VARVE_TRUNCATED,
        "before the next 18446744073709551615 bytes"),
    WRONG("\x8b\xff\xff\xff\xff.", VARVE_TRUNCATED, "before the next"),
};

TEST(pickle_in, reports_errors_with_their_offset)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        varve_error error = { 0 };
        varve_status status =
            read_bytes(wrongs[i].bytes, wrongs[i].size, &error);
        cr_assert_eq(status, wrongs[i].status, "%zu: %s", i, error.message);
        cr_assert(strstr(error.message, wrongs[i].says), "%zu: %s", i,
            error.message);
    }
}

/* Python 2 writes integers of more than 32 bits, and bools, this way in
 * protocol 2. */
TEST(pickle_in, reads_decimals_of_python_2)
{
    static const struct {
        const char *bytes;
        int64_t value;
    } cases[] = { { "I140213912345678\n.", INT64_C(140213912345678) },
        { "I-5\n.", -5 }, { "I0\n.", 0 },
        { "I-9223372036854775808\n.", INT64_MIN },
        { "I9223372036854775807\n.", INT64_MAX } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_buffer b = new_bytes();
        vv_buffer_add_string(&b, cases[i].bytes);
        struct vv_pickle p = read_pickle(&b);
        const struct vv_pickle_item *item = vv_pickle_item(&p, p.root);
        cr_assert_eq(item->kind, VV_PICKLE_INTEGER);
        cr_assert_eq((int64_t)((uint64_t)item->b << 32 | item->a),
            cases[i].value, "%zu", i);
        vv_pickle_clear(&p);
        vv_buffer_clear(&b);
    }
    struct vv_buffer b = new_bytes();
    OP(&b, "I01\n.");
    struct vv_pickle p = read_pickle(&b);
    cr_assert_eq(p.root, VV_PICKLE_THE_TRUE);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

/* Measures the memory of a pickle, by the allocator: present and maximum
 * size. */
static size_t used, most;

static void *count(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    used += new_size - old_size;
    most = used > most ? used : most;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

TEST(pickle_in, needs_memory_bounded_by_its_size)
{
    static const char *const bombs[] = { "]", "(", "2", ")", "N\x85", "}\x94",
        "h\0", "h\0a", "h\0(h\0u" };
    enum { TIMES = 100000 };
    varve_allocator a = { .function = count };
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        struct vv_pickle p;
        struct vv_buffer b = new_bytes();
        size_t size = strlen(bombs[i]) + !strlen(bombs[i]);
        OP(&b, "]q\0");
        for (int n = 0; n < TIMES; n++) {
            vv_buffer_add(&b, bombs[i], strchr(bombs[i], 'h')
                    ? strlen(bombs[i] + 2) + 2 : size);
        }
        struct vv_buffer borrowed = b;
        borrowed.allocator = &a;
        used = most = 0;
        vv_pickle_read(&p, &borrowed, "a.pt", NULL);
        vv_pickle_clear(&p);
        cr_assert_eq(used, 0);
        cr_assert_lt(most, 128 * b.size, "%zu: %zu for %zu", i, most, b.size);
        vv_buffer_clear(&b);
    }
}

TEST(pickle_in, reports_failed_allocations)
{
    struct vv_buffer b = new_bytes();
    varve_status status = VARVE_NO_MEMORY;
    OP(&b, "\x80\x02]q\0(K\1K\2}(K\3K\4ue.");
    for (long n = 0; status; n++) {
        struct vv_pickle p;
        long before = test_block_count();
        test_fail_allocation(n, false);
        status = vv_pickle_read(&p, &b, "a.pt", NULL);
        test_fail_allocation(-1, false);
        vv_pickle_clear(&p);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), before);
        cr_assert_lt(n, 100);
    }
    vv_buffer_clear(&b);
}
