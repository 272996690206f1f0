/* portion.c - Gathers what each rank needs and its node, and counts the ranks
 * of this node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "portion.h"

#include "comm_collectives.h"
#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "try.h"

/* The data of a rank, in the byte order of a file. */
struct entry {
    unsigned char node[8];
    unsigned char numbers[VV_NEEDS][8];
};

static struct entry portion_entry_of(
    const varve_comm *comm, const struct vv_division *division)
{
    struct entry entry;
    vv_store64(entry.node, comm->node);
    for (int k = 0; k < VV_NEEDS; k++)
        vv_store64(entry.numbers[k], division->numbers[k]);
    return entry;
}

static void count_machine(const varve_comm *comm, const struct entry *all,
    struct vv_division *division)
{
    unsigned differs = 0; /* a bit for each need */
    division->at = division->parts = 0;
    division->need = VV_NEEDS_WHOLE;
    for (uint32_t i = 0; i < comm->size; i++) {
        if (vv_load64(all[i].node) != comm->node)
            continue;
        division->at += i < comm->rank;
        division->parts++;
        for (int k = 0; k < VV_NEEDS; k++) {
            uint64_t number = vv_load64(all[i].numbers[k]);
            if (number == 0 || number != division->numbers[k])
                differs |= 1u << k;
        }
    }
    while (division->need < VV_NEEDS && differs & 1u << division->need)
        division->need = (enum vv_need)(division->need + 1);
}

varve_status vv_portion_find(const varve_comm *comm,
    const varve_allocator *allocator, struct vv_division *division,
    varve_error *error)
{
    uint64_t most = division->numbers[VV_NEEDS_WHOLE];
    division->need = VV_NEEDS;
    VV_TRY(vv_comm_allreduce_max(comm, &most, error));
    if (most == 0)
        return VARVE_OK;
    const struct entry mine = portion_entry_of(comm, division);
    struct entry *all = vv_allocate_array(allocator, comm->size, sizeof *all);
    varve_status status = vv_agree(comm,
        all ? VARVE_OK : vv_fail_memory(error, "data for all ranks"), error);
    if (!status)
        status = vv_comm_allgather(comm, &mine, sizeof mine, all, error);
    if (!status)
        count_machine(comm, all, division);
    vv_release(allocator, all, comm->size * sizeof *all);
    return status;
}
