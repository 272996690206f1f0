/* output.c - files that are whole or not there, and what Ctrl-C does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complaint.h"
#include "store_path.h"

/* What the handler has to remove; set before the file is made. */
static char *volatile half_written;

static volatile sig_atomic_t is_patient;
static volatile sig_atomic_t was_interrupted;

static void on_interruption(int number)
{
    (void)number;
    if (is_patient && !was_interrupted) {
        was_interrupted = 1;
        return;
    }
    if (half_written)
        unlink(half_written);
    _exit(OUTCOME_INTERRUPTED);
}

void interruption_waits(bool waits)
{
    is_patient = waits;
}

bool interrupted(void)
{
    return was_interrupted != 0;
}

void catch_interruption(void)
{
    struct sigaction action = { .sa_handler = on_interruption };
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

/* Where the program ends in the middle, as without memory. */
static void remove_half_written(void)
{
    if (half_written)
        unlink(half_written);
}

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static FILE *open_temporary(struct output *output)
{
    size_t size = strlen(output->path) + sizeof ".XXXXXX.tmp" + 16;
    output->temporary = malloc(size);
    if (!output->temporary)
        return NULL;
    snprintf(
        output->temporary, size, "%s.%ld.tmp", output->path, (long)getpid());
    int file =
        open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return NULL;
    half_written = output->temporary;
    atexit(remove_half_written);
    return fdopen(file, "w");
}

int output_open(
    const struct settings *settings, const char *path, struct output *output)
{
    *output = (struct output){ .stream = stdout, .path = path };
    if (!output->path)
        return OUTCOME_DONE;
    if (is_in_store(path))
        return complain_store(settings, path);
    if (is_special(output->path))
        output->stream = fopen(output->path, "w");
    else
        output->stream = open_temporary(output);
    if (output->stream)
        return OUTCOME_DONE;
    int outcome = complain_system(settings, "cannot write", output->path);
    free(output->temporary);
    return outcome;
}

int output_close(
    const struct settings *settings, struct output *output, int outcome)
{
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    if (output->path)
        failed |= fclose(output->stream) != 0;
    if (outcome == OUTCOME_DONE && !failed && output->temporary)
        failed = rename(output->temporary, output->path) != 0;
    if (outcome == OUTCOME_DONE && failed)
        outcome = complain_system(settings, "cannot write",
            output->path ? output->path : "standard output");
    if (outcome != OUTCOME_DONE && output->temporary)
        unlink(output->temporary);
    half_written = NULL;
    free(output->temporary);
    return outcome;
}
