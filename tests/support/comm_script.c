/* comm_script.c - Runs calls of a communicator and checks each result.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/comm_script.h"

#include <stdlib.h>

#include "support/proof.h"

static unsigned char byte_of(unsigned step, uint32_t rank, size_t at)
{
    return (unsigned char)(step * 31 + rank * 7 + at * 13 + at / 251);
}

unsigned char *comm_bytes(unsigned step, uint32_t rank, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_of(step, rank, i);
    return bytes;
}

bool comm_are_bytes(
    const unsigned char *bytes, unsigned step, uint32_t rank, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != byte_of(step, rank, i))
            return false;
    return true;
}

static varve_status step_agree(
    const varve_comm *comm, unsigned step, bool *is_wrong)
{
    uint64_t highest = 0, value = 0;
    for (uint32_t i = 0; i < comm->size; i++) {
        uint64_t of_rank = (UINT64_MAX / 9) * ((i * 5 + step) % 8);
        highest = of_rank > highest ? of_rank : highest;
        value = i == comm->rank ? of_rank : value;
    }
    varve_status status = comm->agree(comm->self, &value);
    *is_wrong = !status && value != highest;
    return status;
}

static varve_status step_gather(const varve_comm *comm, unsigned step,
    size_t size, bool is_varied, bool *is_wrong)
{
    uint64_t sizes[COMM_SCRIPT_RANKS], total = 0;
    for (uint32_t i = 0; i < comm->size; i++) {
        sizes[i] = is_varied ? (size * (i + step % 3)) / 4 : size;
        total += sizes[i];
    }
    size_t own = (size_t)sizes[comm->rank];
    unsigned char *bytes = comm_bytes(step, comm->rank, own);
    unsigned char *all = comm->rank == 0 ? malloc(total + 1) : NULL;
    varve_status status =
        is_varied ? comm->gather_varied(comm->self, bytes, own, all,
                        comm->rank == 0 ? sizes : NULL)
                  : comm->gather(comm->self, bytes, own, all);
    const unsigned char *at = all;
    for (uint32_t i = 0; all && !status && i < comm->size; at += sizes[i++])
        *is_wrong = *is_wrong || !comm_are_bytes(at, step, i, (size_t)sizes[i]);
    free(bytes);
    free(all);
    return status;
}

static varve_status step_broadcast(
    const varve_comm *comm, unsigned step, size_t size, bool *is_wrong)
{
    unsigned char *bytes = comm_bytes(step, comm->rank, size);
    varve_status status = comm->broadcast(comm->self, bytes, size);
    *is_wrong = !status && !comm_are_bytes(bytes, step, 0, size);
    free(bytes);
    return status;
}

/* Each rank sends to the one a few ranks later; some send nothing. */
static varve_status step_shift(
    const varve_comm *comm, unsigned step, size_t size, bool *is_wrong)
{
    uint32_t count = comm->size, on = 1 + step % (count > 1 ? count - 1 : 1);
    varve_shift shift = { .to = (comm->rank + on) % count,
        .from = (comm->rank + count - on) % count };
    if (!comm->shift)
        return VARVE_OK;
    if (count > 1 && (comm->rank + step) % 4)
        shift.out_size = size + comm->rank;
    if (count > 1 && (shift.from + step) % 4)
        shift.in_size = size + shift.from;
    unsigned char *out = comm_bytes(step, comm->rank, shift.out_size);
    unsigned char *in = malloc(shift.in_size + 1);
    shift.out = out;
    shift.in = in;
    varve_status status = comm->shift(comm->self, &shift);
    *is_wrong =
        !status && !comm_are_bytes(in, step, shift.from, shift.in_size);
    free(out);
    free(in);
    return status;
}

static varve_status run_step(const varve_comm *comm,
    const struct comm_script *script, unsigned step, bool *is_wrong)
{
    uint64_t random = script->seed * 1000 + step;
    uint64_t kind = proof_next(&random) % 6;
    size_t size = (size_t)(proof_next(&random) % (script->largest + 1));
    if (proof_next(&random) % 2)
        size %= 100;
    switch (kind) {
    case 0: return step_agree(comm, step, is_wrong);
    case 1: return step_gather(comm, step, size, false, is_wrong);
    case 2: return step_gather(comm, step, size, true, is_wrong);
    case 3: return step_broadcast(comm, step, size, is_wrong);
    case 4: return step_shift(comm, step, size, is_wrong);
    default: return comm->barrier(comm->self);
    }
}

void comm_run_script(const varve_comm *comm, const struct comm_script *script,
    struct comm_outcome *outcome)
{
    while (outcome->steps < script->steps && !outcome->status) {
        bool is_wrong = false;
        outcome->status = run_step(comm, script, outcome->steps, &is_wrong);
        outcome->is_wrong = outcome->is_wrong || is_wrong;
        if (!outcome->status)
            outcome->steps++;
    }
    uint64_t value = 0;
    if (outcome->status &&
        (comm->barrier(comm->self) != VARVE_DISCONNECTED ||
            comm->agree(comm->self, &value) != VARVE_DISCONNECTED))
        outcome->is_wrong = true;
}
