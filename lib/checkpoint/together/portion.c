/* portion.c - all hear what each needs and where it runs, and look at those of
 * their own machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "portion.h"

#include "agreement.h"
#include "bytes.h"
#include "try.h"

enum { ENTRY = 8 + 8 * VV_NEEDS }; /* a node, and its numbers */

static void add_entry(struct vv_buffer *bytes, const varve_comm *comm,
    const struct vv_division *division)
{
    vv_buffer_add64(bytes, comm->node);
    for (int k = 0; k < VV_NEEDS; k++)
        vv_buffer_add64(bytes, division->numbers[k]);
}

static void count_machine(const varve_comm *comm, const unsigned char *entries,
    struct vv_division *division)
{
    unsigned differs = 0; /* bits: needs */
    division->parts = 0;
    for (uint32_t i = 0; i < comm->size; i++) {
        const unsigned char *entry = entries + (size_t)ENTRY * i;
        if (vv_load64(entry) != comm->node)
            continue;
        division->at += i < comm->rank;
        division->parts++;
        for (int k = 0; k < VV_NEEDS; k++) {
            uint64_t number = vv_load64(entry + 8 + 8 * k);
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
    struct vv_buffer mine;
    struct vv_gathered all;
    division->need = VV_NEEDS;
    VV_TRY(vv_largest(comm, &most, error));
    if (most == 0)
        return VARVE_OK;
    vv_buffer_init(&mine, allocator);
    add_entry(&mine, comm, division);
    varve_status status = vv_gather_all(comm, VARVE_OK, &mine, &all, error);
    vv_buffer_clear(&mine);
    if (status)
        return status;
    status = vv_tell_all(comm, VARVE_OK, &all.bytes, error);
    division->at = 0;
    division->need = VV_NEEDS_WHOLE;
    if (!status)
        count_machine(comm, all.bytes.data, division);
    vv_gathered_clear(&all);
    return status;
}
