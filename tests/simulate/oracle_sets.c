/* oracle_sets.c - Records reported sets, and the resumes that may skip them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/oracle_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/disk.h"
#include "simulate/finding.h"
#include "simulate/place.h"
#include "simulate/process.h"

enum { MOST_SETS = 120, MOST_SAVES = 200, MARK_DIGITS = 16 };

uint32_t sets_repaired, sets_aside;

/* For each save. */
static struct {
    unsigned run;
    uint64_t number; /* number in its file name; 0: unknown */
} saves[MOST_SAVES];

static struct set {
    uint64_t save;
    struct life_of_ranks life;
    const char *level; /* prefix of rank 0; NULL: in the ranks' directories */
    unsigned lost;     /* mask of ranks whose file is gone */
    unsigned moved;    /* mask of ranks that a later life had on another node */
    bool is_passed;    /* it need not exist any longer */
} sets[MOST_SETS];
static size_t set_count;

void sets_begin(void)
{
    memset(saves, 0, sizeof saves);
    set_count = 0;
    sets_repaired = sets_aside = 0;
}

size_t sets_moment(void)
{
    return set_count;
}

void sets_note_save(uint64_t save, unsigned run)
{
    if (save < MOST_SAVES)
        saves[save].run = run;
}

/* --- Names -------------------------------------------------------------- */

/* Returns the number in "ckpt-7.varve", or 0 for other names. */
static uint64_t number_of(const char *name)
{
    char *end;
    if (strncmp(name, "ckpt-", 5) != 0 || name[5] < '0' || name[5] > '9')
        return 0;
    uint64_t number = strtoull(name + 5, &end, 10);
    return strcmp(end, ".varve") == 0 ? number : 0;
}

/* Returns true for a name like "ckpt-7.0123456789abcdef.varve", of an abandoned
 * set. */
static bool is_aside(const char *name)
{
    char *end;
    if (strncmp(name, "ckpt-", 5) != 0)
        return false;
    strtoull(name + 5, &end, 10);
    return *end == '.' && strspn(end + 1, "0123456789abcdef") == MARK_DIGITS &&
        strcmp(end + 1 + MARK_DIGITS, ".varve") == 0;
}

static uint64_t number_in_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? number_of(slash + 1) : 0;
}

/* Returns the directory of a prefix on a disk. */
static const struct inode *directory_on(
    const struct disk *disk, const char *prefix)
{
    const struct series series = { disk, prefix };
    return oracle_directory_of(series);
}

static const struct inode *directory_of_rank(
    const struct set *s, uint32_t rank)
{
    char prefix[80];
    if (s->level) /* "shared/run/rank-" */
        snprintf(prefix, sizeof prefix, "%s%u/ckpt", s->level, rank);
    else
        snprintf(prefix, sizeof prefix, SETS_DIRECTORY "/rank-%u/ckpt", rank);
    return directory_on(s->life.disks[rank], prefix);
}

/* Returns true if a directory contains a save, or one that continues it, under
 * a name that the library lists. */
static bool has_newer(const struct inode *d, uint64_t save)
{
    for (size_t i = 0; d && i < d->name_count; i++)
        if (number_of(d->names[i].text) &&
            oracle_is_from(oracle_save_of(d->names[i].inode), save))
            return true;
    return false;
}

/* --- Reports ------------------------------------------------------------ */

static bool is_alike(const struct set *s, const struct life_of_ranks *life)
{
    for (uint32_t i = 0; i < life->size; i++)
        if (s->life.disks[i] != life->disks[i])
            return false;
    return !s->lost && !s->level;
}

static struct set *add(const struct life_of_ranks *life, uint64_t save)
{
    if (set_count == MOST_SETS) {
        finding(FINDING_STUCK, "more than %d sets", MOST_SETS);
        return &sets[0];
    }
    for (size_t i = 0; i < set_count; i++)
        sets[i].is_passed |=
            oracle_is_from(save, sets[i].save) && sets[i].save != save;
    struct set *made = &sets[set_count++];
    *made = (struct set){ .save = save, .life = *life, .lost = life->lost };
    return made;
}

void sets_saved(const struct process *p, const struct life_of_ranks *life,
    uint32_t rank, uint64_t save, const char *path)
{
    uint64_t number = number_in_path(path);
    trace("SAVED %" PRIu64 " as %s", save, path ? path : "(unknown path)");
    if (number == 0 || save >= MOST_SAVES)
        return;
    if (saves[save].number && saves[save].number != number)
        finding(FINDING_APART, "save %" PRIu64 " was reported as %" PRIu64
            " and as %" PRIu64, save, saves[save].number, number);
    saves[save].number = number;
    const struct series series = { life->disks[rank], path };
    if (oracle_save_of(oracle_file_at(p, path)) != save &&
        !has_newer(oracle_directory_of(series), save))
        finding(FINDING_LOST,
            "save %" PRIu64 " was reported to rank %u, and %s is not it", save,
            rank, path);
    for (size_t i = 0; i < set_count; i++) {
        const struct set *s = &sets[i];
        if (s->save == save && !s->level && s->life.number == life->number)
            return;
        if (is_alike(s, life) && !s->is_passed && s->save != save &&
            saves[s->save].number == number)
            finding(FINDING_TWICE, "saves %" PRIu64 " and %" PRIu64
                " were both reported as %s", s->save, save, path);
    }
    oracle_saves++;
    add(life, save);
}

void sets_rebuilt(const struct life_of_ranks *life, uint64_t save)
{
    const struct set like = { .life = *life };
    for (uint32_t i = 0; i < life->size; i++)
        if (!has_newer(directory_of_rank(&like, i), save))
            return;
    trace("MENDED %" PRIu64, save);
    add(life, save);
}

void sets_drained(const struct process *p, const struct life_of_ranks *life,
    uint32_t rank, uint64_t save, const char *prefix, const char *latest)
{
    trace("DRAINED, %s at the level", latest ? latest : "nothing");
    struct inode *file = latest ? oracle_file_at(p, latest) : NULL;
    const struct disk *disk = place_disk_of(p, prefix);
    char own[80];
    snprintf(own, sizeof own, "%s%u/ckpt", prefix, rank);
    if (file ? oracle_save_of(file) != save
             : !latest || !has_newer(directory_on(disk, own), save)) {
        finding(FINDING_COPY,
            "rank %u drained save %" PRIu64 ", and %s is save %" PRIu64, rank,
            save, latest ? latest : "nothing", oracle_save_of(file));
        return;
    }
    for (size_t i = 0; i < set_count; i++)
        if (sets[i].level && sets[i].save == save)
            return;
    struct set *made = add(life, save);
    made->level = prefix;
    for (uint32_t i = 0; i < life->size; i++)
        made->life.disks[i] = disk;
}

/* --- Resumes ------------------------------------------------------------ */

static unsigned count_bits(unsigned bits)
{
    unsigned count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Returns the mask of ranks of a life that lack their file of a set. */
static unsigned missing(const struct set *s, const struct life_of_ranks *life)
{
    unsigned bits = s->lost | s->moved;
    for (uint32_t i = 0; !s->level && i < life->size; i++)
        if (s->life.disks[i] != life->disks[i])
            bits |= 1u << i;
    return bits;
}

static bool is_demanded(const struct set *s, const struct life_of_ranks *life)
{
    return !s->is_passed && count_bits(missing(s, life)) <= 1;
}

bool sets_can_be_resumed(const struct life_of_ranks *life, size_t moment)
{
    for (size_t i = 0; i < moment; i++)
        if (is_demanded(&sets[i], life))
            return true;
    return false;
}

/* Returns true if the resumed save precedes a set of another lineage. */
static bool goes_before(uint64_t save, const struct set *s)
{
    uint64_t one = saves[save].number, other = saves[s->save].number;
    return one > other ||
        (one == other && saves[save].run > saves[s->save].run);
}

void sets_resumed(const struct life_of_ranks *life, uint32_t rank,
    size_t moment, uint64_t save, bool is_new)
{
    if (is_new)
        trace("RESUMED nothing: starts from the beginning");
    else
        trace("RESUMED save %" PRIu64, save);
    oracle_resumes++;
    for (size_t i = 0; i < moment; i++) {
        struct set *s = &sets[i];
        bool is_own = !is_new && oracle_is_from(save, s->save);
        if (is_own)
            s->moved |= missing(s, life) & ~s->lost;
        sets_repaired += is_own && s->save == save && missing(s, life) != 0;
        if (is_own)
            continue;
        if (!is_demanded(s, life) || (!is_new && goes_before(save, s))) {
            s->is_passed = true;
            continue;
        }
        finding(is_new ? FINDING_ANEW : FINDING_LOST,
            "rank %u of life %u %s %" PRIu64 ", and save %" PRIu64
            " was reported in life %u before",
            rank, life->number,
            is_new ? "started from the beginning" : "resumed the older save",
            save, s->save, s->life.number);
        return;
    }
}

/* --- Changes ------------------------------------------------------------ */

static void check_deleted(const struct process *p,
    const struct inode *directory, const char *name, uint64_t save)
{
    for (size_t i = 0; i < set_count; i++) {
        const struct set *s = &sets[i];
        if (s->is_passed || !oracle_is_from(save, s->save))
            continue;
        for (uint32_t k = 0; k < s->life.size; k++)
            if (!(s->lost & 1u << k) && directory_of_rank(s, k) == directory &&
                !has_newer(directory, s->save))
                finding(FINDING_DELETED,
                    "%s %u deleted %s/%s: of save %" PRIu64
                    ", which was reported, and what goes on with it rank %u "
                    "has nothing any more",
                    p->name, p->number, place_path(directory), name, s->save,
                    k);
    }
}

/* A file that is being deleted is named ".NAME.gone". */
static const char *name_before(const char *name, char whole[256])
{
    size_t size = strlen(name);
    if (name[0] != '.' || size < 7 || strcmp(name + size - 5, ".gone") != 0)
        return name;
    snprintf(whole, 256, "%.*s", (int)size - 6, name + 1);
    return whole;
}

void sets_name_changed(const struct process *p, const struct inode *directory,
    const char *name, const struct inode *older, const struct inode *newer)
{
    char whole[256];
    name = name_before(name, whole);
    uint64_t number = number_of(name);
    uint64_t save = newer ? oracle_save_of((struct inode *)newer) : 0;
    if (number && save && save < MOST_SAVES && !saves[save].number)
        saves[save].number = number;
    if (is_aside(name) && newer)
        sets_aside++;
    if (!older || newer || older->links)
        return;
    if (is_aside(name))
        finding(FINDING_DELETED, "%s %u deleted %s, which was set aside",
            p->name, p->number, name);
    else if (number)
        check_deleted(
            p, directory, name, oracle_save_of((struct inode *)older));
}

void sets_lose(const struct disk *disk)
{
    for (size_t i = 0; i < set_count; i++)
        for (uint32_t k = 0; k < sets[i].life.size; k++)
            if (sets[i].life.disks[k] == disk)
                sets[i].lost |= 1u << k;
}
