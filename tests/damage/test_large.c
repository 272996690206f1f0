/* test_large.c - Damages random positions of a large file.
 *
 * Each damage is checked locally: an open reader reads the damaged value and
 * one that is intact. For some, the whole file is verified.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "layout.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"

enum {
    VALUES = 320,
    /* number of values of one to three chunks; others have up to */
    LARGE = VALUES / 10,
    SMALL_SIZE = 60000,   /* this many bytes */
    LARGEST = 3 << 20,
    MOST = 4096,          /* maximum number of damaged bytes */
};

#define PATH "large.varve"

static struct {
    struct memory *memory;
    struct vv_context context;
    varve_reader *reader;
    unsigned char *bytes; /* the file */
    size_t size;
    size_t data_end;
    varve_saved_node values[VALUES]; /* sorted by offset */
    unsigned char *buffer;
    uint64_t random;
} bench;

/* The original bytes of a damaged range. */
struct damage {
    size_t begin, size;
    unsigned char good[MOST];
};

static uint64_t draw(uint64_t limit)
{
    return proof_next(&bench.random) % limit;
}

static size_t size_of_value(int i)
{
    return i % (VALUES / LARGE) == 0
        ? VV_CHUNK_SIZE + (size_t)draw(LARGEST - VV_CHUNK_SIZE)
        : (size_t)draw(SMALL_SIZE);
}

static void save(void)
{
    varve_graph *graph = vv_graph_new_in(&bench.context);
    varve_node *list = varve_add_list(varve_graph_root(graph), "values");
    unsigned char *memories[VALUES];
    varve_error error;
    for (int i = 0; i < VALUES; i++) {
        size_t size = size_of_value(i);
        memories[i] = malloc(size + 8);
        cr_assert(memories[i], "the machine is out of memory");
        for (size_t k = 0; k < size; k += 8) {
            uint64_t word = proof_next(&bench.random);
            memcpy(memories[i] + k, &word, sizeof word);
        }
        varve_add_variable(list, VARVE_APPEND,
            varve_view(memories[i], VARVE_UINT8, VARVE_SHAPE(size)));
    }
    cr_assert_ok(varve_write(varve_graph_root(graph), PATH,
        &(varve_write_options){ .no_sync = true }, &error), error);
    varve_graph_free(graph);
    for (int i = 0; i < VALUES; i++)
        free(memories[i]);
}

static void begin(void)
{
    bench.random = proof_seed();
    bench.memory = memory_new();
    bench.context = test_context(memory_system(bench.memory));
    save();
    varve_error error = { 0 };
    bench.reader = vv_reader_open_in(&bench.context, PATH, &error);
    cr_assert(bench.reader, "%s", error.message);
    bench.bytes = memory_bytes(bench.memory, PATH, &bench.size);
    bench.data_end = bench.reader->file.data_end;
    bench.buffer = malloc(LARGEST);
    int count = 0;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(bench.reader, i, &node); i++)
        if (node.has_value)
            bench.values[count++] = node;
    cr_assert_eq(count, VALUES);
    cr_assert_ok(varve_reader_verify(bench.reader, NULL, &error), error);
}

static void end(void)
{
    varve_error error;
    cr_assert_ok(varve_reader_verify(bench.reader, NULL, &error), error);
    varve_reader_free(bench.reader);
    memory_free(bench.memory);
    free(bench.buffer);
}

/* --- Damage --------------------------------------------------------------- */

/* Returns a random position; half of them are in a value of random size, and
 * some at the ends of the file. */
static size_t draw_place(void)
{
    uint64_t kind = draw(16);
    const varve_saved_node *value = &bench.values[draw(VALUES)];
    if (kind < 8 && value->size > 0)
        return (size_t)(value->offset + draw(value->size));
    if (kind == 8)
        return (size_t)draw(VV_HEADER_SIZE);
    if (kind == 9)
        return bench.data_end + (size_t)draw(bench.size - bench.data_end);
    return (size_t)draw(bench.size);
}

static void change(unsigned char *at, size_t size, uint64_t kind)
{
    size_t from = (size_t)draw(bench.size - size + 1);
    if (kind == 0)
        at[0] ^= (unsigned char)(1 << draw(8));
    else if (kind == 1)
        at[0] = (unsigned char)draw(256);
    else if (kind == 2)
        for (size_t i = 0; i < size; i++)
            at[i] = (unsigned char)draw(256);
    else if (kind == 3)
        memset(at, 0, size);
    else
        memmove(at, bench.bytes + from / size * size, size);
}

/* Damages the file. Returns false if no byte has changed. */
static bool make(struct damage *damage)
{
    static const size_t sizes[] = { 1, 1, 64, 512, 512, 4096 };
    uint64_t kind = draw(6);
    size_t size = kind == 2 ? 1 + (size_t)draw(64) : sizes[kind];
    size_t begin = draw_place();
    if (kind > 2)
        begin = begin / size * size;
    damage->begin = begin;
    damage->size = begin + size > bench.size ? 0 : size;
    if (damage->size == 0)
        return false;
    memcpy(damage->good, bench.bytes + begin, size);
    change(bench.bytes + begin, size, kind);
    return memcmp(damage->good, bench.bytes + begin, size) != 0;
}

static void undo(const struct damage *damage)
{
    memcpy(bench.bytes + damage->begin, damage->good, damage->size);
}

/* Returns the first changed byte of a range; `end` if there is none. */
static size_t first_changed(
    const struct damage *damage, size_t begin, size_t end)
{
    size_t at = begin > damage->begin ? begin : damage->begin;
    size_t last = damage->begin + damage->size;
    for (last = end < last ? end : last; at < last; at++)
        if (bench.bytes[at] != damage->good[at - damage->begin])
            return at;
    return end;
}

/* --- Finding it ----------------------------------------------------------- */

static void expect_refusal(const varve_saved_node *value, size_t place)
{
    varve_error error = { 0 };
    char range[64];
    size_t at = place - (size_t)value->offset;
    cr_assert_eq(varve_reader_read(bench.reader, value->id, bench.buffer,
        LARGEST, &error), VARVE_CORRUPT, "damage at %zu (%s) was read", place,
        value->path);
    snprintf(range, sizeof range, "%s: bytes %zu to ", value->path,
        (size_t)value->offset + at / VV_CHUNK_SIZE * VV_CHUNK_SIZE);
    cr_assert(strstr(error.message, range), "at %zu: expected \"%s\": %s",
        place, range, error.message);
}

/* Checks that an intact small value is read correctly. */
static void expect_right(const struct damage *damage)
{
    varve_error error = { 0 };
    const varve_saved_node *value = &bench.values[draw(VALUES)];
    size_t begin = (size_t)value->offset, end = begin + (size_t)value->size;
    if (value->size > SMALL_SIZE || first_changed(damage, begin, end) < end)
        return;
    cr_assert_ok(varve_reader_read(bench.reader, value->id, bench.buffer,
        LARGEST, &error), error);
    cr_assert_eq(memcmp(bench.buffer, bench.bytes + begin, end - begin), 0);
}

static void expect_bad_verify(size_t place)
{
    varve_error error = { 0 };
    cr_assert_eq(varve_reader_verify(bench.reader,
        &(varve_verify_options){ .threads = 1 }, &error), VARVE_CORRUPT,
        "damage at %zu passes for good", place);
}

static bool expect_bad_open(const struct damage *damage)
{
    size_t header = VV_HEADER_SIZE;
    bool is_head = first_changed(damage, 0, header) < header;
    bool is_end =
        first_changed(damage, bench.data_end, bench.size) < bench.size;
    varve_error error = { 0 };
    if (!is_head && !is_end)
        return false;
    varve_reader *reader = vv_reader_open_in(&bench.context, PATH, &error);
    cr_assert_null(reader, "damage at %zu is opened", damage->begin);
    cr_assert(strstr(error.message, PATH));
    return true;
}

/* Returns true if the damage was detected without verifying the whole file. */
static bool look(const struct damage *damage)
{
    bool is_found = expect_bad_open(damage);
    for (int i = 0; i < VALUES; i++) {
        const varve_saved_node *value = &bench.values[i];
        size_t begin = (size_t)value->offset;
        size_t end = begin + (size_t)value->size;
        if (end <= damage->begin)
            continue;
        if (begin >= damage->begin + damage->size)
            break;
        size_t place = first_changed(damage, begin, end);
        if (place == end)
            continue;
        expect_refusal(value, place);
        is_found = true;
    }
    expect_right(damage);
    return is_found;
}

TEST(large_damage, is_found_at_its_offset)
{
    uint64_t most = proof_size(1000, 1000000), tried = 0;
    uint64_t whole = 0, most_whole = proof_size(40, 4000);
    begin();
    while (tried < most) {
        struct damage damage;
        if (make(&damage)) {
            bool is_found = look(&damage);
            bool is_data = first_changed(&damage, VV_HEADER_SIZE,
                bench.data_end) < bench.data_end;
            bool is_turn = tried % (most / most_whole) == 0;
            if (is_data && (is_turn || (!is_found && whole < most_whole))) {
                expect_bad_verify(damage.begin);
                is_found = true;
                whole++;
            }
            tried += is_found;
        }
        undo(&damage);
    }
    cr_log_info("%zu bytes: %llu damages, all found; the whole file verified "
        "after %llu", bench.size, (unsigned long long)tried,
        (unsigned long long)whole);
    cr_assert_gt(whole, 0);
    proof_count("damage.large", tried);
    proof_count("damage.large_verified", whole);
    end();
}
