/* test_writes.c - Tests every write option in every call that takes it, alone
 * and with others: it has its effect, or is rejected with its name in the
 * message.
 *
 * SPDX-License-Identifier: MIT
 */
#include "option_names.h"
#include "writes.h"

/* Combinations for which a header documents that the option has no effect. */
static const struct exception exceptions[] = {
    { "async.zero_copy", "manager|saver", "manager.h",
        "`async.zero_copy` has no effect" },
    { "async.zero_copy", "", "options.h",
        "Has no effect on synchronous saves." },
    { "async.in_flight", "", "options.h",
        "Has no effect on synchronous saves, managers and savers" },
    { NULL, NULL, NULL, NULL },
};

/* --- The verdict ---------------------------------------------------------- */

static bool is_refused(const struct trial *t, const struct setting *setting)
{
    const char *message = t->errors[0].message;
    varve_status wanted = t->row->is_too_new ? VARVE_TOO_NEW : VARVE_MISUSE;
    if (t->statuses[0] == VARVE_MISUSE && *setting->sets &&
        has_any(message, setting->sets))
        return true;
    if (t->statuses[0] != wanted)
        return false;
    if (t->row->is_too_new || has_any(message, t->row->name))
        return true;
    return *t->row->needs && has_any(message, t->row->needs);
}

static bool is_excepted(const struct trial *t)
{
    for (const struct exception *e = exceptions; e->option; e++)
        if (strcmp(e->option, t->row->name) == 0 &&
            (!*e->calls || has_any(t->call->name, e->calls)))
            return true;
    return false;
}

static enum verdict judge(const struct trial *t, const struct setting *setting)
{
    if (is_refused(t, setting))
        return REFUSED;
    if (t->is_seen)
        return t->fails_first ? FAILED : HONOURED;
    if (is_excepted(t))
        return t->statuses[0] ? FAILED : DOCUMENTED;
    return t->statuses[0] ? FAILED : IGNORED;
}

/* Returns true if all ranks have the same result. */
static bool are_alike(const struct trial *t)
{
    return !t->call->is_of_many ||
           (t->statuses[0] == t->statuses[1] &&
               (!t->statuses[0] ||
                   strcmp(t->errors[0].message, t->errors[1].message) == 0));
}

static enum verdict try(const struct write_call *c, const struct write_row *row,
    const struct setting *setting)
{
    struct trial t;
    begin_trial(&t, c, row, setting, true);
    run_trial(&t);
    enum verdict verdict = are_alike(&t) ? judge(&t, setting) : FAILED;
    if (verdict == IGNORED || verdict == FAILED)
        fprintf(stderr, "%s, %s, `%s`: %s: %s %s\n", c->name, setting->name,
            row->name, verdict == IGNORED ? "ignored" : "failed",
            varve_status_name(t.statuses[0]), t.errors[0].message);
    if (verdict != HONOURED || setting != settings)
        return verdict;
    begin_trial(&t, c, row, setting, false);
    run_trial(&t);
    return t.is_seen ? ALWAYS : HONOURED;
}

/* --- The tests ------------------------------------------------------------ */

TEST(options_of_writes, and_calls_all_have_a_row)
{
    char text[8192] = "";
    for (size_t i = 0; i < write_row_count; i++)
        sprintf(text + strlen(text), "%s %s ", write_rows[i].name,
            write_rows[i].with);
    check_covered(write_fields, text, "a row of write_rows");
    text[0] = '\0';
    for (size_t i = 0; i < write_call_count; i++)
        sprintf(text + strlen(text), "%s ", write_calls[i].taker);
    check_covered(write_takers, text, "a call of write_calls");
}

TEST(options_of_writes, have_no_effect_only_if_a_header_documents_it)
{
    for (const struct exception *e = exceptions; e->option; e++)
        cr_expect(is_quoted(e), "%s: expected in it: %s", e->header, e->quote);
}

/* Writes a line for each call and a column for each option. */
static void try_all(const struct setting *setting, char *table, size_t room)
{
    size_t bad = 0;
    size_t at = (size_t)snprintf(table, room, "%s\n", setting->name);
    for (size_t k = 0; k < write_row_count; k++)
        at += (size_t)snprintf(table + at, room - at, "%*s %s\n",
            (int)(32 + 2 * k), "|", write_rows[k].name);
    for (size_t i = 0; i < write_call_count; i++) {
        at += (size_t)snprintf(
            table + at, room - at, "%-30s", write_calls[i].name);
        for (size_t k = 0; k < write_row_count; k++) {
            enum verdict v = try(&write_calls[i], &write_rows[k], setting);
            bad += v == IGNORED || v == FAILED;
            at += (size_t)snprintf(table + at, room - at, " %c", v);
        }
        at += (size_t)snprintf(table + at, room - at, "\n");
    }
    proof_count("options.writes", write_call_count * write_row_count);
    cr_expect(bad == 0, "%zu combinations are ignored or fail", bad);
}

#define TEST_WITH(name, number)                                                \
    TEST(options_of_writes, name)                                              \
    {                                                                          \
        char table[16384];                                                     \
        try_all(&settings[number], table, sizeof table);                       \
        check_table("write_" #number ".txt", table);                           \
    }

TEST_WITH(have_their_effect_alone, 0)
TEST_WITH(have_their_effect_with_incremental_saves, 1)
TEST_WITH(have_their_effect_with_compression, 2)
TEST_WITH(have_their_effect_with_compressed_incremental_saves, 3)
TEST_WITH(have_their_effect_in_another_format, 4)
