/* test_index_in.c - Tests parsing an index.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "index_out.h"
#include "support/index_sample.h"

TEST(index_in, reads_a_written_index)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        size_t size = (size_t)vv_column_count(&vv_columns[i], &parsed.index) *
                      vv_columns[i].element;
        cr_assert_eq(size, s.columns[i].size, "%s", vv_columns[i].name);
        if (size)
            cr_assert_arr_eq(vv_column_bytes(&vv_columns[i], &parsed.index),
                s.columns[i].data, size, "%s", vv_columns[i].name);
    }
    cr_assert_eq(parsed.index.counter, SAMPLE_COUNTER);
    vv_parsed_index_clear(sample_context(), &parsed);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(index_in, reads_global_names)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    sample_add_globals(&s);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(parsed.index.global_count, 3);
    cr_assert_eq(vv_index_find_global(&parsed.index, 4), N_ZERO);
    cr_assert_eq(vv_index_find_global(&parsed.index, 8), N_MODEL);
    cr_assert_eq(vv_index_find_global(&parsed.index, 11), N_KEY);
    cr_assert_eq(vv_index_find_global(&parsed.index, 9), VV_NONE);
    cr_assert_eq(vv_index_find_global(&parsed.index, 13), VV_NONE);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(index_in, leaks_nothing_without_memory_for_global_names)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_status status = VARVE_NO_MEMORY;
    sample_build(&s);
    sample_add_globals(&s);
    sample_encode(&s);
    long n = 0;
    for (; status; n++) {
        test_fail_allocation(n, false);
        status = sample_parse(&s, &parsed, NULL);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert(status == VARVE_OK || test_block_count() == 0);
    }
    cr_assert_eq(n, 7, "marks three times, table, metadata, strings");
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(index_in, reads_the_smallest_index)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build_smallest(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(parsed.index.node_count, 1);
    cr_assert_eq(parsed.index.tag_count, 0);
    cr_assert_eq(parsed.index.counter, 0);
    cr_assert_eq(parsed.index.metadata_count, 0);
    cr_assert_eq(parsed.table.digests[0], 0);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

/* --- Rules ---------------------------------------------------------------- */

static void more(struct sample *s, const char *bytes, size_t size)
{
    s->more.size = 0;
    s->more_pairs = 1;
    vv_buffer_add(&s->more, bytes, size);
}

static void first_key_is_left_out(struct sample *s) { s->left_out[0] = true; }
static void last_key_is_left_out(struct sample *s) { s->left_out[16] = true; }
static void middle_key_left_out(struct sample *s) { s->left_out[7] = true; }
static void key_is_there_twice(struct sample *s) { s->keys[5] = 4; }
static void keys_are_not_sorted(struct sample *s)
{
    s->keys[VV_FIRST_TAG_COLUMN + 1] = 127;
}

static void tag_is_of_another_type(struct sample *s) { s->tags[1] = 71; }
static void tag_is_big_endian(struct sample *s) { s->tags[4] = 66; }
static void tag_is_missing(struct sample *s) { s->tags[2] = 0; }
static void digests_have_a_tag(struct sample *s) { s->tags[12] = 64; }
static void unknown_key(struct sample *s) { more(s, "\x18\x7f\x00", 3); }
static void counter_is_0(struct sample *s) { more(s, "\x18\x82\x00", 3); }
static void counter_is_text(struct sample *s) { more(s, "\x18\x82\x60", 3); }

static void only_some_keys(struct sample *s)
{
    for (size_t i = 3; i < VV_COLUMN_COUNT; i++)
        s->left_out[i] = true;
    s->more_pairs = 0;
    s->more.size = 0;
}

static void unknown_required_key(struct sample *s)
{
    s->left_out[VV_FIRST_TAG_COLUMN] = true;
    s->left_out[VV_FIRST_TAG_COLUMN + 1] = true;
    more(s, "\x18\x21\x00", 3);
}

static void unknown_required_key_at_the_end(struct sample *s)
{
    s->left_out[VV_FIRST_TAG_COLUMN] = true;
    s->left_out[VV_FIRST_TAG_COLUMN + 1] = true;
    more(s, "\x18\x7f\x00", 3);
}

static void keys_end_with_the_last_number(struct sample *s)
{
    more(s, "\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x00"
            "\x1b\xff\xff\xff\xff\xff\xff\xff\xff\x00", 20);
    s->more_pairs = 2;
}

static void column_ends_within_an_element(struct sample *s)
{
    sample_column(s, VV_KEY_EDGE_NAMES)->size--;
}

static void digests_end_within_one(struct sample *s)
{
    sample_column(s, VV_KEY_DIGESTS)->size -= 8;
}

static void node_columns_differ(struct sample *s)
{
    sample_column(s, VV_KEY_NODE_EDGE_ENDS)->size -= 4;
}

static void edge_columns_differ(struct sample *s)
{
    sample_column(s, VV_KEY_EDGE_CHILDREN)->size -= 4;
}

static void value_columns_differ(struct sample *s)
{
    sample_column(s, VV_KEY_VALUE_RANKS)->size--;
}

static void slot_columns_differ(struct sample *s)
{
    sample_column(s, VV_KEY_SLOT_NODES)->size -= 4;
}

static void tag_columns_differ(struct sample *s)
{
    sample_column(s, VV_KEY_TAG_NAMES)->size -= 4;
}

static void tag_names_are_left_out(struct sample *s)
{
    s->left_out[VV_FIRST_TAG_COLUMN + 1] = true;
}

static void tag_nodes_are_left_out(struct sample *s)
{
    s->left_out[VV_FIRST_TAG_COLUMN] = true;
}

static void global_columns_differ(struct sample *s)
{
    sample_add_globals(s);
    sample_column(s, VV_KEY_GLOBAL_NAMES)->size -= 4;
}

static void global_names_left_out(struct sample *s)
{
    sample_add_globals(s);
    s->left_out[VV_FIRST_GLOBAL_COLUMN + 1] = true;
}

static void global_nodes_left_out(struct sample *s)
{
    sample_add_globals(s);
    s->left_out[VV_FIRST_GLOBAL_COLUMN] = true;
}

static void globals_are_empty(struct sample *s)
{
    s->left_out[VV_FIRST_GLOBAL_COLUMN] = false;
    s->left_out[VV_FIRST_GLOBAL_COLUMN + 1] = false;
}

static void values_in_pieces_are_left_out(struct sample *s)
{
    sample_add_pieces(s);
    s->left_out[VV_FIRST_PIECE_COLUMN] = true;
}

static void piece_ends_are_left_out(struct sample *s)
{
    sample_add_pieces(s);
    s->left_out[VV_FIRST_PIECE_COLUMN + 1] = true;
}

static void boxes_are_left_out(struct sample *s)
{
    sample_add_pieces(s);
    s->left_out[VV_FIRST_PIECE_COLUMN + 2] = true;
}

static void pieces_are_empty(struct sample *s)
{
    for (size_t i = VV_FIRST_PIECE_COLUMN; i < VV_FIRST_PAGE_COLUMN; i++)
        s->left_out[i] = false;
}

static void piece_columns_differ(struct sample *s)
{
    sample_add_pieces(s);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECE_ENDS), 5);
}

static void starts_are_left_out(struct sample *s)
{
    sample_add_part(s);
    s->left_out[VV_FIRST_PART_COLUMN + 1] = true;
}

static void wholes_are_left_out(struct sample *s)
{
    sample_add_part(s);
    s->left_out[VV_FIRST_PART_COLUMN] = true;
}

static void a_whole_is_missing(struct sample *s)
{
    sample_add_part(s);
    sample_column(s, VV_KEY_WHOLE_EXTENTS)->size -= 8;
    sample_column(s, VV_KEY_PART_STARTS)->size -= 8;
}

static void tags_are_empty(struct sample *s)
{
    sample_column(s, VV_KEY_TAG_NODES)->size = 0;
    sample_column(s, VV_KEY_TAG_NAMES)->size = 0;
}

static void one_byte_behind(struct sample *s) { vv_buffer_add8(&s->behind, 0); }

static void data_ends_nowhere(struct sample *s)
{
    s->data_end = UINT64_C(1) << 63;
}

#define ROW(function, says)                                                    \
    {                                                                          \
        #function, function, VARVE_CORRUPT, says                               \
    }

TEST(index_in, reports_the_violated_rule)
{
    static const struct breakage rows[] = {
        ROW(first_key_is_left_out, "each required key"),
        ROW(middle_key_left_out, "each required key"),
        ROW(last_key_is_left_out, "each required key"),
        ROW(only_some_keys, "all required keys"),
        ROW(key_is_there_twice, "keys in order"),
        ROW(keys_are_not_sorted, "keys in order"),
        ROW(keys_end_with_the_last_number, "keys in order"),
        ROW(unknown_key, "keys in order"),
        ROW(tag_is_of_another_type, "the tag of a column's type"),
        ROW(tag_is_big_endian, "the tag of a column's type"),
        ROW(tag_is_missing, "expected a tag, found a byte string"),
        ROW(digests_have_a_tag, "expected a byte string, found a tag"),
        ROW(column_ends_within_an_element, "a column of whole elements"),
        ROW(digests_end_within_one, "a column of whole elements"),
        ROW(node_columns_differ, "expected 14 node edge ends, found 13"),
        ROW(edge_columns_differ, "expected 13 edge children, found 12"),
        ROW(value_columns_differ, "expected 9 value ranks, found 8"),
        ROW(slot_columns_differ, "expected 3 slot nodes, found 2"),
        ROW(tag_columns_differ, "expected 2 tag names, found 1"),
        ROW(tag_names_are_left_out, "expected names for the nodes of tags"),
        ROW(tag_nodes_are_left_out, "expected 0 tag names, found 2"),
        ROW(tags_are_empty, "a non-empty optional column"),
        ROW(global_columns_differ, "expected 3 global names, found 2"),
        ROW(global_names_left_out, "expected global names for their nodes"),
        ROW(global_nodes_left_out, "expected 0 global names, found 3"),
        ROW(globals_are_empty, "a non-empty optional column"),
        ROW(values_in_pieces_are_left_out, "expected 0 piece ends, found 1"),
        ROW(piece_ends_are_left_out, "values in pieces with ends and boxes"),
        ROW(boxes_are_left_out, "values in pieces with ends and boxes"),
        ROW(pieces_are_empty, "a non-empty optional column"),
        ROW(piece_columns_differ, "expected 1 piece ends, found 2"),
        ROW(starts_are_left_out, "a start of parts for each extent"),
        ROW(wholes_are_left_out, "expected 0 starts of parts, found 15"),
        ROW(a_whole_is_missing, "a start of parts for each extent"),
        ROW(counter_is_0, "a save counter above 0"),
        ROW(counter_is_text, "an unsigned integer, found a text string"),
        ROW(one_byte_behind, "the end of the index, found more bytes"),
        ROW(data_ends_nowhere, "an offset below 2^63"),
        { "unknown required key", unknown_required_key, VARVE_TOO_NEW,
            "found the required key 33" },
        { "unknown required key", unknown_required_key_at_the_end,
            VARVE_TOO_NEW, "found the required key 127" },
    };
    sample_check_breakages(rows, sizeof rows / sizeof *rows);
}

/* A column of 4 GiB, of which only the head is accessed. */
TEST(index_in, refuses_more_than_2_to_the_32_nodes)
{
    static const unsigned char head[] =
        "\xb1" "\x00\x40" "\x01\xd8\x46\x40" "\x02\xd8\x40\x5a\xff\xff\xff\xff";
    if (SIZE_MAX == UINT32_MAX)
        return;
    size_t size = sizeof head - 1 + (size_t)UINT32_MAX;
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(bytes, MAP_FAILED);
    memcpy(bytes, head, sizeof head - 1);
    struct vv_parsed_index parsed;
    varve_error error;
    cr_assert_eq(vv_index_parse(sample_context(), "file", bytes, size, 64,
                     &parsed, &error),
        VARVE_LIMIT);
    cr_assert(strstr(error.message, "fewer than 2^32 - 1"));
    munmap(bytes, size);
}

TEST(index_in, skips_unknown_optional_keys)
{
    static const char *const rows[] = {
        "\x18\x86\x18\xff", "\x18\x86\x82\x61z\xa1\x01\xd8\x40\x41z",
        "\x1a\0\1\0\0\x20", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff\xf5",
    };
    static const size_t sizes[] = { 4, 11, 6, 10 };
    for (size_t i = 0; i < 4; i++) {
        struct sample s;
        struct vv_parsed_index parsed;
        varve_error error;
        sample_build(&s);
        vv_buffer_add(&s.more, rows[i], sizes[i]);
        s.more_pairs++;
        sample_encode(&s);
        cr_assert_ok(sample_parse(&s, &parsed, &error), error);
        cr_assert_eq(parsed.index.metadata_count, SAMPLE_METADATA_COUNT);
        vv_parsed_index_clear(sample_context(), &parsed);
        sample_clear(&s);
    }
}

/* --- Damage --------------------------------------------------------------- */

static varve_status take(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

/* Parses an exact copy of the bytes. If they are a valid index, writing it must
 * give the same bytes. */
static varve_status parse_and_write(
    const unsigned char *bytes, size_t size, uint64_t data_end)
{
    struct vv_parsed_index parsed;
    varve_error error;
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    test_reset_peak();
    varve_status status = vv_index_parse(
        sample_context(), "file", copy, size, data_end, &parsed, &error);
    cr_assert_leq(test_peak_bytes(), 16 * size + (64 << 10));
    if (!status) {
        struct vv_buffer again;
        vv_buffer_init(&again, test_allocator());
        cr_assert_ok(
            vv_index_write(&parsed.index, take, &again, &error), error);
        if (again.data[0] == bytes[0]) { /* no unknown key was skipped */
            cr_assert_eq(again.size, size);
            cr_assert_arr_eq(again.data, bytes, size);
        }
        vv_buffer_clear(&again);
        vv_parsed_index_clear(sample_context(), &parsed);
    } else {
        cr_assert_eq(error.status, status);
        cr_assert(strstr(error.message, "index at offset "), "%s",
            error.message);
    }
    cr_assert_eq(test_block_count(), 0);
    free(copy);
    return status;
}

/* A graph that is not valid is accepted only if `like` has the same one. */
TEST(index_in, does_not_check_a_graph_that_equals_a_valid_one)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    sample_encode(&s);
    struct vv_index like = sample_index(&s);
    struct vv_index_rest rest = { .bytes = s.bytes.data,
        .size = s.bytes.size,
        .data_end = s.data_end,
        .like = &like };
    cr_assert_ok(vv_index_parse_rest(
                     sample_context(), "file", &rest, &parsed, &error),
        error);
    vv_parsed_index_clear(sample_context(), &parsed);
    static const uint8_t no_names[4096];
    like.names = no_names; /* another graph: this one is checked */
    sample_set8(&s, VV_KEY_NODE_KINDS, 0, 0);
    sample_encode(&s);
    rest.bytes = s.bytes.data;
    rest.size = s.bytes.size;
    cr_assert_eq(vv_index_parse_rest(
                     sample_context(), "file", &rest, &parsed, &error),
        VARVE_CORRUPT);
    like = sample_index(&s);
    cr_assert_ok(vv_index_parse_rest(
                     sample_context(), "file", &rest, &parsed, &error),
        error);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(index_in, refuses_every_truncation)
{
    struct sample s;
    sample_build(&s);
    for (size_t size = 0; size < s.bytes.size; size++)
        cr_assert_eq(parse_and_write(s.bytes.data, size, s.data_end),
            VARVE_CORRUPT, "%zu bytes", size);
    cr_assert_eq(
        parse_and_write(s.bytes.data, s.bytes.size, s.data_end), VARVE_OK);
    sample_clear(&s);
}

/* Some flipped bits give another valid index (a digest, a type of the same
 * size); the digest in the footer detects those. */
TEST(index_in, has_one_encoding_for_every_index_with_a_flipped_bit)
{
    struct sample s;
    unsigned good = 0;
    sample_build(&s);
    for (size_t i = 0; i < 8 * s.bytes.size; i++) {
        s.bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
        good += !parse_and_write(s.bytes.data, s.bytes.size, s.data_end);
        s.bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    cr_assert_gt(good, 8 * sample_column(&s, VV_KEY_DIGESTS)->size);
    cr_assert_lt(good, 8 * s.bytes.size / 2);
    sample_clear(&s);
}

TEST(index_in, handles_every_value_of_every_byte)
{
    struct sample s;
    sample_build(&s);
    for (size_t i = 0; i < s.bytes.size; i++) {
        unsigned char old = s.bytes.data[i];
        for (unsigned value = 0; value < 256; value++) {
            s.bytes.data[i] = (unsigned char)value;
            parse_and_write(s.bytes.data, s.bytes.size, s.data_end);
        }
        s.bytes.data[i] = old;
    }
    sample_clear(&s);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Replaces elements by numbers that are almost valid. */
TEST(index_in, handles_columns_of_nearly_valid_numbers)
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; round < 20000; round++) {
        struct sample s;
        sample_build(&s);
        sample_add_globals(&s);
        sample_add_layers(&s);
        sample_add_packs(&s);
        if (round % 3 == 0)
            sample_move_layer_inside(&s);
        if (round % 2 == 0)
            sample_add_pieces(&s);
        else
            sample_add_part(&s);
        for (int k = 0; k < 2; k++) {
            size_t c = next_random(&random) % VV_COLUMN_COUNT;
            size_t element = vv_columns[c].element;
            size_t count = s.columns[c].size / element;
            if (count == 0)
                continue; /* the sample has no such column */
            size_t i = next_random(&random) % count;
            unsigned char *at = s.columns[c].data + i * element;
            uint64_t number = next_random(&random) % 17;
            if (element == 4)
                vv_store32(at, (uint32_t)number);
            else if (element == 8)
                vv_store64(at, next_random(&random) % 2
                                   ? number
                                   : UINT64_MAX << next_random(&random) % 64);
            else
                *at = (unsigned char)number;
        }
        sample_encode(&s);
        parse_and_write(s.bytes.data, s.bytes.size, s.data_end);
        sample_clear(&s);
    }
}

TEST(index_in, leaks_nothing_without_memory)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    long failing = 0;
    for (;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status = sample_parse(&s, &parsed, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
    }
    cr_assert_eq(failing, 5, "marks twice, table, metadata, strings");
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}
