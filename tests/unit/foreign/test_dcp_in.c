/* test_dcp_in.c - Tests opening torch.distributed checkpoints: golden files
 * (tests/golden/foreign/make_dcp.py) and samples.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>

#include "formats.h"
#include "dcp_in.h"
#include "dcp_sample.h"
#include "support/faulty_system.h"

TEST(dcp_in, bids_for_the_metadata_whatever_it_is_called)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "\x80\4\x95\0\0\0\0\0\0\0\0\x8c\x25" DCP_MODULE "\x94\x8c\x8");
    struct vv_candidate c = { .path = "x", .head = b.data,
        .head_size = b.size };
    cr_assert_eq(vv_dcp_format.bid(&c), VV_BID_SURE);
    c.head_size = 20;
    cr_assert_eq(vv_dcp_format.bid(&c), VV_BID_NONE);
    b.data[20] ^= 1;
    c.head_size = b.size;
    cr_assert_eq(vv_dcp_format.bid(&c), VV_BID_NONE);
    vv_buffer_clear(&b);
}

/* --- Golden files --------------------------------------------------------- */

static struct world golden_world(void)
{
    struct world w = world_new();
    put_golden(&w, "dcp", ".metadata");
    put_golden(&w, "dcp", "__0_0.distcp");
    put_golden(&w, "dcp", "__1_0.distcp");
    return w;
}

static void check_golden(varve_reader *r)
{
    float rows[15], negated[15];
    int64_t columns[20], turned[20];
    for (int i = 0; i < 15; i++) {
        rows[i] = (float)i;
        negated[i] = -(float)i;
    }
    for (int i = 0; i < 20; i++) {
        columns[i] = i;
        turned[i / 5 + i % 5 * 4] = i;
    }
    check_value(r, "model/w.rows", "float32[5,3]", rows, sizeof rows);
    check_value(r, "model/w.columns", "int64[4,5]", columns, sizeof columns);
    check_value(r, "model/w.turned", "int64[5,4]", turned, sizeof turned);
    check_value(r, "optim/exp_avg(model/w.rows)", "float32[5,3]", negated,
        sizeof negated);
    check_value(r, "optim/param_groups/0/lr", "float64[]", &(double){ 0.5 }, 8);
    check_value(r, "epoch", "int64[]", &(int64_t){ 3 }, 8);
    check_value(r, "pair/0", "int64[2]", (int64_t[]){ 8, 9 }, 16);
    check_value(r, "pair/1", "string[]", "\4\0\0\0\0\0\0\0text", 12);
}

TEST(dcp_in, reads_what_processes_saved_as_one_state_dict)
{
    static const char *const names[] = { "d/.metadata", "d/__1_0.distcp" };
    struct world w = golden_world();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_error error = { 0 };
        struct vv_buffer found = new_bytes();
        vv_buffer_add_string(&found, names[i]);
        cr_assert_ok(vv_checkpoint_settle(&w.context, &found, &error), error);
        varve_reader *r = vv_reader_open_in(
            &w.context, vv_buffer_string(&found), &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_DCP);
        cr_assert(varve_reader_has_checksums(r));
        cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
        check_golden(r);
        varve_reader_free(r);
        vv_buffer_clear(&found);
    }
    world_free(&w);
}

TEST(dcp_in, leaves_nothing_without_memory)
{
    struct world w = golden_world();
    check_opening_without_memory(&w, "d/.metadata");
    world_free(&w);
}

TEST(dcp_in, survives_reads_that_fail)
{
    struct world w = golden_world();
    varve_error error = { 0 };
    varve_status status = VARVE_IO;
    for (int n = 0; status; n++) {
        int64_t columns[20];
        struct faulty *faulty = faulty_new(memory_system(w.memory));
        faulty_plan(faulty, &(struct faulty_plan){
            .kinds = FAULTY_READ, .number = n, .error = EIO });
        struct vv_context context = test_context(faulty_system(faulty));
        varve_reader *r = vv_reader_open_in(&context, "d/.metadata", &error);
        status = r ? varve_reader_read(r, find_node(r, "model/w.columns").id,
                         columns, sizeof columns, &error)
                   : error.status;
        cr_assert(!status || status == VARVE_IO, "%s", error.message);
        varve_reader_free(r);
        faulty_free(faulty);
        cr_assert_lt(n, 5000);
    }
    world_free(&w);
}

TEST(dcp_in, names_a_file_that_is_not_there_or_too_short)
{
    struct world w = golden_world();
    varve_error error = { 0 };
    size_t size;
    memory_bytes(w.memory, "d/__1_0.distcp", &size);
    memory_resize(w.memory, "d/__1_0.distcp", size - 1);
    cr_assert_null(vv_reader_open_in(&w.context, "d/.metadata", &error));
    cr_assert_eq(error.status, VARVE_TRUNCATED, "%s", error.message);
    cr_assert(strstr(error.message, "d/__1_0.distcp: "), "%s", error.message);
    struct world other = world_new();
    put_golden(&other, "dcp", ".metadata");
    put_golden(&other, "dcp", "__0_0.distcp");
    cr_assert_null(vv_reader_open_in(&other.context, "d/.metadata", &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "d/.metadata: the file "
        "\"__1_0.distcp\" is missing"), "%s",
        error.message);
    world_free(&other);
    world_free(&w);
}

/* --- Samples -------------------------------------------------------------- */

TEST(dcp_in, has_values_where_they_were)
{
    struct world w = world_new();
    struct dcp d = dcp_new();
    varve_error error = { 0 };
    dcp_pickle(&d, "a.b", "K\5.", 3);
    dcp_path(&d, "a.b", KEYS("a", "b"));
    dcp_pickle(&d, "a.l.0", "K\6.", 3);
    dcp_path(&d, "a.l.0", KEYS("a", "l", "#0"));
    dcp_pickle(&d, "c.d", "K\7.", 3); /* under its name only */
    dcp_pickle(&d, "none", "N.", 2);
    varve_reader *r = dcp_open(&w, &d, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "a/b", "int64[]", &(int64_t){ 5 }, 8);
    check_value(r, "a/l", "int64[1]", &(int64_t){ 6 }, 8);
    check_value(r, "c.d", "int64[]", &(int64_t){ 7 }, 8);
    cr_assert_eq(varve_reader_node_count(r), 5);
    varve_reader_free(r);
    world_free(&w);
}

TEST(dcp_in, refuses_names_that_leave_the_directory)
{
    static const char *const names[] = { "../d/__0_0.distcp", "/d/x", "..", "",
        "a/b" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct dcp d = dcp_new();
        dcp_object(&d, "a");
        dcp_part(&d, "a", NULL, 0, names[i], 0, 10);
        dcp_refused(&d, VARVE_CORRUPT,
            DCP_PATH ": \"a\": its file is not in the directory");
    }
}

TEST(dcp_in, refuses_values_that_are_nowhere_or_in_one_place)
{
    struct dcp d = dcp_new();
    dcp_object(&d, "a");
    dcp_refused(&d, VARVE_TRUNCATED,
        "\"a\": the object is in no file");
    d = dcp_new();
    dcp_pickle(&d, "a", "K\5.", 3);
    dcp_pickle(&d, "b", "K\5.", 3);
    dcp_path(&d, "b", KEYS("a", "x"));
    dcp_refused(&d, VARVE_CORRUPT, "\"b\": its keys conflict");
    d = dcp_new();
    put_text(&d.values, "a");
    OP(&d.values, "N");
    dcp_refused(&d, VARVE_CORRUPT, "\"a\": it is neither a tensor nor");
    d = dcp_new();
    OP(&d.values, "NN");
    dcp_refused(&d, VARVE_CORRUPT, "a key of state_dict_metadata");
}
