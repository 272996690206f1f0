/* crowd.c - Simulates particles in a box that is divided into slabs, one for
 * each process; a particle belongs to the process at its position. If a process
 * dies, the program is restarted with another number of processes.
 *
 * lines.py counts the lines that use Varve, including the main loop, between
 * comments.
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/varve.h>

enum { CROWD = 600, SAVE_EVERY = 10 };

struct person {
    uint32_t id;
    uint32_t draws;
    int64_t at[2]; /* in 2^-32 of the box */
    int64_t speed[2];
};

/* The state of a process, with room for all particles. */
struct slab {
    const varve_comm *comm;
    int64_t step;
    int count;
    struct person people[CROWD];
};

static struct slab slab;

/* --- The program ---------------------------------------------------------- */

static uint32_t home_of(const struct person *p)
{
    return (uint32_t)((uint64_t)p->at[0] * slab.comm->size >> 32);
}

static int64_t draw(struct person *p)
{
    uint64_t x = (uint64_t)p->id << 32 | ++p->draws;
    x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
    x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
    return (int64_t)((x ^ x >> 33) & 0xffffffff);
}

static void arrive(struct person p)
{
    if (home_of(&p) == slab.comm->rank)
        slab.people[slab.count++] = p;
}

static void begin(void)
{
    for (uint32_t id = 0; id < CROWD; id++) {
        struct person p = { .id = id };
        for (int k = 0; k < 2; k++) {
            p.at[k] = draw(&p);
            p.speed[k] = draw(&p) >> 5;
        }
        arrive(p);
    }
}

static void walk(struct person *p)
{
    for (int k = 0; k < 2; k++) {
        p->at[k] += p->speed[k];
        if (p->at[k] < 0 || p->at[k] >> 32)
            p->speed[k] = -p->speed[k], p->at[k] += 2 * p->speed[k];
    }
    if (draw(p) % 7 == 0)
        p->speed[0] = -p->speed[0];
}

/* Moves all particles and sends those that leave the slab. */
static varve_status go(void)
{
    static struct person all[CROWD];
    const varve_comm *c = slab.comm;
    uint64_t size = (uint64_t)slab.count * sizeof *all, sizes[16] = { 0 };
    for (int i = 0; i < slab.count; i++)
        walk(&slab.people[i]);
    varve_status status = c->gather(c->self, &size, sizeof size,
        c->rank == 0 ? sizes : NULL);
    if (!status)
        status = c->gather_varied(c->self, slab.people, (size_t)size,
            c->rank == 0 ? all : NULL, c->rank == 0 ? sizes : NULL);
    if (!status)
        status = c->broadcast(c->self, all, sizeof all);
    slab.count = 0;
    for (int i = 0; i < CROWD && !status; i++)
        arrive(all[i]);
    return status;
}

/* Computes a checksum over all processes, independent of the order, on rank
 * 0. */
static uint64_t sum(void)
{
    uint64_t own = 0, all[16] = { 0 };
    for (int i = 0; i < slab.count; i++) {
        struct person p = slab.people[i];
        uint64_t at = (uint64_t)p.at[0] ^ (uint64_t)p.at[1] << 7;
        own += (at ^ (uint64_t)p.speed[0] << 13) * (2 * p.id + 1);
    }
    const varve_comm *c = slab.comm;
    if (c->gather(c->self, &own, sizeof own, c->rank == 0 ? all : NULL))
        return 0;
    for (uint32_t i = 1; i < c->size; i++)
        all[0] += all[i];
    return all[0];
}

/* [run] */
static const varve_field person_fields[] = {
    VARVE_FIELD(struct person, id),
    VARVE_FIELD(struct person, draws),
    VARVE_FIELD_ARRAY(struct person, at),
    VARVE_FIELD_ARRAY(struct person, speed),
    VARVE_FIELDS_END,
};

static size_t count_people(void *user)
{
    return (size_t)((struct slab *)user)->count;
}

static void get_people(void *user, void *structs)
{
    struct slab *s = user;
    memcpy(structs, s->people, (size_t)s->count * sizeof *s->people);
}

static void clear_people(void *user)
{
    ((struct slab *)user)->count = 0;
}

static uint32_t home_of_person(void *user, const void *one)
{
    (void)user;
    return home_of(one);
}

static varve_status put_person(void *user, const void *one)
{
    (void)user;
    arrive(*(const struct person *)one);
    return VARVE_OK;
}

static varve_run *open_run(const char *directory)
{
    varve_run *run = varve_run_new(NULL);
    varve_add_variable(varve_run_root(run), "step", varve_scalar(&slab.step));
    varve_add_migrating(varve_run_root(run), "people", slab.comm,
        &(varve_migrating){ person_fields, sizeof(struct person),
            .count = count_people, .get = get_people, .clear = clear_people,
            .owner = home_of_person, .put = put_person, .user = &slab });
    varve_run_open(run, directory,
        &(varve_run_options){ .manager = { .interval_steps = SAVE_EVERY,
                                  .keep_last = 2, .comm = slab.comm } });
    return run;
}
/* [/run] */

/* --- A life of it -------------------------------------------------------- */

struct life {
    const char *directory;
    uint32_t ranks;
    int64_t steps;
    int64_t dies_at; /* step in which the last rank dies */
};

static int live(const struct life *life, const varve_comm *comm, uint64_t *out)
{
    varve_error error = { 0 };
    varve_status status = VARVE_OK;
    slab = (struct slab){ .comm = comm };
    begin();
    /* [run] */
    varve_run *run = open_run(life->directory);
    while (
        slab.step < life->steps && varve_run_should_continue(run) && !status) {
        /* [/run] */
        if (slab.step == life->dies_at && comm->rank == comm->size - 1)
            raise(SIGKILL);
        status = go();
        /* [run] */
        varve_run_step(run, ++slab.step);
    }
    *out = sum();
    if (varve_run_end(run, &error))
        fprintf(stderr, "%u: %s\n", comm->rank, error.message);
    /* [/run] */
    return error.status || status;
}

/* Runs a life. Rank 0 is a child process too, and returns the checksum through
 * a pipe. */
static uint64_t run_life(const struct life *life)
{
    varve_error error = { 0 };
    uint64_t result = 0;
    int ends[2];
    varve_processes *all = varve_processes_new(life->ranks, NULL, &error);
    if (!all || pipe(ends))
        return 0;
    for (uint32_t rank = 0; rank < life->ranks; rank++) {
        if (fork() != 0)
            continue;
        const varve_comm *comm = varve_processes_join(all, rank, &error);
        int failed = !comm || live(life, comm, &result);
        if (!failed && rank == 0)
            failed = write(ends[1], &result, sizeof result) < 0;
        varve_processes_free(all);
        _exit(failed);
    }
    varve_processes_free(all);
    close(ends[1]);
    if (read(ends[0], &result, sizeof result) != sizeof result)
        result = 0;
    close(ends[0]);
    while (wait(NULL) > 0)
        ;
    return result;
}

static int fail(const char *why)
{
    fprintf(stderr, "crowd: %s\n", why);
    return 1;
}

int main(int argc, char **argv)
{
    char one[512], many[512], command[1200];
    if (argc != 2)
        return fail("expected a FOLDER");
    snprintf(one, sizeof one, "%s-one", argv[1]);
    snprintf(many, sizeof many, "%s-many", argv[1]);
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", one, many);
    if (system(command))
        return fail("its folder was not removed");
    uint64_t unbroken = run_life(&(struct life){ one, 1, 90, -1 });
    if (!unbroken)
        return fail("the uninterrupted run fails");
    const struct life lives[] = { { many, 3, 90, 25 }, { many, 2, 90, 47 },
        { many, 1, 90, 53 }, { many, 5, 90, 78 } };
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++)
        if (run_life(&lives[i]))
            return fail("a killed run reports success");
    if (run_life(&(struct life){ many, 4, 90, -1 }) != unbroken)
        return fail("the resumed run has a different result");
    return system(command) != 0;
}
