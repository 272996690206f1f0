/* mpi_comm.c - Implements a communicator over MPI.
 *
 * It includes only public headers, so that its library shares no code with
 * libvarve. Counts in MPI are ints, so larger data is transferred in blocks.
 * Small data is gathered by MPI, which has better algorithms than one message
 * per rank. Large data is received from one rank after the other, so that no
 * intermediate rank has to buffer data of others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/mpi.h>

#include <stdlib.h>
#include <string.h>

#ifdef VV_MPI_REVOKES
#include <mpi-ext.h>
#endif

/* Tests use smaller values. */
#ifndef VV_MPI_BLOCK
#define VV_MPI_BLOCK ((size_t)1 << 30)
#endif
#ifndef VV_MPI_SMALL
#define VV_MPI_SMALL ((size_t)64 << 10)
#endif

struct group {
    varve_comm comm;
    MPI_Comm mpi;
    bool is_broken;
    struct group *copies; /* newest first; the same number at each rank */
    struct group *next;
    bool is_taken; /* for a copy: it is in use */
    bool is_alone; /* the group it was made from is freed */
};

/* Ranks that have not seen the failure would wait for this one, which takes
 * part in no further operation. An MPI implementation with fault tolerance can
 * notify them. */
static void notify_others(struct group *g)
{
#ifdef VV_MPI_REVOKES
    if (!g->is_broken)
        MPIX_Comm_revoke(g->mpi);
#else
    (void)g;
#endif
}

static varve_status mpi_comm_settle(
    struct group *g, int result, varve_status status)
{
    if (result != MPI_SUCCESS)
        status = VARVE_DISCONNECTED;
    if (status)
        notify_others(g);
    g->is_broken = g->is_broken || status;
    return status;
}

static int block_of(size_t left)
{
    return (int)(left < VV_MPI_BLOCK ? left : VV_MPI_BLOCK);
}

/* Compares as signed numbers in the same order, because MPICH 4.0 compares
 * unsigned numbers as if they were signed. */
static varve_status agree(void *self, uint64_t *value)
{
    struct group *g = self;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    const uint64_t highest_bit = UINT64_C(1) << 63;
    int64_t mine = (int64_t)(*value ^ highest_bit), largest = 0;
    int result =
        MPI_Allreduce(&mine, &largest, 1, MPI_INT64_T, MPI_MAX, g->mpi);
    if (result == MPI_SUCCESS)
        *value = (uint64_t)largest ^ highest_bit;
    return mpi_comm_settle(g, result, VARVE_OK);
}

static varve_status mpi_comm_barrier(void *self)
{
    struct group *g = self;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    return mpi_comm_settle(g, MPI_Barrier(g->mpi), VARVE_OK);
}

static varve_status mpi_comm_broadcast(void *self, void *bytes, size_t size)
{
    struct group *g = self;
    unsigned char *at = bytes;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    while (size > 0) {
        int block = block_of(size);
        int result = MPI_Bcast(at, block, MPI_BYTE, 0, g->mpi);
        if (result != MPI_SUCCESS)
            return mpi_comm_settle(g, result, VARVE_OK);
        at += block;
        size -= (size_t)block;
    }
    return VARVE_OK;
}

/* --- To rank 0, one after the other ------------------------------------- */

static varve_status send_to_first(
    struct group *g, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        int block = block_of(size);
        int result = MPI_Send(at, block, MPI_BYTE, 0, 0, g->mpi);
        if (result != MPI_SUCCESS)
            return mpi_comm_settle(g, result, VARVE_OK);
        at += block;
        size -= (size_t)block;
    }
    return VARVE_OK;
}

/* Receives `size` bytes. Receiving fewer is an error, as receiving more is. */
static varve_status receive_from(
    struct group *g, int rank, unsigned char *at, uint64_t size)
{
    while (size > 0) {
        MPI_Status came;
        int count = 0;
        int block = block_of((size_t)size);
        int result = MPI_Recv(at, block, MPI_BYTE, rank, 0, g->mpi, &came);
        if (result == MPI_SUCCESS)
            result = MPI_Get_count(&came, MPI_BYTE, &count);
        if (result != MPI_SUCCESS || count != block)
            return mpi_comm_settle(g, result, VARVE_MISUSE);
        at += block;
        size -= (uint64_t)block;
    }
    return VARVE_OK;
}

/* Gathers to rank 0 with one message per rank. Without `sizes` all ranks
 * contribute `size` bytes. */
static varve_status mpi_comm_collect(struct group *g, const void *bytes,
    size_t size, void *all, const uint64_t *sizes)
{
    if (g->comm.rank > 0)
        return send_to_first(g, bytes, size);
    unsigned char *at = all;
    if (size > 0)
        memmove(at, bytes, size);
    uint64_t offset = size;
    for (uint32_t i = 1; i < g->comm.size; i++) {
        uint64_t more = sizes ? sizes[i] : size;
        varve_status status =
            more ? receive_from(g, (int)i, at + offset, more) : VARVE_OK;
        if (status)
            return status;
        offset += more;
    }
    return VARVE_OK;
}

static varve_status mpi_comm_gather(
    void *self, const void *bytes, size_t size, void *all)
{
    struct group *g = self;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    if (size == 0)
        return VARVE_OK;
    if (size > VV_MPI_SMALL)
        return mpi_comm_collect(g, bytes, size, all, NULL);
    int result = MPI_Gather(
        bytes, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, 0, g->mpi);
    return mpi_comm_settle(g, result, VARVE_OK);
}

static varve_status mpi_comm_gather_varied(void *self, const void *bytes,
    size_t size, void *all, const uint64_t *sizes)
{
    struct group *g = self;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    if (g->comm.rank == 0 && sizes[0] != size)
        return mpi_comm_settle(g, MPI_SUCCESS, VARVE_MISUSE);
    return mpi_comm_collect(g, bytes, size, all, sizes);
}

/* --- Shift --------------------------------------------------------------- */

/* Transfers block by block, sending and receiving concurrently while both have
 * data left. */
static varve_status mpi_comm_shift(void *self, const varve_shift *s)
{
    struct group *g = self;
    const unsigned char *out = s->out;
    unsigned char *in = s->in;
    size_t out_left = s->out_size, in_left = s->in_size;
    if (g->is_broken)
        return VARVE_DISCONNECTED;
    while (out_left > 0 || in_left > 0) {
        MPI_Status came;
        int more = block_of(out_left), expected = block_of(in_left), count = 0;
        int result = MPI_Sendrecv(out, more, MPI_BYTE,
            more ? (int)s->to : MPI_PROC_NULL, 1, in, expected, MPI_BYTE,
            expected ? (int)s->from : MPI_PROC_NULL, 1, g->mpi, &came);
        if (result == MPI_SUCCESS && expected)
            result = MPI_Get_count(&came, MPI_BYTE, &count);
        if (result != MPI_SUCCESS || count != expected)
            return mpi_comm_settle(g, result, VARVE_MISUSE);
        out = more ? out + more : out;
        in = expected ? in + expected : in;
        out_left -= (size_t)more;
        in_left -= (size_t)expected;
    }
    return VARVE_OK;
}

/* --- Construction and release -------------------------------------------- */

static varve_comm *mpi_comm_refuse(
    varve_error *error, varve_status status, const char *message)
{
    if (error) {
        error->status = status;
        error->system_error = 0;
        strcpy(error->message, message);
    }
    return NULL;
}

static bool is_running(void)
{
    int has_begun = 0, has_ended = 0;
    return MPI_Initialized(&has_begun) == MPI_SUCCESS && has_begun &&
           MPI_Finalized(&has_ended) == MPI_SUCCESS && !has_ended;
}

/* Identifies each machine by its lowest rank. */
static int find_node(MPI_Comm mpi, int rank, uint32_t *node)
{
    MPI_Comm machine;
    int lowest = rank;
    int result = MPI_Comm_split_type(
        mpi, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    if (result != MPI_SUCCESS)
        return result;
    result = MPI_Bcast(&lowest, 1, MPI_INT, 0, machine);
    MPI_Comm_free(&machine);
    *node = (uint32_t)lowest;
    return result;
}

static varve_status mpi_comm_duplicate(void *self, varve_comm **made);

static int fill_in(struct group *g)
{
    int rank = 0, size = 0;
    int result = MPI_Comm_rank(g->mpi, &rank);
    if (result == MPI_SUCCESS)
        result = MPI_Comm_size(g->mpi, &size);
    g->comm = (varve_comm){
        .rank = (uint32_t)rank,
        .size = (uint32_t)size,
        .self = g,
        .agree = agree,
        .gather = mpi_comm_gather,
        .gather_varied = mpi_comm_gather_varied,
        .broadcast = mpi_comm_broadcast,
        .barrier = mpi_comm_barrier,
        .duplicate = mpi_comm_duplicate,
        .shift = mpi_comm_shift,
    };
    return result == MPI_SUCCESS ? find_node(g->mpi, rank, &g->comm.node)
                                 : result;
}

/* --- Duplication -------------------------------------------------------- */

/* Releases a copy. Freeing an MPI communicator is collective, but each rank
 * releases a copy at any time. So copies are freed with the communicator they
 * were made from, and reused after all ranks have released them. */
static void mpi_comm_release(void *self)
{
    struct group *copy = self;
    copy->is_taken = false;
    if (copy->is_alone)
        free(copy);
}

static void free_copies(struct group *g, bool is_usable)
{
    struct group *next;
    for (struct group *copy = g->copies; copy; copy = next) {
        next = copy->next;
        if (is_usable)
            MPI_Comm_free(&copy->mpi);
        copy->is_alone = true;
        if (!copy->is_taken)
            free(copy);
    }
}

/* Sets *found to the newest copy that is free at all ranks, or NULL. */
static varve_status find_free(struct group *g, struct group **found)
{
    *found = NULL;
    for (struct group *copy = g->copies; copy && !*found; copy = copy->next) {
        uint64_t is_taken = copy->is_taken || copy->is_broken;
        varve_status status = agree(g, &is_taken);
        if (status)
            return status;
        if (!is_taken)
            *found = copy;
    }
    return VARVE_OK;
}

/* Fails unless all ranks permit MPI calls on any thread and have memory for the
 * copy. */
static varve_status may_duplicate(struct group *g, const struct group *copy)
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Query_thread(&level) != MPI_SUCCESS)
        level = MPI_THREAD_SINGLE;
    uint64_t worst = level < MPI_THREAD_MULTIPLE ? VARVE_MISUSE
                     : copy                      ? VARVE_OK
                                                 : VARVE_NO_MEMORY;
    varve_status status = agree(g, &worst);
    return status ? status : (varve_status)worst;
}

static int make_copy(struct group *g, struct group *copy)
{
    MPI_Comm mpi;
    int result = MPI_Comm_dup(g->mpi, &mpi);
    if (result != MPI_SUCCESS)
        return result;
    *copy = (struct group){ .comm = g->comm, .mpi = mpi, .next = g->copies };
    copy->comm.self = copy;
    copy->comm.duplicate = NULL;
    copy->comm.release = mpi_comm_release;
    g->copies = copy;
    return MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
}

static varve_status mpi_comm_duplicate(void *self, varve_comm **made)
{
    struct group *g = self, *copy;
    varve_status status = find_free(g, &copy);
    if (!status && !copy) {
        struct group *memory = malloc(sizeof *memory);
        copy = memory;
        status = may_duplicate(g, copy);
        if (!status)
            status = mpi_comm_settle(g, make_copy(g, copy), VARVE_OK);
        if (status && g->copies != memory)
            free(memory);
    }
    if (status)
        return status;
    copy->is_taken = true;
    *made = &copy->comm;
    return VARVE_OK;
}

/* --- Public functions --------------------------------------------------- */

/* Memory is allocated after the duplication, so that all ranks take part in it.
 * Then all learn if one has no memory. */
varve_comm *varve_mpi_comm_new(MPI_Comm group, varve_error *error)
{
    if (!is_running() || group == MPI_COMM_NULL)
        return mpi_comm_refuse(error, VARVE_MISUSE,
            "a communicator: MPI must be initialized and not finalized");
    MPI_Comm mpi;
    if (MPI_Comm_dup(group, &mpi) != MPI_SUCCESS)
        return mpi_comm_refuse(
            error, VARVE_DISCONNECTED, "a communicator: MPI_Comm_dup failed");
    struct group *g = malloc(sizeof *g);
    int has_memory = g != NULL, all_have = 0;
    int result = MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN);
    if (result == MPI_SUCCESS)
        result =
            MPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, mpi);
    if (result == MPI_SUCCESS && all_have) {
        *g = (struct group){ .mpi = mpi };
        result = fill_in(g);
        if (result == MPI_SUCCESS)
            return &g->comm;
    }
    free(g);
    MPI_Comm_free(&mpi);
    return result == MPI_SUCCESS
               ? mpi_comm_refuse(error, VARVE_NO_MEMORY,
                     "out of memory: a communicator, at one of the ranks")
               : mpi_comm_refuse(error, VARVE_DISCONNECTED,
                     "a communicator: MPI failed to return the ranks of each "
                     "node");
}

void varve_mpi_comm_free(varve_comm *comm)
{
    if (!comm)
        return;
    struct group *g = comm->self;
    bool is_usable = is_running();
    free_copies(g, is_usable);
    if (is_usable)
        MPI_Comm_free(&g->mpi);
    free(g);
}
