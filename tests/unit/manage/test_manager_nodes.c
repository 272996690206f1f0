/* test_manager_nodes.c - Tests managers with a directory for each node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node_world.h"

#include <errno.h>

static const uint32_t schemes[] = { VARVE_XOR, VARVE_PARTNER };

/* --- Saving and resuming ------------------------------------------------ */

TEST(manager_nodes, have_a_directory_for_each_rank)
{
    begin_nodes(4, VARVE_XOR);
    nodes.share = 2; /* ranks 0 and 1 share a node */
    nodes.options.keep_last = 2;
    cr_assert_ok(save_steps(10, 13), nodes.errors[0]);
    cr_assert(has_file("node-0/run/rank-0/ckpt-4.varve"));
    cr_assert(has_file("node-0/run/rank-1/ckpt-4.parity"));
    cr_assert(has_file("node-1/run/rank-3/ckpt-3.varve"));
    cr_assert_eq(count_files("", ".varve"), 4 * 2);
    cr_assert_eq(count_files("", ".parity"), 4 * 2);
    cr_assert_eq(count_files("", ".tmp"), 0);
    cr_assert_eq(resume_all(), 13);
    end_nodes();
}

TEST(manager_nodes, resume_after_the_loss_of_any_node)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t lost = 0; lost < 4; lost++) {
            begin_nodes(8, schemes[s]);
            nodes.share = 2;
            nodes.options.keep_last = 1;
            cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
            lose_node(lost);
            cr_assert_eq(resume_all(), 3);
            lose_node((lost + 1) % 4); /* rebuilt files count */
            nodes.from = 4;
            nodes.to = 5;
            cr_assert_ok(run_life(), nodes.errors[0]);
            cr_assert_eq(nodes.steps[0], 3);
            cr_assert_eq(resume_all(), 5);
            cr_assert_eq(count_files("", ".varve"), 8);
            end_nodes();
        }
}

TEST(manager_nodes, report_lost_ranks_and_start_from_the_beginning)
{
    begin_nodes(4, VARVE_XOR);
    cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
    lose_node(1);
    lose_node(2);
    cr_assert_eq(resume_all(), -1);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_str_eq(nodes.passed_over[i],
            "rank 0: node-0/run/rank-0/ckpt-2.varve: too many files are "
            "lost: at most one node of a group of 4 can be lost, but ranks 1 "
            "(node 1), 2 (node 2) have lost files\nrank 0: "
            "node-0/run/rank-0/ckpt-1.varve: "
            "too many files are lost: at most one node of a group of 4 can "
            "be lost, but ranks 1 (node 1), 2 (node 2) have lost files\n");
    nodes.from = nodes.to = 7;
    cr_assert_ok(run_life(), nodes.errors[0]);
    lose_node(0);
    cr_assert_eq(resume_all(), 7);
    end_nodes();
}

/* Remains of sets that cannot be resumed do not displace those that can. */
TEST(manager_nodes, resume_from_the_newest_set_that_can_be_rebuilt)
{
    begin_nodes(4, VARVE_XOR);
    nodes.options.keep_last = 2;
    cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
    /* The other ranks have the number. */
    lose_path("node-0/run/rank-0/ckpt-2.varve");
    lose_path("node-2/run/rank-2/ckpt-2.varve");
    nodes.from = nodes.to = 8;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(nodes.steps[0], 1);
    cr_assert_eq(resume_all(), 8);
    lose_path("node-0/run/rank-0/ckpt-3.varve");
    lose_path("node-2/run/rank-2/ckpt-3.parity");
    cr_assert_eq(resume_all(), 1);
    end_nodes();
}

/* A copy of the files of a node that is temporarily away. */
struct away {
    char paths[16][64];
    unsigned char *bytes[16];
    size_t sizes[16], count;
};

static void take_away(struct away *a, const char *beginning)
{
    a->count = 0;
    for (size_t i = 0; i < memory_file_count(nodes.memory); i++) {
        const char *path = memory_file_path(nodes.memory, i);
        if (strncmp(path, beginning, strlen(beginning)) != 0)
            continue;
        size_t k = a->count++, size;
        const unsigned char *bytes = memory_bytes(nodes.memory, path, &size);
        snprintf(a->paths[k], sizeof a->paths[k], "%s", path);
        a->bytes[k] = malloc(size + 1);
        cr_assert(a->bytes[k]);
        memcpy(a->bytes[k], bytes, size);
        a->sizes[k] = size;
    }
}

static void bring_back(const struct away *a)
{
    for (size_t i = 0; i < a->count; i++)
        memory_put(nodes.memory, a->paths[i], a->bytes[i], a->sizes[i]);
}

static void free_away(struct away *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->bytes[i]);
}

/* Returns true if a file has this content. */
static bool has_bytes(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < memory_file_count(nodes.memory); i++) {
        size_t other;
        const char *path = memory_file_path(nodes.memory, i);
        const unsigned char *found = memory_bytes(nodes.memory, path, &other);
        if (other == size && memcmp(found, bytes, size) == 0)
            return true;
    }
    return false;
}

/* Counts checkpoints and parity files that are gone; ledgers are excluded. */
static size_t count_overwritten(const struct away *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        count += strstr(a->paths[i], "/ckpt-") &&
                 !has_bytes(a->bytes[i], a->sizes[i]);
    return count;
}

/* Both runs have saved numbers 1 to 3; either set of number 3 can be rebuilt
 * from the files of one node. The older files are kept under other names. */
TEST(manager_nodes, resume_from_the_set_of_the_younger_run)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct away away, younger;
        char beginning[16], other[16];
        uint32_t node = i % 2;
        begin_nodes(2, schemes[i / 2]);
        snprintf(other, sizeof other, "node-%u/", (unsigned)!node);
        snprintf(beginning, sizeof beginning, "node-%u/", (unsigned)node);
        cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
        take_away(&away, beginning);
        lose_node(0);
        lose_node(1);
        memory_set_now(nodes.memory, INT64_C(5000000000));
        cr_assert_ok(save_steps(11, 13), nodes.errors[0]);
        take_away(&younger, other);
        lose_node(node);
        bring_back(&away);
        for (int k = 0; k < 2; k++) {
            int64_t lineage = resume_all();
            cr_assert_eq(lineage, 13, "node %u", (unsigned)node);
            cr_assert(
                strstr(nodes.warnings[node], "another run saved this file than "
                                             "the checkpoint with this") ||
                    k == 1,
                "%s", nodes.warnings[node]);
            cr_assert_eq(count_overwritten(&away), 0);
            cr_assert_eq(count_overwritten(&younger), 0);
            cr_assert_eq(count_files("", ".varve"), 3 * 3);
        }
        free_away(&away);
        free_away(&younger);
        end_nodes();
    }
}

TEST(manager_nodes, require_the_number_of_ranks_of_the_save)
{
    begin_nodes(4, VARVE_XOR);
    cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
    lose_node(0);
    for (uint32_t count = 3; count <= 5; count += 2) {
        nodes.count = count;
        cr_assert_eq(run_life(), VARVE_MISMATCH);
        cr_assert(strstr(nodes.errors[0].message,
                      "saved by 4 ranks, but this job has"),
            "%s", nodes.errors[0].message);
    }
    end_nodes();
}

/* The groups are those of the save, regardless of where ranks run now. */
TEST(manager_nodes, may_be_resumed_on_fewer_nodes)
{
    begin_nodes(6, VARVE_XOR);
    cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
    lose_node(5);
    nodes.redundancy.domain = 0;
    cr_assert_eq(resume_all(), 2);
    end_nodes();
}

/* Ranks have files of different sizes, and keep the same sets. */
TEST(manager_nodes, keep_the_same_sets_by_bytes)
{
    size_t size, largest = 0;
    begin_nodes(5, VARVE_XOR);
    cr_assert_ok(save_steps(1, 1), nodes.errors[0]);
    for (uint32_t i = 0; i < nodes.count; i++) {
        char path[64];
        snprintf(path, sizeof path, "node-%u/run/rank-%u/ckpt-1.varve", i, i);
        cr_assert(memory_bytes(nodes.memory, path, &size));
        largest = size > largest ? size : largest;
    }
    for (size_t sets = 0; sets <= 3; sets++) {
        nodes.options.keep_bytes = (sets + 1) * largest - 1;
        cr_assert_ok(save_more_steps(2, 6), nodes.errors[0]);
        cr_assert_eq(count_files("", ".varve"),
            (sets ? sets : 1) * nodes.count, "%zu sets", sets);
        cr_assert_eq(count_files("", ".parity"),
            (sets ? sets : 1) * nodes.count, "%zu sets", sets);
        lose_node((uint32_t)sets);
        cr_assert_eq(resume_all(), 6);
    }
    end_nodes();
}

/* --- Refused configurations --------------------------------------------- */

static void check_refused(const char *message)
{
    cr_assert_eq(save_steps(1, 1), VARVE_MISUSE);
    const char *found = strstr(nodes.errors[0].message, "redundancy: ");
    cr_assert(found, "%s", nodes.errors[0].message);
    cr_assert_str_eq(found + strlen("redundancy: "), message);
}

TEST(manager_nodes, refuse_incompatible_options)
{
    const varve_write_options incremental = { .incremental = true };
    const varve_read_options salvage = { .salvage.on = true };
    begin_nodes(4, VARVE_XOR);
    nodes.options.number_by_step = true;
    check_refused("requires a manager that counts its checkpoints, but found "
                  "`number_by_step`");
    nodes.options = (varve_manager_options){ .async = true };
    check_refused("requires a manager without asynchronous saves, but found "
                  "`async`");
    nodes.options = (varve_manager_options){ .write = &incremental };
    check_refused(
        "requires a manager without incremental checkpoints, "
        "but found `write.incremental`");
    nodes.options = (varve_manager_options){ .read = &salvage };
    check_refused("requires a manager that restores intact checkpoints only, "
                  "but found `read.salvage.on`");
    nodes.options = (varve_manager_options){ 0 };
    nodes.redundancy.group_size = 33;
    check_refused("`group_size` must be 2 to 32 nodes, found 33");
    nodes.redundancy.group_size = 1;
    check_refused("`group_size` must be 2 to 32 nodes, found 1");
    nodes.redundancy = (varve_redundancy){ 0 };
    check_refused(
        "`scheme` must be VARVE_XOR or VARVE_PARTNER, found 0");
    nodes.redundancy.scheme = VARVE_XOR;
    nodes.share = 3; /* ranks 0, 1 and 2 on one node */
    check_refused("a node may run at most half of the 4 ranks, but 3 run on "
                  "node 0");
    for (size_t i = 0; i < memory_file_count(nodes.memory); i++)
        cr_assert(strstr(memory_file_path(nodes.memory, i), ".lock"));
    end_nodes();
}

TEST(manager_nodes, need_a_communicator)
{
    varve_error error = { 0 };
    const varve_redundancy xor = { .scheme = VARVE_XOR };
    const varve_manager_options options = { .redundancy = &xor };
    varve_graph *graph = varve_graph_new(NULL);
    cr_assert(!varve_manager_new(
        varve_graph_root(graph), "nowhere", &options, &error));
    cr_assert_str_eq(error.message,
        "redundancy: requires a manager with `comm`, but found no `comm`");
    varve_graph_free(graph);
}

/* --- Other operations --------------------------------------------------- */

static struct {
    varve_status pins, unpins, refreshes, prunes, numbers;
    size_t count;
} rest[MOST_RANKS];

static void use_the_rest(const varve_comm *comm, void *user)
{
    struct node_rank r;
    uint32_t i = comm->rank;
    (void)user;
    cr_assert(build_node(&r, comm));
    for (int64_t step = 1; step <= 3; step++) {
        set_values(&r, step);
        cr_assert_eq(varve_manager_save(r.manager, step, NULL), VARVE_OK);
        if (step == 1)
            rest[i].pins = varve_manager_pin(r.manager, 1, NULL);
    }
    rest[i].count = varve_manager_count(r.manager);
    rest[i].numbers = varve_manager_pin(r.manager, i, &nodes.errors[i]);
    rest[i].unpins = varve_manager_unpin(r.manager, 1, NULL);
    rest[i].refreshes = varve_manager_refresh(r.manager, NULL);
    rest[i].prunes = varve_manager_prune(r.manager, NULL);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

TEST(manager_nodes, pin_refresh_and_prune_together)
{
    begin_nodes(3, VARVE_PARTNER);
    nodes.options.keep_last = 1;
    thread_comm_run(3, 1, -1, use_the_rest, NULL);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rest[i].pins, VARVE_OK);
        cr_assert_eq(rest[i].count, 2);
        cr_assert_eq(rest[i].numbers, VARVE_MISUSE);
        cr_assert_eq(rest[i].unpins, VARVE_OK);
        cr_assert_eq(rest[i].refreshes, VARVE_OK);
        cr_assert_eq(rest[i].prunes, VARVE_OK);
    }
    cr_assert_eq(count_files("", ".varve"), 3);
    cr_assert_eq(count_files("", ".parity"), 3);
    end_nodes();
}

/* A prune of incomplete sets keeps those that can be resumed. */
static void prune_only(const varve_comm *comm, void *user)
{
    struct node_rank r;
    (void)user;
    cr_assert(build_node(&r, comm));
    nodes.got[comm->rank] =
        varve_manager_prune(r.manager, &nodes.errors[comm->rank]);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

TEST(manager_nodes, prune_no_set_that_a_resume_would_use)
{
    begin_nodes(4, VARVE_XOR);
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    lose_path("node-1/run/rank-1/ckpt-3.varve");
    lose_path("node-3/run/rank-3/ckpt-3.varve");
    lose_path("node-2/run/rank-2/ckpt-2.varve");
    nodes.options.keep_last = 1;
    thread_comm_run(4, 1, -1, prune_only, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_ok(nodes.got[i], nodes.errors[i]);
    cr_assert_eq(resume_all(), 2);
    end_nodes();
}

/* Parity files and older sets are rebuilt while the program continues. */
TEST(manager_nodes, rebuild_other_files_asynchronously_after_a_resume)
{
    for (int s = 0; s < 2; s++) {
        begin_nodes(4, schemes[s]);
        nodes.options.keep_last = 3;
        cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
        lose_node(2);
        cr_assert_eq(resume_all(), 3);
        cr_assert_eq(count_files("node-2/", ".varve"), 3);
        cr_assert_eq(count_files("node-2/", ".parity"), 3);
        lose_files("node-0/run/rank-0/ckpt-3");
        lose_node(3);
        cr_assert_eq(resume_all(), 2, "set 3 has lost two");
        end_nodes();
    }
}

/* --- Failures ----------------------------------------------------------- */

/* If one rank cannot save, no rank keeps a file. */
TEST(manager_nodes, leave_no_file_of_a_save_that_failed_on_one_rank)
{
    begin_nodes(3, VARVE_XOR);
    nodes.options.keep_last = 1;
    cr_assert_ok(save_steps(1, 1), nodes.errors[0]);
    for (unsigned kind = 0; kind < 2; kind++) {
        struct faulty *faulty = faulty_new(memory_system(nodes.memory));
        nodes.contexts[1].system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){ .number = 0,
                                .sticky = true,
                                .error = ENOSPC,
                                .kinds = kind ? FAULTY_WRITE : FAULTY_SYNC });
        cr_assert_eq(save_more_steps(2, 2), VARVE_NO_SPACE);
        nodes.contexts[1].system = memory_system(nodes.memory);
        faulty_free(faulty);
        cr_assert_eq(count_files("", ".varve"), 3);
        cr_assert_eq(count_files("", ".parity"), 3);
    }
    cr_assert_eq(resume_all(), 1);
    nodes.from = nodes.to = 2;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(resume_all(), 2);
    end_nodes();
}

/* Checks that reported saves exist, even if another node is lost. */
static void check_survives(uint32_t lost, const char *when, long n)
{
    int64_t saved = nodes.saved;
    lose_node(lost);
    int64_t step = resume_all();
    cr_assert(step >= saved && step <= saved + 1,
        "%s %ld, without node %u: expected step %d, found %d\n%s", when, n,
        lost, (int)saved, (int)step, nodes.passed_over[0]);
    cr_assert_eq(resume_all(), step);
}

/* The disk of a node fails from each system call of a life on, and is then
 * lost; before the life it can lose its files. */
static uint64_t end_disks(uint32_t scheme, uint32_t victim, bool is_lost)
{
    uint64_t tried = 0;
    for (long n = 0;; n += (long)proof_size(11, 1), tried++) {
        begin_nodes(4, scheme);
        nodes.options.keep_last = scheme == VARVE_XOR;
        nodes.options.keep_bytes = 1; /* the newest, in any case */
        cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
        if (is_lost)
            lose_node(victim);
        struct faulty *faulty = faulty_new(memory_system(nodes.memory));
        nodes.contexts[victim].system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){
                                .number = n, .sticky = true, .error = EIO });
        nodes.from = 3;
        nodes.to = 4;
        run_life();
        bool was_hit = faulty_hit(faulty);
        nodes.contexts[victim].system = memory_system(nodes.memory);
        faulty_free(faulty);
        check_survives(victim, "a disk ended at call", n);
        end_nodes();
        if (!was_hit)
            return tried;
    }
}

TEST(manager_nodes, lose_no_save_if_a_disk_fails_during_a_save)
{
    for (uint32_t i = 0; i < 2; i++)
        proof_count(
            "nodes.disks", end_disks(schemes[i], i ? 2 : 0, false));
}

TEST(manager_nodes, lose_no_save_if_a_disk_fails_during_a_rebuild)
{
    for (uint32_t i = 0; i < 2; i++)
        proof_count("nodes.rebuilds", end_disks(schemes[i], i ? 3 : 1, true));
}

/* All processes end at each communicator call, and any node is lost; those that
 * lost a node before lose another one only after the next save.
 */
TEST(manager_nodes, lose_no_save_if_all_processes_end)
{
    uint64_t tried = 0;
    for (int s = 0; s < 2; s++) {
        bool is_whole = false;
        for (long n = 0; !is_whole; n += (long)proof_size(23, 1), tried++) {
            begin_nodes(4, schemes[s]);
            nodes.options.keep_last = schemes[s] == VARVE_XOR;
            nodes.options.keep_bytes = 1;
            cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
            if (n % 2)
                lose_node((uint32_t)n % 4);
            nodes.from = 3;
            nodes.to = 4;
            is_whole = run_life_until(n) <= n;
            bool is_loss = n % 3 && (n % 2 == 0 || nodes.saved > 2);
            uint32_t lost = is_loss ? (uint32_t)n / 3 % 4 : (uint32_t)n % 4;
            check_survives(lost, "all ended at call", n);
            end_nodes();
        }
    }
    proof_count("nodes.ends", tried);
}

/* Two nodes that are not neighbors are lost at any moment. */
static void lose_two(uint32_t scheme, uint32_t first, long n)
{
    int64_t saved = nodes.saved;
    lose_node(first);
    lose_node((first + 2) % 4);
    int64_t step = resume_all();
    if (scheme == VARVE_PARTNER) {
        cr_assert(step >= saved && step <= saved + 1, "call %ld: step %d", n,
            (int)step);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "ranks %u (node %u), %u (node %u)",
        first % 2, first % 2, first % 2 + 2, first % 2 + 2);
    cr_assert_eq(step, -1);
    cr_assert(strstr(nodes.passed_over[3], text), "call %ld: %s", n,
        nodes.passed_over[3]);
}

TEST(manager_nodes, lose_no_save_or_report_the_ranks_lost_by_two_nodes)
{
    uint64_t tried = 0;
    for (int s = 0; s < 2; s++) {
        bool is_whole = false;
        for (long n = 0; !is_whole; n += (long)proof_size(29, 1), tried++) {
            begin_nodes(4, schemes[s]);
            nodes.options.keep_last = 1;
            cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
            nodes.from = 3;
            nodes.to = 4;
            is_whole = run_life_until(n) <= n;
            lose_two(schemes[s], (uint32_t)n % 4, n);
            end_nodes();
        }
    }
    proof_count("nodes.twos", tried);
}

TEST(manager_nodes, fail_on_all_ranks_if_one_has_no_memory)
{
    uint64_t tried = 0;
    for (long n = 0;; n += (long)proof_size(97, 5), tried++) {
        begin_nodes(3, VARVE_XOR);
        nodes.options.keep_bytes = 1;
        cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
        lose_node(1);
        nodes.from = nodes.to = 3;
        test_fail_allocation(n, false);
        run_life_until(-1);
        bool was_hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        for (int i = 0; i < 3; i++)
            cr_assert(!nodes.got[i] || nodes.got[i] == VARVE_NO_MEMORY ||
                          nodes.got[i] == VARVE_DISCONNECTED,
                "%s", nodes.errors[i].message);
        check_survives(1, "memory ran out at", n);
        end_nodes();
        if (!was_hit)
            break;
    }
    proof_count("nodes.memory", tried);
}
