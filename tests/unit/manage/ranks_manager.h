/* ranks_manager.h - Provides the operations of ranks with a manager, and their
 * recorded results.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_RANKS_MANAGER_H
#define UNIT_RANKS_MANAGER_H

#include "ranks.h"

static inline void make(struct rank *r, const varve_manager_options *options)
{
    varve_manager_options own = *options;
    own.comm = r->comm;
    r->manager = varve_manager_new(r->root, "run", &own, &r->error);
    if (!r->manager)
        note_status(r, "new", r->error.status);
}

static inline void look_around(struct rank *r)
{
    varve_checkpoint_info m;
    const char *text = varve_manager_latest(r->manager);
    note(r, "latest %s\n", text ? text : "none");
    text = varve_manager_warning(r->manager);
    note(r, "warning %s\n", text ? text : "none");
    for (size_t i = 0; varve_manager_at(r->manager, i, &m); i++)
        note(r, "%s %d %d %g %d %s%s%s%s\n", m.path, (int)m.counter,
            (int)m.step, m.metric, (int)m.size, m.kept ? m.kept : "to go",
            m.is_ours ? ", ours" : "", m.is_pinned ? ", pin" : "",
            m.is_damaged ? ", bad" : "");
    for (size_t i = 0; (text = varve_manager_skipped(r->manager, i)); i++)
        note(r, "passed over %s\n", text);
}

static inline void save_with(
    struct rank *r, int64_t step, const varve_manager_save_options *options)
{
    set_values(r, step);
    note_status(r, "save",
        varve_manager_save_with(r->manager, step, options, &r->error));
    const char *path = varve_manager_saved(r->manager);
    note(r, "saved %s\n", path ? path : "nothing");
}

static inline void save(struct rank *r, int64_t step)
{
    save_with(r, step, NULL);
}

static inline void resume(struct rank *r)
{
    set_values(r, -1);
    note_status(r, "resume", varve_manager_resume(r->manager, &r->error));
    note(r, "step %d, %s\n", (int)r->step,
        has_values(r) ? "whole" : "something else");
}

static inline void resume_only(struct rank *r, const void *user)
{
    make(r, user);
    if (r->manager) {
        resume(r);
        look_around(r);
    }
}

static inline void save_three(struct rank *r, const void *user)
{
    make(r, user);
    for (int step = 1; r->manager && step <= 3; step++)
        save(r, 10 * step);
}

static inline void check_has(const char *notes, const char *wanted)
{
    cr_assert(strstr(notes, wanted), "expected %s in\n%s", wanted, notes);
}

static inline bool has_file(const char *path)
{
    size_t size;
    return memory_bytes(disk.memory, path, &size) != NULL;
}

static const varve_manager_options plain = { .keep_last = 0 };

static inline void go_on(struct rank *r, const void *user)
{
    make(r, user);
    resume(r);
    save(r, r->step + 1);
}

#endif
