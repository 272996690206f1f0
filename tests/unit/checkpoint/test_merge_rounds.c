/* test_merge_rounds.c - Tests merging shards in rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge_rounds.h"

#include <errno.h>
#include <varve/rank_local.h>

#include "data_in.h"
#include "index.h"
#include "index_broadcast.h"
#include "save_together.h"
#include "support/faulty_system.h"
#include "together_world.h"
#include "worlds.h"

enum { LARGE = (2 << 20) + 5 };

static varve_status collect(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

static void fill(struct vv_buffer *column, size_t size, unsigned char first)
{
    unsigned char *at = vv_buffer_extend(column, size);
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(first + i / 7);
}

/* Two columns in turns, of which each comes back as one. */
static void begin_spill(struct vv_spill *spill, struct vv_buffer *digests)
{
    varve_error error = { 0 };
    struct vv_buffer boxes;
    vv_buffer_init(digests, test_allocator());
    vv_buffer_init(&boxes, test_allocator());
    cr_assert_ok(vv_spill_begin(spill, &world.context, VV_WORKING_DIRECTORY,
                     FILE_NAME, FILE_NAME, false, &error),
        error);
    for (int i = 0; i < 3; i++) {
        fill(digests, i == 1 ? LARGE : 100, (unsigned char)i);
        fill(&boxes, 16, 77);
        cr_assert_ok(
            vv_spill_add(spill, VV_KEY_DIGESTS, digests, &error), error);
        cr_assert_eq(digests->size, 0);
        cr_assert_ok(
            vv_spill_add(spill, VV_KEY_PIECE_BOXES, &boxes, &error), error);
    }
    vv_buffer_clear(&boxes);
    fill(digests, 100, 0);
    fill(digests, LARGE, 1);
    fill(digests, 100, 2);
}

TEST(spill, returns_columns_unchanged)
{
    struct vv_spill spill;
    struct vv_buffer digests, found;
    varve_error error = { 0 };
    begin_world();
    begin_spill(&spill, &digests);
    vv_buffer_init(&found, test_allocator());
    cr_assert_eq(spill.sizes[VV_KEY_DIGESTS], LARGE + 200);
    cr_assert_eq(spill.sizes[VV_KEY_PIECE_BOXES], 48);
    cr_assert_eq(spill.sizes[VV_KEY_PLACE_BEGINS], 0);
    for (int i = 0; i < 2; i++) {
        found.size = 0;
        cr_assert_ok(vv_spill_give(
                         &spill, VV_KEY_DIGESTS, collect, &found, &error),
            error);
        cr_assert_eq(found.size, digests.size);
        cr_assert(memcmp(found.data, digests.data, found.size) == 0);
    }
    found.size = 0;
    cr_assert_ok(vv_spill_give(
                     &spill, VV_KEY_PIECE_BOXES, collect, &found, &error),
        error);
    cr_assert_eq(found.size, 48);
    vv_spill_end(&spill);
    cr_assert_eq(memory_file_count(world.memory), 0);
    vv_buffer_clear(&digests);
    vv_buffer_clear(&found);
    end_world();
}

TEST(spill, detects_changed_bytes)
{
    struct vv_spill spill;
    struct vv_buffer digests, found;
    varve_error error = { 0 };
    size_t size;
    begin_world();
    begin_spill(&spill, &digests);
    vv_buffer_init(&found, test_allocator());
    memory_bytes(world.memory, memory_file_path(world.memory, 0), &size)[0] ^=
        1;
    cr_assert_eq(
        vv_spill_give(&spill, VV_KEY_DIGESTS, collect, &found, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "a.varve: temporary file: bytes 0 to 100"),
        "%s", error.message);
    vv_spill_end(&spill);
    vv_buffer_clear(&digests);
    vv_buffer_clear(&found);
    end_world();
}

enum { MOST_RANKS = 7, ALL_AT_ONCE = 1 << 30 };

struct saving {
    uint64_t most_at_once;
    uint32_t wide;
    const char *path;
    bool do_overlap; /* the first value of two ranks overlaps */
    bool has_private;
    varve_status statuses[MOST_RANKS];
    varve_error errors[MOST_RANKS];
};

/* Adds values that differ between ranks; some ranks have none. */
static void add_private(
    varve_node *root, const char *name, const varve_comm *comm, int32_t *rows)
{
    varve_node *mine = varve_add_rank_local(root, name, comm, NULL);
    for (uint32_t i = 0; i < comm->rank % 4; i++) {
        char text[] = "n0";
        text[1] = (char)('0' + i);
        for (int k = 0; k < 400; k++)
            rows[400 * i + (uint32_t)k] = (int32_t)(comm->rank * i) + k;
        varve_add_variable(
            mine, text, varve_array(rows + 400 * i, 100 * (i + 1)));
    }
}

static void save(const varve_comm *comm, void *user)
{
    struct saving *s = user;
    uint32_t i = comm->rank;
    varve_error *error = &s->errors[i];
    struct part *p = new_part(comm, s->wide, true);
    float slice[1] = { 1 }, twice[2] = { 1, 2 };
    int32_t common[5000] = { 0 }, more[500] = { 0 };
    int32_t rows[2][1200];
    uint64_t start = i;
    if (s->has_private)
        add_private(p->root, "before", comm, rows[0]);
    /* Between slices, and after them. */
    varve_add_variable(p->root, "common", varve_array(common, 5000));
    varve_add_slice(p->root, "slice", varve_array(slice, 1),
        VARVE_SHAPE(comm->size), &start);
    varve_add_variable(p->root, "more", varve_array(more, 500));
    if (s->has_private)
        add_private(p->root, "zz", comm, rows[1]);
    if (s->do_overlap)
        varve_add_slice(p->root, "twice", varve_array(twice, i ? 1 : 2),
            VARVE_SHAPE(comm->size), &start);
    struct vv_save_plan save_plan = { .counter = 0 };
    struct vv_save_together together = {
        .comm = comm, .save_plan = &save_plan, .most_at_once = s->most_at_once
    };
    varve_status status = vv_save_together_begin(&together,
        &(struct vv_save_request){ .root = p->root, .target = s->path }, error);
    bool has_save_plan = together.has_share;
    s->statuses[i] = vv_save_together_write(&together, status, s->path, error);
    vv_save_together_end(&together);
    if (has_save_plan)
        vv_save_plan_clear(&save_plan);
    free_part(p);
}

static long save_by(uint32_t ranks, struct saving *s)
{
    long calls = thread_comm_run(ranks, 2, -1, save, s);
    for (uint32_t i = 0; i < ranks; i++)
        cr_assert_eq(
            s->statuses[i], s->statuses[0], "%s", s->errors[i].message);
    return calls;
}

/* --- Comparison with a single round --------------------------------------- */

/* Compares indexes without the nonces of data files, which are random. */
static void compare_indices(const char *one, const char *other)
{
    struct vv_opened files[2];
    varve_error error = { 0 };
    cr_assert_ok(
        vv_data_in_open(&files[0], &world.context, one, &error), error);
    cr_assert_ok(
        vv_data_in_open(&files[1], &world.context, other, &error), error);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        const struct vv_column *column = &vv_columns[i];
        const struct vv_index *a = &files[0].parsed.index;
        const struct vv_index *b = &files[1].parsed.index;
        uint64_t count = vv_column_count(column, a);
        cr_assert_eq(count, vv_column_count(column, b), "%s", column->name);
        if (count == 0 || column->key == VV_KEY_LAYER_NONCES)
            continue;
        cr_assert(memcmp(vv_column_bytes(column, a),
                      vv_column_bytes(column, b),
                      (size_t)count * column->element) == 0,
            "%s", column->name);
    }
    vv_opened_close(&files[0]);
    vv_opened_close(&files[1]);
}

static void check_no_temporary(void)
{
    for (size_t i = 0; i < memory_file_count(world.memory); i++)
        cr_assert_null(strstr(memory_file_path(world.memory, i), ".tmp"));
}

static void compare_rounds(bool has_private)
{
    static const uint64_t most[] = { 1, 200, 600 };
    begin_world();
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++) {
        for (uint32_t wide = 1; wide <= 3 && wide <= ranks; wide++) {
            struct saving s = { .most_at_once = ALL_AT_ONCE,
                .wide = wide,
                .has_private = has_private,
                .path = "all.varve" };
            long calls = save_by(ranks, &s);
            for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
                struct saving rounds = { .most_at_once = most[i],
                    .wide = wide,
                    .has_private = has_private,
                    .path = "rounds.varve" };
                cr_assert_ok(s.statuses[0], s.errors[0]);
                long more = save_by(ranks, &rounds);
                cr_assert_ok(rounds.statuses[0], rounds.errors[0]);
                cr_assert_gt(more, calls);
                compare_indices("all.varve", "rounds.varve");
                check_no_temporary();
            }
        }
    }
    end_world();
}

TEST(merge_rounds, give_the_same_result_as_a_single_merge)
{
    compare_rounds(false);
}

TEST(merge_rounds, include_rank_local_values)
{
    compare_rounds(true);
}

/* --- Very many slices ----------------------------------------------------- */

enum { CROWD = 48, SLICES = 8000, FEW = 3 };

/* Each rank has an element of each value, or in a restoration of some. */
struct crowd {
    bool saves;
    varve_status statuses[CROWD];
    varve_error errors[CROWD];
    bool is_right[CROWD];
};

static int32_t element(uint64_t value, uint64_t i)
{
    return (int32_t)(value * CROWD + i);
}

static void add_elements(varve_node *root, const varve_comm *comm,
    int32_t *elements, bool has_values)
{
    uint64_t count = CROWD / comm->size, start = comm->rank * count;
    for (uint64_t v = 0; v < SLICES; v++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", (int)v);
        for (uint64_t i = 0; i < count; i++)
            elements[v * count + i] = has_values ? element(v, start + i) : -1;
        varve_add_slice(root, name,
            varve_array(elements + v * count, count), VARVE_SHAPE(CROWD),
            &start);
    }
}

static bool are_elements(const varve_comm *comm, const int32_t *elements)
{
    uint64_t count = CROWD / comm->size, start = comm->rank * count;
    bool are = true;
    for (uint64_t v = 0; v < SLICES; v++) {
        for (uint64_t i = 0; i < count; i++)
            are &= elements[v * count + i] == element(v, start + i);
    }
    return are;
}

static void run_crowd(const varve_comm *comm, void *user)
{
    struct crowd *crowd = user;
    uint32_t i = comm->rank;
    int32_t *elements =
        calloc((size_t)SLICES * CROWD / comm->size, sizeof *elements);
    varve_node *root = new_root();
    add_elements(root, comm, elements, crowd->saves);
    varve_restoration *r = NULL;
    if (crowd->saves)
        crowd->statuses[i] =
            varve_write_all(comm, root, FILE_NAME, NULL, &crowd->errors[i]);
    else if (!(r = varve_read_all(
                   comm, root, FILE_NAME, NULL, &crowd->errors[i])))
        crowd->statuses[i] = crowd->errors[i].status;
    crowd->is_right[i] = are_elements(comm, elements);
    varve_restoration_free(r);
    free_root(root);
    free(elements);
}

TEST(merge_rounds, are_used_for_very_many_slices)
{
    struct vv_opened file;
    varve_error error = { 0 };
    begin_world();
    for (int i = 0; i < 2; i++) {
        struct crowd crowd = { .saves = i == 0 };
        uint32_t ranks = i == 0 ? CROWD : FEW;
        thread_comm_run(ranks, 8, -1, run_crowd, &crowd);
        for (uint32_t k = 0; k < ranks; k++) {
            cr_assert_ok(crowd.statuses[k], crowd.errors[k]);
            cr_assert(crowd.is_right[k], "rank %u", k);
        }
    }
    cr_assert_ok(
        vv_data_in_open(&file, &world.context, FILE_NAME, &error), error);
    const struct vv_index *index = &file.parsed.index;
    cr_assert_eq(index->pieced_count, SLICES);
    cr_assert_gt(index->digest_count * (16 + 16 + VV_DIGEST_SIZE),
        VV_MOST_AT_ONCE, "it takes rounds");
    cr_assert_gt(index->box_number_count * 8, VV_MOST_TOLD, "boxes stay");
    vv_opened_close(&file);
    check_no_temporary();
    end_world();
}

/* --- Memory --------------------------------------------------------------- */

TEST(merge_rounds, are_not_used_for_few_values)
{
    float values[10] = { 0 };
    struct vv_save_plan save_plan;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < 10; i++) {
        char name[8];
        uint64_t start = 0;
        snprintf(name, sizeof name, "v%d", i);
        varve_add_slice(root, name, varve_array(values, 10),
            VARVE_SHAPE(1000), &start);
        snprintf(name, sizeof name, "w%d", i);
        varve_add_variable(root, name, varve_array(values, 10));
    }
    cr_assert_ok(
        vv_save_plan_gather_of(
            &save_plan, root, VV_OF_SEVERAL, NULL, &error), error);
    /* A box, its size, offset and digest for each rank, and one for the whole
     * value. */
    uint64_t each = 100 * (16 + 16 + 16) + 16;
    struct vv_rounds rounds = {
        .save_plan = &save_plan, .ranks = 100, .most = 10 * each
    };
    cr_assert_not(vv_needs_rounds(&rounds));
    rounds.most = 3 * each;
    cr_assert(vv_needs_rounds(&rounds));
    for (size_t i = 0; i < 4; i++) {
        cr_assert(vv_rounds_next(&rounds));
        cr_assert_eq(rounds.begin, 3 * i);
        cr_assert_eq(rounds.end, i < 3 ? 3 * i + 3 : 10);
        cr_assert_eq(
            rounds.value_end, i < 3 ? 3 * i + 3 : save_plan.value_count);
    }
    cr_assert_not(vv_rounds_next(&rounds));
    vv_save_plan_clear(&save_plan);
    free_root(root);
    end_world();
}

/* --- Failures ------------------------------------------------------------- */

TEST(merge_rounds, report_the_ranks_whose_slices_overlap)
{
    struct saving s = { .most_at_once = 1, .wide = 1, .do_overlap = true,
        .path = FILE_NAME };
    begin_world();
    save_by(3, &s);
    cr_assert_eq(s.statuses[0], VARVE_MISUSE);
    cr_assert(strstr(s.errors[1].message,
                  "a.varve: twice: the shards of float32[3] overlap: element "
                  "[1] is at rank 0 and rank 1"),
        "%s", s.errors[1].message);
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

/* Checks that either the old or the new file exists, and no other. */
static void check_whole(const struct saving *s)
{
    struct vv_opened file;
    varve_error error = { 0 };
    cr_assert_ok(
        vv_data_in_open(&file, &world.context, s->path, &error), error);
    vv_opened_close(&file);
}

TEST(merge_rounds, report_a_failed_call_on_all_ranks)
{
    bool is_over = false;
    long failures = 0;
    begin_world();
    struct saving s = { .most_at_once = 400, .wide = 1, .has_private = true,
        .path = FILE_NAME };
    save_by(3, &s);
    struct faulty *faulty = faulty_new(world.context.system);
    const struct vv_system *before = world.context.system;
    world.context.system = faulty_system(faulty);
    for (long number = 0; !is_over; number++) {
        faulty_plan(
            faulty, &(struct faulty_plan){ .number = number, .error = EIO });
        save_by(3, &s);
        is_over = !faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        failures += s.statuses[0] != VARVE_OK;
        check_whole(&s);
    }
    cr_assert_geq(failures, 20);
    cr_assert_eq(faulty_open_count(faulty), 0);
    world.context.system = before;
    faulty_free(faulty);
    end_world();
}

TEST(merge_rounds, report_failed_allocations_on_all_ranks)
{
    bool is_over = false;
    begin_world();
    struct saving s = { .most_at_once = 400, .wide = 1, .has_private = true,
        .path = FILE_NAME };
    save_by(2, &s);
    long blocks = test_block_count();
    for (long number = 0; !is_over; number++) {
        test_fail_allocation(number, number % 2);
        thread_comm_run(2, 2, -1, save, &s);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        for (int i = 0; i < 2; i++)
            cr_assert(s.statuses[i] == s.statuses[0] &&
                          (!s.statuses[i] || s.statuses[i] == VARVE_NO_MEMORY),
                "%ld: %s", number, s.errors[i].message);
        cr_assert_eq(test_block_count(), blocks);
    }
    check_no_temporary();
    end_world();
}

TEST(merge_rounds, end_after_a_lost_rank)
{
    begin_world();
    struct saving s = { .most_at_once = 400, .wide = 1, .path = FILE_NAME };
    long calls = save_by(3, &s);
    for (long i = 0; i < calls; i++) {
        thread_comm_run(3, 0, i, save, &s);
        for (int k = 0; k < 3; k++)
            cr_assert(s.statuses[k] == VARVE_DISCONNECTED ||
                      (k == 0 && s.statuses[k] == VARVE_OK));
        check_whole(&s);
    }
    end_world();
}
