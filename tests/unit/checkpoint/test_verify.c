/* test_verify.c - Tests verification of checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "layout.h"
#include "reader.h"
#include "support/cut_pieces.h"

enum { LARGE = 400000 };

static float small[3] = { 1, 2, 3 };
static float large[LARGE];

static void write_model(void)
{
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(small, 3));
    varve_add_variable(root, "b", varve_array(large, LARGE));
    varve_add_variable(root, "c", varve_array(COPY_OF(small), 3));
    write_root(root);
    free_root(root);
}

struct found {
    int count;
    bool is_padding;
    uint64_t offset;
    char path[16];
};

static void note(void *user, const varve_damage *damage)
{
    struct found *found = user;
    cr_assert(found->count == 0 || damage->offset >= found->offset);
    cr_assert(damage->what && *damage->what && damage->size > 0);
    found->count++;
    found->offset = damage->offset;
    found->is_padding = !damage->path;
    snprintf(found->path, sizeof found->path, "%s",
        damage->path ? damage->path : "");
}

/* The next position: every byte of the first value, some of the padding after
 * it, and a few of the large value. */
static uint64_t next_position(uint64_t at)
{
    return at + (at < 200 ? 1 : at < 4200 ? 13 : 99991);
}

TEST(verify, finds_one_flipped_bit_anywhere_in_the_data)
{
    begin_world();
    write_model();
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    uint64_t end = reader->file.data_end;
    for (uint64_t at = 64; at < end; at = next_position(at)) {
        struct found found = { 0 };
        varve_verify_options options = { .on_damage = note,
            .on_damage_user = &found, .threads = 1 + (unsigned)at % 3 };
        bytes[at] ^= 1;
        cr_assert_eq(
            varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
        cr_assert_eq(found.count, 1, "%llu", (unsigned long long)at);
        cr_assert_leq(found.offset, at);
        bytes[at] ^= 1;
    }
    varve_reader_free(reader);
    end_world();
}

/* Columns of a matrix: each has its own chunks. */
TEST(verify, finds_one_flipped_bit_in_any_piece)
{
    enum { ROWS = 1000, COLUMNS = LARGE / ROWS, FIRST = 290 };
    static const varve_box boxes[] = {
        { .start = { 0, 0 }, .extents = { ROWS, FIRST } },
        { .start = { 0, FIRST }, .extents = { ROWS, COLUMNS - FIRST } },
    };
    varve_error error = { 0 };
    varve_saved_node node;
    size_t size;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(small, 3));
    varve_add_variable(root, "b", varve_array(large, ROWS, COLUMNS));
    varve_add_variable(root, "c", varve_array(COPY_OF(small), 3));
    write_root(root);
    free_root(root);
    cr_assert_ok(cut_into_pieces(
                     &world.context, FILE_NAME, "b", boxes, 2, &error),
        error);
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    cr_assert(varve_reader_find(reader, "b", &node));
    cr_assert_null(node.file, "not as it is read");
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    uint64_t begin = vv_at64(reader->file.parsed.index.value_offsets, 1);
    uint64_t edge = (uint64_t)ROWS * FIRST * sizeof *large;
    uint64_t places[] = { 0, VV_CHUNK_SIZE - 1, VV_CHUNK_SIZE, edge - 1, edge,
        sizeof large - 1 };
    uint64_t chunks[] = { 0, 0, VV_CHUNK_SIZE, VV_CHUNK_SIZE, edge, edge };
    for (int i = 0; i < 6; i++) {
        struct found found = { 0 };
        varve_verify_options options = { .on_damage = note,
            .on_damage_user = &found };
        bytes[begin + places[i]] ^= 1;
        cr_assert_eq(
            varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
        cr_assert_eq(found.count, 1);
        cr_assert_eq(found.offset, begin + chunks[i], "%d", i);
        cr_assert_str_eq(found.path, "b");
        bytes[begin + places[i]] ^= 1;
    }
    varve_reader_free(reader);
    end_world();
}

/* Any damage is found by one of the processes that share the work. */
TEST(verify, can_be_divided_among_processes)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (uint64_t at = 64; at < reader->file.data_end; at += 199999) {
        bytes[at] ^= 1;
        for (uint32_t count = 1; count < 5; count++) {
            uint32_t found = 0;
            for (uint32_t i = 0; i < count; i++)
                found += vv_reader_verify_share(reader, i, count, 0, &error) ==
                         VARVE_CORRUPT;
            cr_assert_eq(found, 1, "%llu", (unsigned long long)at);
        }
        bytes[at] ^= 1;
    }
    cr_assert_ok(vv_reader_verify_share(reader, 6, 7, 0, &error), error);
    varve_reader_free(reader);
    end_world();
}

TEST(verify, reports_all_damage_in_order)
{
    struct found found = { 0 };
    varve_verify_options options = { .on_damage = note,
        .on_damage_user = &found };
    varve_saved_node node;
    varve_error error = { 0 };
    size_t size;
    begin_world();
    write_model();
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t id = 1; id <= 3; id++) {
        varve_reader_node_at(reader, id, &node);
        bytes[node.offset] ^= 1;
        bytes[node.offset + node.size - 1] ^= 1;
    }
    cr_assert_eq(
        varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
    cr_assert_eq(found.count, 4); /* b has two chunks */
    cr_assert_str_eq(found.path, "c");
    cr_assert_not_null(strstr(error.message, "a"));
    varve_reader_free(reader);
    end_world();
}

static int cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    cr_assert(done <= total && what);
    return 1;
}

TEST(verify, can_be_cancelled)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert_eq(varve_reader_verify(reader,
                     &(varve_verify_options){
                         .progress = cancel, .threads = 1 },
                     &error),
        VARVE_CANCELLED);
    varve_reader_free(reader);
    end_world();
}

TEST(verify, handles_every_failed_allocation)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    bool hit = true;
    for (long n = 0; hit; n++) {
        test_fail_allocation(n, false);
        varve_status status = varve_reader_verify(reader, NULL, &error);
        hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    varve_reader_free(reader);
    end_world();
}

struct followed {
    uint64_t last;
    bool named_nothing;
};

static int follow(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct followed *f = user;
    cr_assert(done >= f->last && done < total && what);
    f->last = done;
    f->named_nothing |= *what == '\0';
    return 0;
}

/* A span begins at the end of the previous one, so the padding before the index
 * may be a span of its own. */
TEST(verify, checks_padding_at_the_end)
{
    enum { FIRST = 300001, LAST = VV_CHUNK_SIZE + 1010 };
    bool named_nothing = false;
    begin_world();
    for (size_t last = LAST - 70; last < LAST; last += 5) {
        unsigned char *value = calloc(FIRST + LAST, 1);
        varve_node *root = new_root();
        varve_add_variable(
            root, "a", varve_view(value, VARVE_UINT8, VARVE_SHAPE(FIRST)));
        varve_add_variable(root, "b",
            varve_view(value + FIRST, VARVE_UINT8, VARVE_SHAPE(last)));
        write_root(root);
        free_root(root);
        free(value);
        varve_error error = { 0 };
        size_t size;
        varve_reader *reader =
            vv_reader_open_in(&world.context, FILE_NAME, &error);
        unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
        struct followed followed = { 0 };
        varve_verify_options options = { .progress = follow,
            .progress_user = &followed, .threads = 1 };
        cr_assert_ok(varve_reader_verify(reader, &options, &error), error);
        named_nothing |= followed.named_nothing;
        varve_saved_node node;
        varve_reader_node_at(reader, 2, &node);
        uint64_t end = reader->file.data_end;
        if (node.offset + node.size < end) {
            bytes[end - 1] = 1;
            struct found found = { 0 };
            options = (varve_verify_options){ .on_damage = note,
                .on_damage_user = &found };
            cr_assert_eq(
                varve_reader_verify(reader, &options, &error), VARVE_CORRUPT);
            cr_assert(found.count == 1 && found.is_padding);
            cr_assert_not_null(strstr(error.message, "between the values"));
        }
        varve_reader_free(reader);
    }
    cr_assert(named_nothing, "no span was of padding alone");
    end_world();
}

TEST(verify, reports_all_damage_or_a_failed_allocation)
{
    varve_error error = { 0 };
    varve_saved_node node;
    bool was_tried = true;
    size_t size;
    begin_world();
    write_model();
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t id = 1; id <= 3; id++) {
        varve_reader_node_at(reader, id, &node);
        bytes[node.offset] ^= 1;
    }
    for (long n = 0; was_tried; n++) {
        struct found found = { 0 };
        varve_verify_options options = { .on_damage = note,
            .on_damage_user = &found };
        test_fail_allocation(n, false);
        varve_status status = varve_reader_verify(reader, &options, &error);
        was_tried = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_NO_MEMORY || status == VARVE_CORRUPT);
        cr_assert_eq(error.status, status);
        cr_assert_eq(found.count, status == VARVE_CORRUPT ? 3 : 0, "%ld", n);
        cr_assert_eq(varve_reader_verify(reader, NULL, NULL), VARVE_CORRUPT);
    }
    varve_reader_free(reader);
    end_world();
}

TEST(verify, accepts_a_null_error)
{
    begin_world();
    write_model();
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, NULL);
    cr_assert_eq(varve_reader_verify(reader,
                     &(varve_verify_options){
                         .progress = cancel, .threads = 1 },
                     NULL),
        VARVE_CANCELLED);
    varve_reader_free(reader);
    end_world();
}

#ifdef VV_HAVE_ZSTD
TEST(verify, reports_all_damage_of_compressed_data)
{
    static float middle[20000];
    const varve_write_options options = { .compress = 1 };
    varve_error error = { 0 };
    size_t size;
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < LARGE; i++)
        large[i] = (float)(i % 1000);
    varve_add_variable(root, "a", varve_array(middle, 20000));
    varve_add_variable(root, "b", varve_array(large, LARGE));
    varve_add_variable(root, "c", varve_array(COPY_OF(middle), 20000));
    varve_add_variable(root, "d", varve_array(small, 3));
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    const struct vv_index *index = &reader->file.parsed.index;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    uint32_t frames = 0;
    for (uint32_t i = 0; i < index->place_count; i++) {
        uint32_t packed = vv_at32(index->place_packed, i);
        struct found found = { 0 };
        const varve_verify_options verify = { .on_damage = note,
            .on_damage_user = &found };
        if (packed == 0)
            continue;
        /* no longer a valid frame */
        bytes[vv_at64(index->place_offsets, i)] ^= 1;
        cr_assert_eq(
            varve_reader_verify(reader, &verify, &error), VARVE_CORRUPT);
        cr_assert_eq(found.count, (int)++frames, "each is told");
        cr_assert_eq(found.offset, vv_at64(index->place_begins, i));
    }
    cr_assert_eq(frames, 1 + vv_chunk_count(LARGE * sizeof *large) + 1);
    cr_assert(strstr(error.message, "a"), "%s", error.message);
    varve_reader_free(reader);
    free_root(root);
    end_world();
}
#endif
