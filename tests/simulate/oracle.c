/* oracle.c - Records what was reported and checks the rules.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/finding.h"
#include "simulate/oracle_sets.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/store_requests.h"

enum { MOST_SAVES = 200, MOST_FACTS = 300, MOST_PINS = 40, MOST_LEASES = 60 };

#define MARK INT64_C(0x7661727665206973)
#define MARK_2 INT64_C(0x2073696d756c6174)

uint32_t oracle_saves, oracle_resumes;

static struct {
    uint64_t parent;
} saves[MOST_SAVES];
static size_t save_count;

/* A report that a save is complete. */
static struct fact {
    struct series series;
    uint64_t save;
    const char *path;
    bool is_lost;
} facts[MOST_FACTS];
static size_t fact_count;

static struct pin {
    const struct disk *disk;
    const char *path;
    uint64_t save;
} pins[MOST_PINS], unpins[MOST_PINS];
static size_t pin_count, unpin_count;

static struct lease {
    const struct inode *file; /* NULL: the lease has ended */
    const struct process *process;
} leases[MOST_LEASES];
static size_t lease_count;

static bool replaces;

void oracle_begin(bool replaces_steps)
{
    save_count = fact_count = pin_count = unpin_count = lease_count = 0;
    oracle_saves = oracle_resumes = 0;
    replaces = replaces_steps;
    sets_begin();
}

struct series oracle_series(
    const struct process *p, const char *prefix)
{
    return (struct series){ place_disk_of(p, prefix), prefix };
}

static bool is_same(struct series a, struct series b)
{
    return a.disk == b.disk && strcmp(a.prefix, b.prefix) == 0;
}

static const char *copied(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(arena_take(size), text, size);
}

/* --- Lineage ------------------------------------------------------------ */

void oracle_initial(int64_t values[VALUES])
{
    memset(values, 0, VALUES * sizeof *values);
    values[VALUE_MARK] = MARK;
    values[VALUE_MARK_2] = MARK_2;
}

uint64_t oracle_begins_save(int64_t values[VALUES])
{
    if (save_count + 1 >= MOST_SAVES) {
        finding(FINDING_STUCK, "more than %d saves", MOST_SAVES);
        return 0;
    }
    uint64_t save = ++save_count;
    saves[save].parent = (uint64_t)values[VALUE_SAVE];
    values[VALUE_PARENT] = values[VALUE_SAVE];
    values[VALUE_SAVE] = (int64_t)save;
    values[VALUE_STEP]++;
    return save;
}

bool oracle_is_from(uint64_t save, uint64_t older)
{
    while (save > older)
        save = saves[save].parent;
    return save == older && older != 0;
}

/* Returns the save that the metadata of a file identifies; its values may be in
 * data files. */
static uint64_t save_by_metadata(const struct inode *file)
{
    static const char mark[] = ORACLE_METADATA;
    const size_t size = sizeof mark - 1;
    unsigned long long save = 0;
    for (size_t i = 0; i + size + ORACLE_DIGITS <= file->size; i++)
        if (memcmp(file->bytes + i, mark, size) == 0) {
            char digits[ORACLE_DIGITS + 1] = { 0 };
            memcpy(digits, file->bytes + i + size, ORACLE_DIGITS);
            save = strtoull(digits, NULL, 10);
            break;
        }
    return save <= save_count ? save : 0;
}

uint64_t oracle_save_of(struct inode *file)
{
    const int64_t marks[] = { MARK, MARK_2 };
    if (!file || file->is_directory)
        return 0;
    if (file->is_marked)
        return file->save;
    file->is_marked = true;
    file->save = 0;
    for (size_t i = 0; i + VALUES * 8 <= file->size; i += 8)
        if (memcmp(file->bytes + i, marks, sizeof marks) == 0) {
            int64_t save;
            memcpy(&save, file->bytes + i + VALUE_SAVE * sizeof save,
                sizeof save);
            file->save = save > 0 && (size_t)save <= save_count
                ? (uint64_t)save
                : 0;
            break;
        }
    if (file->save == 0)
        file->save = save_by_metadata(file);
    return file->save;
}

/* --- Files of a prefix -------------------------------------------------- */

/* Returns true if a path consists of a directory and a name. */
static bool is_path_of(
    const char *path, const struct inode *directory, const char *name)
{
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, name) == 0 &&
        strncmp(path, place_path(directory), (size_t)(slash - path)) == 0;
}

/* Returns true if a name of a directory is that of a checkpoint of the
 * prefix. */
static bool is_of(struct series series,
    const struct inode *directory, const char *name)
{
    const char *slash = strrchr(series.prefix, '/');
    size_t size = strlen(slash + 1), all = strlen(name);
    if (directory->disk != series.disk || all <= size + 6 ||
        strncmp(name, slash + 1, size) != 0 || name[size] != '-' ||
        strcmp(name + all - 6, ".varve") != 0)
        return false;
    const char *path = place_path(directory);
    return strlen(path) == (size_t)(slash - series.prefix) &&
        strncmp(path, series.prefix, strlen(path)) == 0;
}

const struct inode *oracle_directory_of(struct series series)
{
    const struct inode *at = series.disk->root;
    size_t size = strlen(at->name);
    const char *part = series.prefix + size + 1;
    for (const char *slash; at && (slash = strchr(part, '/')) != NULL;
         part = slash + 1) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(slash - part), part);
        at = disk_find(at, name);
    }
    return at;
}

struct inode *oracle_file_at(const struct process *p, const char *path)
{
    const struct series series = oracle_series(p, path);
    const struct inode *directory = oracle_directory_of(series);
    return directory ? disk_find(directory, strrchr(path, '/') + 1) : NULL;
}

/* Returns a file, also under the name ".NAME.gone". A process that deletes it
 * renames it back if it was pinned or leased in the meantime. */
static struct inode *file_or_away(const struct process *p, const char *path)
{
    char away[300];
    const char *slash = strrchr(path, '/');
    struct inode *file = oracle_file_at(p, path);
    snprintf(away, sizeof away, "%.*s/.%s.gone", (int)(slash - path), path,
        slash + 1);
    return file ? file : oracle_file_at(p, away);
}

/* Returns true if a prefix has a save or one that continues it. */
static bool has_newer(struct series series, uint64_t save)
{
    const struct inode *d = oracle_directory_of(series);
    for (size_t i = 0; d && i < d->name_count; i++)
        if (is_of(series, d, d->names[i].text) &&
            oracle_is_from(oracle_save_of(d->names[i].inode), save))
            return true;
    return false;
}

/* --- Saves and resumes -------------------------------------------------- */

static void note(
    struct series series, uint64_t save, const char *path)
{
    if (fact_count == MOST_FACTS) {
        finding(FINDING_STUCK, "more than %d reports", MOST_FACTS);
        return;
    }
    facts[fact_count++] = (struct fact){ .series = series,
        .save = save,
        .path = path ? copied(path) : NULL };
}

/* On a disk without locks the number of a deleted checkpoint may be used
 * again. */
static bool gives_numbers_once(struct series series)
{
    return !(series.disk->traits & (DISK_NO_LOCKS | DISK_LOCAL_LOCKS));
}

void oracle_saved(const struct process *p, struct series series,
    uint64_t save, const char *path)
{
    trace("SAVED %" PRIu64 " as %s", save, path ? path : "(unknown path)");
    oracle_saves++;
    for (size_t i = 0; path && i < fact_count; i++) {
        const struct fact *f = &facts[i];
        if (gives_numbers_once(series) && f->path &&
            f->series.disk == series.disk && f->save != save &&
            strcmp(f->path, path) == 0 && !f->is_lost &&
            !(replaces && oracle_is_from(save, f->save)))
            finding(FINDING_TWICE,
                "saves %" PRIu64 " and %" PRIu64 " were both reported as %s",
                f->save, save, path);
    }
    if (path && oracle_save_of(oracle_file_at(p, path)) != save &&
        !has_newer(series, save))
        finding(FINDING_LOST,
            "save %" PRIu64 " was reported, and %s is not it", save, path);
    note(series, save, path);
}

size_t oracle_moment(void)
{
    return fact_count;
}

bool oracle_has(struct series series, size_t moment)
{
    for (size_t i = 0; i < moment; i++)
        if (is_same(facts[i].series, series) && !facts[i].is_lost)
            return true;
    return false;
}

/* Returns false if two runs can work at the same time, so that the saves of
 * both must remain: without locks, or after the lock of a store has expired
 * although its owner lived. */
static bool has_locks(struct series series)
{
    if ((series.disk->traits & DISK_IS_STORE) &&
        store_lock_was_overtaken())
        return false;
    return !(series.disk->traits &
        (DISK_NO_LOCKS | DISK_LOCAL_LOCKS | DISK_NO_CONDITIONS));
}

/* Returns true for saves of other programs. A tier may have saves of several
 * programs, each with its own directory. A resume continues one of them; the
 * others must remain. */
static bool is_of_others(
    const struct fact *f, const struct series *own, uint64_t save)
{
    return !is_same(f->series, *own) && !oracle_is_from(f->save, save) &&
        has_newer(f->series, f->save);
}

void oracle_resumed(const struct process *p, const struct series *all,
    size_t count, size_t moment, const int64_t values[VALUES], bool is_new)
{
    uint64_t save = (uint64_t)values[VALUE_SAVE];
    if (is_new)
        trace("RESUMED nothing: starts from the beginning");
    else
        trace("RESUMED save %" PRIu64, save);
    oracle_resumes++;
    for (size_t i = 0; i < moment; i++) {
        const struct fact *f = &facts[i];
        bool is_asked = false;
        for (size_t k = 0; k < count; k++)
            is_asked |= is_same(f->series, all[k]);
        if (!is_asked || f->is_lost ||
            (!is_new && oracle_is_from(save, f->save)) ||
            (!is_new && !has_locks(f->series) &&
                has_newer(f->series, f->save)) ||
            (!is_new && is_of_others(f, &all[0], save)))
            continue;
        finding(is_new ? FINDING_ANEW : FINDING_LOST,
            "%s %u %s, and save %" PRIu64 " was reported in %s before", p->name,
            p->number,
            is_new ? "started from the beginning" : "resumed an older save",
            f->save, f->series.prefix);
        return;
    }
}

/* --- Readers ------------------------------------------------------------ */

void oracle_found_nothing(const struct process *p,
    struct series series, size_t moment, const char *call)
{
    trace("%s: nothing there", call);
    if (oracle_has(series, moment))
        finding(FINDING_NOT_FOUND,
            "%s of %s %u found nothing in %s, where something was reported",
            call, p->name, p->number, series.prefix);
}

void oracle_read(const struct process *p, struct series series,
    size_t moment, const int64_t values[VALUES], const char *call)
{
    uint64_t save = (uint64_t)values[VALUE_SAVE];
    trace("%s: save %" PRIu64, call, save);
    if (values[VALUE_MARK] != MARK || save == 0 || save > save_count) {
        finding(FINDING_LOST, "%s of %s %u read values that were never saved",
            call, p->name, p->number);
        return;
    }
    for (size_t i = 0; i < moment; i++)
        if (is_same(facts[i].series, series) && !facts[i].is_lost &&
            oracle_is_from(facts[i].save, save) && facts[i].save != save) {
            finding(FINDING_LOST,
                "%s of %s %u read save %" PRIu64 ", and save %" PRIu64
                " was reported before",
                call, p->name, p->number, save, facts[i].save);
            return;
        }
}

void oracle_named(const struct process *p, struct series series,
    size_t moment, const char *path, const char *call)
{
    uint64_t save = oracle_save_of(oracle_file_at(p, path));
    const int64_t values[VALUES] = { [VALUE_MARK] = MARK,
        [VALUE_SAVE] = (int64_t)save };
    if (save)
        oracle_read(p, series, moment, values, call);
}

/* --- Pins and leases ---------------------------------------------------- */

/* Returns true if another program removed the pin before the call that made it
 * returned. */
static bool was_unpinned(const struct process *p, const char *path)
{
    char pin[300];
    bool is_known = false;
    const struct disk *disk = place_disk_of(p, path);
    for (size_t i = 0; i < unpin_count; i++)
        is_known |= unpins[i].disk == disk && strcmp(unpins[i].path, path) == 0;
    snprintf(pin, sizeof pin, "%.*s.pin", (int)strlen(path) - 6, path);
    return is_known && !oracle_file_at(p, pin);
}

void oracle_pinned(const struct process *p, const char *path)
{
    uint64_t save = oracle_save_of(file_or_away(p, path));
    trace("PINNED %s, save %" PRIu64, path, save);
    if (save == 0)
        finding(FINDING_PINNED, "%s was reported as pinned, and is gone", path);
    else if (was_unpinned(p, path))
        trace("  (and unpinned meanwhile)");
    else if (pin_count < MOST_PINS)
        pins[pin_count++] = (struct pin){
            place_disk_of(p, path), copied(path), save
        };
}

void oracle_unpins(const struct process *p, const char *path)
{
    const struct disk *disk = place_disk_of(p, path);
    trace("UNPINS %s", path);
    if (unpin_count < MOST_PINS)
        unpins[unpin_count++] = (struct pin){ disk, copied(path), 0 };
    for (size_t i = 0; i < pin_count; i++)
        if (pins[i].disk == disk && strcmp(pins[i].path, path) == 0)
            pins[i].disk = NULL;
}

size_t oracle_leased(const struct process *p, const char *path)
{
    const struct inode *file = file_or_away(p, path);
    trace("LEASED %s", path);
    if (!file)
        finding(FINDING_LEASED, "%s was reported as leased, and is gone", path);
    if (lease_count == MOST_LEASES)
        return 0;
    leases[lease_count] = (struct lease){ file, p };
    return lease_count++;
}

void oracle_lease_ends(size_t lease)
{
    trace("ENDS LEASE");
    leases[lease].file = NULL;
}

/* --- Tiers -------------------------------------------------------------- */

void oracle_drained(const struct process *p, struct series level,
    uint64_t save, const char *latest)
{
    trace("DRAINED, %s at the level", latest ? latest : "nothing");
    struct inode *file = latest ? oracle_file_at(p, latest) : NULL;
    /* A run that continues from the copy may have deleted it in the
     * meantime. */
    if (file ? oracle_save_of(file) != save
             : !latest || !has_newer(level, save)) {
        finding(FINDING_COPY,
            "%s %u drained save %" PRIu64 ", and %s is save %" PRIu64, p->name,
            p->number, save, latest ? latest : "nothing", oracle_save_of(file));
        return;
    }
    note(level, save, latest);
}

/* --- Changes ------------------------------------------------------------ */

static void check_protected(const struct process *p,
    const struct inode *directory, const char *name, const struct inode *older)
{
    for (size_t i = 0; i < pin_count; i++)
        if (pins[i].disk == directory->disk && pins[i].save == older->save &&
            is_path_of(pins[i].path, directory, name))
            finding(FINDING_PINNED, "%s %u deleted %s, which is pinned",
                p->name, p->number, pins[i].path);
    for (size_t i = 0; i < lease_count; i++)
        if (leases[i].file == older && leases[i].process->is_alive)
            finding(FINDING_LEASED, "%s %u deleted %s, which is leased",
                p->name, p->number, name);
}

static void check_newest(const struct process *p, const char *name)
{
    for (size_t i = 0; i < fact_count; i++)
        if (!facts[i].is_lost &&
            !has_newer(facts[i].series, facts[i].save))
            finding(FINDING_DELETED,
                "%s %u deleted %s: of save %" PRIu64
                ", which was reported, and what goes on with it nothing is in "
                "%s any more",
                p->name, p->number, name, facts[i].save,
                facts[i].series.prefix);
}

/* A file that is being deleted is renamed to ".NAME.gone", and may be renamed
 * back. */
static bool is_gone(const char *name)
{
    size_t size = strlen(name);
    return name[0] == '.' && size > 6 && strcmp(name + size - 5, ".gone") == 0;
}

static bool is_away(const struct inode *directory, const char *name,
    const struct inode *file)
{
    char away[256];
    snprintf(away, sizeof away, ".%s.gone", name);
    return disk_find(directory, away) == file;
}

void oracle_name_changed(const struct process *p,
    const struct inode *directory, const char *name, struct inode *older,
    struct inode *newer)
{
    size_t size = strlen(name);
    sets_name_changed(p, directory, name, older, newer);
    if (older && !newer && is_gone(name)) {
        char whole[256];
        snprintf(whole, sizeof whole, "%.*s", (int)size - 6, name + 1);
        if (!older->links)
            check_protected(p, directory, whole, older);
        return;
    }
    if (!older || name[0] == '.' || size < 6 ||
        strcmp(name + size - 6, ".varve") != 0)
        return;
    uint64_t save = oracle_save_of(older);
    if (save == 0)
        return;
    /* A copy whose outcome is unknown is repeated. */
    bool goes_on = newer && (oracle_save_of(newer) == save ||
        (replaces && oracle_is_from(oracle_save_of(newer), save)));
    if (newer && !goes_on)
        finding(FINDING_REPLACED,
            "%s %u replaced %s, save %" PRIu64 ", by save %" PRIu64, p->name,
            p->number, name, save, oracle_save_of(newer));
    if (!newer && !is_away(directory, name, older))
        check_protected(p, directory, name, older);
    check_newest(p, name);
}

void oracle_lose(const struct disk *disk)
{
    sets_lose(disk);
    for (size_t i = 0; i < fact_count; i++)
        facts[i].is_lost |= facts[i].series.disk == disk;
    for (size_t i = 0; i < pin_count; i++)
        if (pins[i].disk == disk)
            pins[i].disk = NULL;
}
