/* pin.c - Implements varve pin and varve unpin: protects a checkpoint from
 * deletion.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"
#include "complaint.h"
#include "run.h"
#include "store_path.h"

static const struct option_row options[] = { OPTION_HELP, OPTION_END };

static varve_status pin(
    const struct run *run, uint64_t number, bool pins, varve_error *error)
{
    return pins ? varve_manager_pin(run->manager, number, error)
                : varve_manager_unpin(run->manager, number, error);
}

static int pin_one(
    const struct settings *settings, const char *argument, bool pins)
{
    varve_error error = { .status = VARVE_OK };
    const struct run_entry *entry;
    struct run_list list;
    int outcome = run_open_one(settings, argument, &list, &entry);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (!entry->is_managed)
        outcome = complain(
            settings, &(struct complaint){ .outcome = OUTCOME_NO,
                          .code = varve_status_name(VARVE_MISUSE),
                          .what = pins ? "cannot pin" : "cannot unpin",
                          .file = entry->facts.path,
                          .why = "only Varve checkpoints can be pinned" });
    else if (pin(&list.runs[0], entry->facts.number, pins, &error))
        outcome = complain_status(settings,
            pins ? "cannot pin" : "cannot unpin", entry->facts.path, &error);
    run_list_clear(&list);
    return outcome;
}

static int pin_all(
    const struct settings *settings, int count, char **operands, bool pins)
{
    int worst = OUTCOME_DONE;
    for (int i = 0; i < count; i++) {
        if (is_on_web(operands[i]))
            return complain_store(settings, operands[i]);
        if (!run_which(operands[i]))
            return complain_usage(settings,
                "DIRECTORY@WHICH is required, such as run@12 or run@latest, "
                "found '%s'",
                operands[i]);
    }
    for (int i = 0; i < count; i++) {
        int outcome = pin_one(settings, operands[i], pins);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

static int run_pin(const void *settings, int count, char **operands)
{
    return pin_all(settings, count, operands, true);
}

static int run_unpin(const void *settings, int count, char **operands)
{
    return pin_all(settings, count, operands, false);
}

const struct command pin_command = {
    .name = "pin",
    .operands = "DIRECTORY@WHICH...",
    .summary = "keep checkpoints until they are unpinned",
    .details = "Managers and varve prune never delete a pinned checkpoint. The "
               "pin is an empty file\nPREFIX-N.pin beside it. WHICH is a "
               "number, latest, latest-valid or best.\n",
    .options = options,
    .options_size = sizeof(struct settings),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run_pin,
};

const struct command unpin_command = {
    .name = "unpin",
    .operands = "DIRECTORY@WHICH...",
    .summary = "remove the pins",
    .details = "Removes the pin of varve pin. Nothing is deleted.\n",
    .options = options,
    .options_size = sizeof(struct settings),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run_unpin,
};
