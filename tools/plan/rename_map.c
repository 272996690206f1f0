/* rename_map.c - Prints suggested renames, grouped by reason, then the given
 * renames. Guesses are comments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rename_map.h"

#include <string.h>

#include "plan_answer.h"

/* Prints a path for a rename file. Characters that could be parsed as an arrow,
 * a comment or a trimmed space are escaped. */
static void print_path(FILE *to, const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < size; i++) {
        bool is_end = i == 0 || i + 1 == size;
        unsigned char byte = (unsigned char)path[i];
        if (byte == '>' || (is_end && (byte == ' ' || byte == '#')))
            fprintf(to, "%%%02X", byte);
        else
            putc(byte, to);
    }
}

static void print_rename(
    FILE *to, const char *program, const char *file, bool is_guess)
{
    fputs(is_guess ? "#? " : "", to);
    print_path(to, program);
    fputs(" -> ", to);
    print_path(to, file);
    putc('\n', to);
}

/* Prints the reasons of the suggestions that follow from a fold. One guess
 * among them makes it a guess. */
static void print_fold(
    FILE *to, const struct suggestions *suggestions, const struct fold *f)
{
    bool is_guess = false;
    size_t counts[HOW_PLACE + 1] = { 0 };
    for (size_t i = 0; i < suggestions->count; i++) {
        const struct suggestion *s = &suggestions->items[i];
        if (!fold_has(f, s))
            continue;
        counts[s->how]++;
        is_guess |= how_is_guess(s->how);
    }
    fprintf(to, "\n# %s for %zu value%s:", is_guess ? "guessed" : "suggested",
        f->count, f->count == 1 ? "" : "s");
    for (int how = HOW_END; how <= (int)HOW_PLACE; how++) {
        if (counts[how])
            fprintf(to, " %s %zu", how_word((enum how)how), counts[how]);
    }
    putc('\n', to);
    print_rename(to, f->program_path, f->file_path, is_guess);
}

void rename_map_print(FILE *to, const struct suggestions *suggestions,
    const struct folds *folds, const struct renames *renames)
{
    enum how last = HOW_ALONG;
    fputs("# Renames, program -> file. Check each that was suggested. A guess "
          "is a\n"
          "# comment: remove '#? ' where it is right.\n",
        to);
    for (int how = HOW_END; how <= (int)HOW_PLACE; how++) {
        for (size_t i = 0; i < suggestions->count; i++) {
            const struct suggestion *s = &suggestions->items[i];
            if ((int)s->how != how || folds_have(folds, s))
                continue;
            if (last != s->how)
                fprintf(to, "\n# %s: %s\n",
                    how_is_guess(s->how) ? "guessed" : "suggested",
                    how_text(s->how));
            last = s->how;
            print_rename(
                to, s->program_path, s->file_path, how_is_guess(s->how));
        }
    }
    for (size_t i = 0; i < folds->count; i++)
        print_fold(to, suggestions, &folds->items[i]);
    if (renames->count)
        fputs("\n# given\n", to);
    for (size_t i = 0; i < renames->count; i++)
        fprintf(to, "%s -> %s\n", renames->rules[i].to, renames->rules[i].from);
}
