/* test_struct_bits.c - Tests bit-fields in a table: values like others,
 * although they have no address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

/* [bits] */
struct cpu {
    uint32_t pc;
    unsigned mode : 3;
    int offset : 5;
    bool is_halted : 1;
    uint64_t ticks : 40;
};

static const varve_field cpu_fields[] = {
    VARVE_FIELD(struct cpu, pc),
    VARVE_FIELD_BITS(struct cpu, mode),
    VARVE_FIELD_BITS(struct cpu, offset),
    VARVE_FIELD_BITS(struct cpu, is_halted),
    VARVE_FIELD_BITS(struct cpu, ticks),
    VARVE_FIELDS_END,
};
/* [/bits] */

static const struct cpu busy = { 7, 5, -9, true, 0x123456789a };

static void assert_busy(const struct cpu *cpu)
{
    cr_assert_eq(cpu->pc, 7);
    cr_assert_eq(cpu->mode, 5);
    cr_assert_eq(cpu->offset, -9);
    cr_assert(cpu->is_halted);
    cr_assert_eq(cpu->ticks, 0x123456789a);
}

static void write_cpu(const struct cpu *of)
{
    struct cpu cpu = *of;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "cpu", cpu_fields, &cpu);
    story_write(root, "f");
    varve_graph_free(graph);
}

static varve_dtype dtype_of(varve_node *node, const char *name)
{
    return varve_value(varve_find(node, name))->dtype;
}

TEST(struct_bits, are_saved_and_restored)
{
    write_cpu(&busy);
    for (int fill = 0; fill <= 0xff; fill += 0xff) {
        struct cpu cpu;
        memset(&cpu, fill, sizeof cpu);
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *node = varve_add_struct(root, "cpu", cpu_fields, &cpu);
        cr_assert_eq(dtype_of(node, "mode"), VARVE_UINT64);
        cr_assert_eq(dtype_of(node, "offset"), VARVE_INT64);
        cr_assert_eq(dtype_of(node, "is_halted"), VARVE_BOOL);
        varve_restoration *r = story_read(root, "f", NULL);
        story_consumed(r);
        varve_restoration_free(r);
        assert_busy(&cpu);
        varve_graph_free(graph);
    }
}

/* Each bit of each field: neighboring fields do not change. */
TEST(struct_bits, leave_neighbouring_bits_unchanged)
{
    static const struct cpu each[] = { { .mode = 1 }, { .mode = 4 },
        { .offset = 1 }, { .offset = -16 }, { .offset = 15 },
        { .is_halted = true }, { .ticks = 1 }, { .ticks = 1ull << 39 },
        { UINT32_MAX, 7, -1, true, (1ull << 40) - 1 } };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct cpu cpu = busy;
        write_cpu(&each[i]);
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_struct(root, "cpu", cpu_fields, &cpu);
        varve_restoration_free(story_read(root, "f", NULL));
        cr_assert_eq(cpu.pc, each[i].pc);
        cr_assert_eq(cpu.mode, each[i].mode);
        cr_assert_eq(cpu.offset, each[i].offset);
        cr_assert_eq(cpu.is_halted, each[i].is_halted);
        cr_assert_eq(cpu.ticks, each[i].ticks);
        varve_graph_free(graph);
    }
}

/* They are added after the read, and the struct moves between saves. */
TEST(struct_bits, are_restored_when_added_and_followed_when_moved)
{
    struct cpu cpu = { 0 }, moved = busy;
    write_cpu(&busy);
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    varve_node *node = varve_add_struct(root, "cpu", cpu_fields, &cpu);
    assert_busy(&cpu);
    varve_restoration_free(r);
    moved.mode = 2;
    varve_rebind_struct(node, &moved);
    story_write(root, "f");
    moved.mode = 0;
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(moved.mode, 2);
    assert_busy(&cpu);
    varve_graph_free(graph);
}

/* A number that does not fit is rejected, not truncated. */
TEST(struct_bits, refuse_values_that_are_too_large)
{
    static const struct {
        uint64_t mode;
        int64_t offset;
        const char *path;
    } bad[] = { { 8, 0, "mode" }, { UINT64_MAX, 0, "mode" },
        { 0, 16, "offset" }, { 0, -17, "offset" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t mode = bad[i].mode;
        int64_t offset = bad[i].offset;
        struct cpu cpu = busy;
        varve_error error;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *node = varve_add_object(root, "cpu");
        varve_add_variable(node, "mode", varve_scalar(&mode));
        varve_add_variable(node, "offset", varve_scalar(&offset));
        story_write(root, "f");
        varve_graph_free(graph);
        graph = story_graph();
        root = varve_graph_root(graph);
        varve_add_struct(root, "cpu", cpu_fields, &cpu);
        story_refused(root, "f", NULL, VARVE_CALLBACK, &error);
        cr_assert(story_says(&error, bad[i].path), "%s", error.message);
        assert_busy(&cpu);
        varve_graph_free(graph);
    }
}

static const varve_field twice[] = {
    VARVE_FIELD_BITS(struct cpu, mode),
    VARVE_FIELD_BITS(struct cpu, mode, .called = "again"),
    VARVE_FIELDS_END,
};

static const varve_field bytes[] = {
    VARVE_FIELD_BITS(struct cpu, offset),
    VARVE_FIELDS_END,
};

/* With two names for the same bits, the last restored value would win. */
TEST(struct_bits, must_not_be_in_two_values)
{
    struct cpu cpu = busy;
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "cpu", twice, &cpu);
    cr_assert_eq(varve_save(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "cpu/again: has the same memory as cpu/mode"),
        "%s", error.message);
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "cpu", bytes, &cpu);
    varve_add_struct(root, "same", cpu_fields, &cpu);
    cr_assert_eq(varve_save(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "same/offset"), "%s", error.message);
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "cpu", bytes, &cpu);
    varve_add_variable(root, "raw",
        varve_array((unsigned char *)&cpu, sizeof cpu));
    cr_assert_eq(varve_save(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "shares memory with cpu/offset"),
        "%s", error.message);
    varve_graph_free(graph);
}

TEST(struct_bits, are_restored_by_a_snapshot)
{
    struct cpu cpu = busy;
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "cpu", cpu_fields, &cpu);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert_not_null(s, "%s", error.message);
    cpu.ticks = 1;
    cpu.offset = 3;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    assert_busy(&cpu);
    varve_snapshot_free(s);
    varve_graph_free(graph);
}

TEST(struct_bits, are_restored_completely_or_not_when_allocations_fail)
{
    struct cpu cpu = busy;
    bool done = false;
    for (long n = 0; !done; n++) {
        varve_error error = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        test_fail_allocation(n, false);
        varve_node *node = varve_add_struct(root, "cpu", cpu_fields, &cpu);
        done = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        varve_status status = varve_graph_clear_error(graph, &error);
        cr_assert_eq(status, done ? VARVE_OK : VARVE_NO_MEMORY);
        if (!status)
            cr_assert_eq(varve_edge_count(node), 5);
        varve_graph_free(graph);
    }
}
