/* arguments.c - Parses the options of 01_train with getopt_long.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool parse_steps(const char *text, int64_t *steps)
{
    uint64_t number;
    if (!parse_number(text, &number) || number > INT64_MAX)
        return false;
    *steps = (int64_t)number;
    return true;
}

static bool parse_size(const char *text, size_t *size)
{
    uint64_t number;
    if (!parse_number(text, &number) || number > SIZE_MAX)
        return false;
    *size = (size_t)number;
    return true;
}

static bool take(struct arguments *arguments, int option)
{
    switch (option) {
    case 'n': return parse_steps(optarg, &arguments->steps);
    case 'k':
        return parse_number(optarg, &arguments->save_every) &&
               arguments->save_every > 0;
    case 'p': return parse_size(optarg, &arguments->keep);
    case 's': return parse_number(optarg, &arguments->seed);
    case 'd': arguments->directory = optarg; return true;
    case 'q': arguments->quiet = true; return true;
    default: return false;
    }
}

bool arguments_parse(struct arguments *arguments, int count, char **words)
{
    static const struct option options[] = {
        { "steps", required_argument, NULL, 'n' },
        { "save-every", required_argument, NULL, 'k' },
        { "keep", required_argument, NULL, 'p' },
        { "seed", required_argument, NULL, 's' },
        { "directory", required_argument, NULL, 'd' },
        { "quiet", no_argument, NULL, 'q' },
        { NULL, 0, NULL, 0 },
    };
    int option;
    while ((option = getopt_long(count, words, "", options, NULL)) != -1) {
        if (!take(arguments, option))
            return false;
    }
    if (optind < count)
        arguments->text = words[optind++];
    return optind == count;
}
