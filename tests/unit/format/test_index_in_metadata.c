/* test_index_in_metadata.c - Tests parsing the metadata of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "support/index_sample.h"
#include <string.h>

/* Parses the smallest index with metadata of these bytes. */
static varve_status parse_with(const void *bytes, size_t size,
    struct vv_parsed_index *parsed, varve_error *error)
{
    struct sample s;
    sample_build_smallest(&s);
    vv_buffer_add(&s.more, "\x18\x83", 2);
    vv_buffer_add(&s.more, bytes, size);
    s.more_pairs = 1;
    sample_encode(&s);
    varve_status status = sample_parse(&s, parsed, error);
    sample_clear(&s);
    return status;
}

TEST(metadata_in, copies_names_and_values)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    sample_clear(&s); /* the parsed metadata is a copy */
    cr_assert_eq(parsed.index.metadata_count, SAMPLE_METADATA_COUNT);
    for (size_t i = 0; i < SAMPLE_METADATA_COUNT; i++) {
        const varve_metadata *m = &parsed.index.metadata[i];
        cr_assert_str_eq(m->name, sample_metadata[i].name);
        cr_assert_eq(m->kind, sample_metadata[i].kind);
        cr_assert_eq(m->integer, sample_metadata[i].integer);
        cr_assert(memcmp(&m->real, &sample_metadata[i].real, 8) == 0);
        if (m->kind == VARVE_METADATA_STRING)
            cr_assert_str_eq(m->string, sample_metadata[i].string);
        else
            cr_assert_null(m->string);
    }
    vv_parsed_index_clear(sample_context(), &parsed);
}

TEST(metadata_in, reads_the_smallest_and_largest_integers)
{
    struct vv_parsed_index parsed;
    varve_error error;
    static const unsigned char bytes[] =
        "\xa3" "\x61" "a\x1b\x7f\xff\xff\xff\xff\xff\xff\xff" "\x61" "b\x20"
        "\x61" "c\x60";
    cr_assert_ok(parse_with(bytes, sizeof bytes - 1, &parsed, &error), error);
    cr_assert_eq(parsed.metadata[0].integer, INT64_MAX);
    cr_assert_eq(parsed.metadata[1].integer, -1);
    cr_assert_str_eq(parsed.metadata[2].string, "");
    vv_parsed_index_clear(sample_context(), &parsed);
}

TEST(metadata_in, reports_the_violated_rule)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } rows[] = {
        { "\x80", 1, "expected a map, found an array" },
        { "\xa0", 1, "a non-empty map" },
        { "\xa1\x00\x00", 3, "expected a text string" },
        { "\xa1\x41" "a\x00", 4, "expected a text string" },
        { "\xa1\x60\x00", 3, "a name of 1 to 65535 bytes" },
        { "\xa2\x61" "a\x00\x61" "a\x00", 7, "keys in order" },
        { "\xa2\x61" "b\x00\x61" "a\x00", 7, "keys in order" },
        { "\xa2\x62" "aa\x00\x61" "b\x00", 8, "keys in order" },
        { "\xa1\x61" "a\x1b\x80\0\0\0\0\0\0\0", 12, "a signed 64-bit integer" },
        { "\xa1\x61" "a\x3b\x80\0\0\0\0\0\0\0", 12, "a signed 64-bit integer" },
        { "\xa1\x61" "a\xd8\x56\x47" "1234567", 13, "one float64" },
        { "\xa1\x61" "a\xd8\x52\x48" "12345678", 14, "one float64" },
        { "\xa1\x61" "a\xd8\x56\x68" "12345678", 14, "a byte string" },
        { "\xa1\x61" "a\x41z", 5, "an integer, boolean, text or real" },
        { "\xa1\x61" "a\x80", 4, "an integer, boolean, text or real" },
        { "\xa1\x61" "a\xa0", 4, "an integer, boolean, text or real" },
        { "\xa1\x61" "a\xfb\0\0\0\0\0\0\0\0", 12, "profile" },
        { "\xa1\x61" "a\xf6", 4, "profile" },
        { "\xa1\x61" "a\x61\0", 5, "UTF-8 without NUL" },
        { "\xa1\x61\0\0", 4, "UTF-8 without NUL" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vv_parsed_index parsed;
        varve_error error = { 0 };
        varve_status status =
            parse_with(rows[i].bytes, rows[i].size, &parsed, &error);
        cr_assert_eq(status, VARVE_CORRUPT, "row %zu", i);
        cr_assert(strstr(error.message, rows[i].says), "row %zu: %s", i,
            error.message);
        cr_assert_eq(test_block_count(), 0, "row %zu", i);
    }
}

/* The shortest possible pairs: three bytes each; in memory 40, and a string of
 * 2. */
TEST(metadata_in, needs_memory_proportional_to_the_file)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build_smallest(&s);
    vv_buffer_add(&s.more, "\x18\x83\xb9\x40\x7f", 5);
    for (int i = 1; i < 128; i++) {
        vv_buffer_add8(&s.more, 0x61);
        vv_buffer_add8(&s.more, (uint8_t)i);
        vv_buffer_add8(&s.more, 0);
    }
    for (int i = 0; i < 128 * 128 - 1; i++) { /* two ASCII letters */
        unsigned char name[] = { 0x62, (uint8_t)(1 + i / 127),
            (uint8_t)(1 + i % 127), 0 };
        if (i < 127 * 127)
            vv_buffer_add(&s.more, name, sizeof name);
    }
    s.more.data[3] = (uint8_t)((127 + 127 * 127) >> 8);
    s.more.data[4] = (uint8_t)(127 + 127 * 127);
    s.more_pairs = 1;
    sample_encode(&s);
    test_reset_peak();
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_leq(test_peak_bytes(), 15 * s.bytes.size + (64 << 10));
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}
