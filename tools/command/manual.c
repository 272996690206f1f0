/* manual.c - Prints manual pages in roff with the man macros.
 *
 * Texts are plain paragraphs. Options such as `--option` in them are set in
 * bold, names of operands and arguments in italics.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- Words -------------------------------------------------------------- */

static void put_escaped(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[i]);
    }
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || isdigit((unsigned char)c);
}

static size_t word_size(const char *text)
{
    size_t size = 0;
    while (is_letter(text[size]) ||
           (size && text[size] == '-' && is_letter(text[size + 1])))
        size++;
    return size;
}

static bool is_upper_word(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isupper((unsigned char)text[i]))
            return false;
    }
    return size > 0;
}

/* Returns true if a text contains the word as a whole word. */
static bool has_word(const char *text, const char *word, size_t size)
{
    for (const char *at = text; at && *at; at++) {
        size_t found = is_letter(*at) ? word_size(at) : 0;
        if (found == size && memcmp(at, word, size) == 0)
            return true;
        at += found ? found - 1 : 0;
    }
    return false;
}

static bool is_placeholder(
    const struct command *command, const char *word, size_t size)
{
    if (!command || !is_upper_word(word, size))
        return false;
    if (has_word(command->operands, word, size))
        return true;
    for (const struct option_row *row = command->options; row->name; row++) {
        if (has_word(row->argument, word, size))
            return true;
    }
    return false;
}

/* Returns the size of an option at the start of `text`, which must follow a
 * space or a bracket; 0 if there is none. */
static size_t option_size(const char *text, char before)
{
    size_t dashes = strspn(text, "-");
    if (dashes < 1 || dashes > 2 || strchr(" ([,'", before) == NULL)
        return 0;
    size_t size = word_size(text + dashes);
    return size > 0 && isalpha((unsigned char)text[dashes]) ? dashes + size : 0;
}

/* Prints one line or paragraph as running text. */
static void put_text(
    const struct command *command, const char *text, size_t size)
{
    const char *end = text + size;
    char before = ' ';
    if (size && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    while (text < end) {
        size_t word = is_letter(*text) ? word_size(text) : 0;
        size_t option = word ? 0 : option_size(text, before);
        size_t used = option ? option : word ? word : 1;
        bool is_name = word && is_placeholder(command, text, word);
        fputs(option ? "\\fB" : is_name ? "\\fI" : "", stdout);
        put_escaped(*text == '\n' ? " " : text, used);
        fputs(option || is_name ? "\\fR" : "", stdout);
        text += used;
        before = text[-1];
    }
}

/* Prints paragraphs, which are separated by empty lines. One whose lines begin
 * with spaces is printed without filling. */
static void put_paragraphs(const struct command *command, const char *text)
{
    for (bool first = true; *text; first = false) {
        const char *end = strstr(text, "\n\n");
        size_t size = end ? (size_t)(end - text) : strlen(text);
        size_t shown = size - (size && text[size - 1] == '\n');
        fputs(first ? "" : ".PP\n", stdout);
        if (*text == ' ') {
            fputs(".nf\n", stdout);
            put_escaped(text, shown);
            fputs("\n.fi\n", stdout);
        } else {
            put_text(command, text, shown);
            putchar('\n');
        }
        text += size;
        text += strspn(text, "\n");
    }
}

/* --- A page ------------------------------------------------------------- */

static void put_title(const char *name, const char *summary)
{
    fputs(".\\\" Made by the command itself: varve help --man\n", stdout);
    printf(".TH %s 1 \"\" Varve\n.nh\n.ad l\n.SH NAME\n", name);
    put_escaped(name, strlen(name));
    fputs(" \\- ", stdout);
    put_text(NULL, summary, strlen(summary));
    putchar('\n');
}

static void put_synopsis(const struct command *command)
{
    printf("\\fBvarve %s\\fR [\\fIoptions\\fR] ", command->name);
    put_text(command, command->operands, strlen(command->operands));
    putchar('\n');
}

static void put_option(
    const struct command *command, const struct option_row *row)
{
    const char *between = !row->argument || row->argument[0] == '[' ? ""
                          : row->kind == OPTION_WORD                ? "="
                                                                    : " ";
    fputs(".TP\n", stdout);
    if (row->letter)
        printf("\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", stdout);
    put_escaped(row->name, strlen(row->name));
    printf("\\fR%s", between);
    if (row->argument)
        put_text(command, row->argument, strlen(row->argument));
    putchar('\n');
    put_text(command, row->help, strlen(row->help));
    putchar('\n');
}

static const char ends[] =
    ".SH EXIT STATUS\n"
    ".TP\n"
    "\\fB0\\fR\n"
    "success: equal, complete, found\n"
    ".TP\n"
    "\\fB1\\fR\n"
    "damage was found, checkpoints differ, a value was lost, or there is no "
    "such path, checkpoint or match\n"
    ".TP\n"
    "\\fB2\\fR\n"
    "wrong usage\n"
    ".TP\n"
    "\\fB3\\fR\n"
    "a file cannot be read or written\n"
    ".TP\n"
    "\\fB4\\fR\n"
    "not a checkpoint, or too damaged to read\n"
    ".TP\n"
    "\\fB5\\fR\n"
    "made by a newer version\n"
    ".PP\n"
    "SIGHUP, SIGINT (Ctrl-C) and SIGTERM end the command; incomplete output "
    "files\n"
    "are removed first.\n";

void print_manual(const struct command *command)
{
    char name[64];
    snprintf(name, sizeof name, "varve-%s", command->name);
    put_title(name, command->summary);
    fputs(".SH SYNOPSIS\n", stdout);
    put_synopsis(command);
    fputs(".SH DESCRIPTION\n", stdout);
    put_paragraphs(
        command, command->details ? command->details : command->summary);
    fputs(".SH OPTIONS\n", stdout);
    for (const struct option_row *row = command->options; row->name; row++)
        put_option(command, row);
    fputs(ends, stdout);
    fputs(".SH SEE ALSO\n"
          "\\fBvarve\\fR(1): what \\fIFILE\\fR, \\fIPATH\\fR and patterns are, "
          "and the other commands\n",
        stdout);
}

/* --- The page of all ---------------------------------------------------- */

static const char description[] =
    "Inspects, verifies, compares and converts checkpoints. Reads and writes "
    "the formats of Varve, TensorFlow and Keras, safetensors, NumPy (npy and "
    "npz), PyTorch (torch.save), GGUF, and HDF5. Reads ONNX, Flax (JAX) and "
    "torch.distributed.";

static const char operands[] =
    "FILE is a checkpoint, with or without its suffix .varve, or the prefix of "
    "numbered ones, or a directory of them, of which that of the highest "
    "number "
    "is taken. Of a TensorFlow checkpoint it is any of its files, their "
    "prefix, "
    "a SavedModel, or a directory with a checkpoint file.\n"
    "\n"
    "DIRECTORY@WHICH and DIRECTORY/PREFIX@WHICH are checkpoints of a "
    "directory: "
    "latest is what was saved last, latest-valid the last of which every byte "
    "verifies, best the one of the best metric, as its manager's ledger says "
    "which that is; a number is that of the name, or else a step.\n"
    "\n"
    "PATH is a part of a checkpoint: names of edges joined by '/', such as "
    "model/layers/0/kernel. In a name the characters / % * | ( ) and control "
    "characters are written as %XX. A slot variable's path is "
    "owner/slot(variable).\n";

static const char patterns[] =
    "In a pattern * stands for any part of a name, ** for any number of names, "
    "? for one character and [a-z] for one of a set. It stands for everything "
    "below what it matches too. Of several -I and -X the last one that matches "
    "decides.\n"
    "\n"
    "A slot is written adam/m(**): what is in the parentheses is a pattern of "
    "its variable's path. Several patterns in one argument are separated by |. "
    "The two sides of a rename 'NEW -> OLD' have the same wildcards, of which "
    "only stars count, in the same order; what one matched on the left is put "
    "in its place on the right. The first rename that matches decides, and the "
    "last cast.\n";

static const char answers[] =
    "--json prints one object whose schema says what it is, such as "
    "varve.ls/1; "
    "what has many rows has them in items. Keys are only added as long as the "
    "number stays. Whole numbers are exact, digests are hexadecimal, NaN and "
    "infinities are the strings \"NaN\", \"Infinity\" and \"-Infinity\", and a "
    "name that is no UTF-8 is {\"hex\":\"...\"}. --jsonl prints the items "
    "alone, one on each line. An error is then an object varve.error/1 on "
    "standard error.\n"
    "\n"
    "Names from files are printed with what could steer a terminal as %XX.\n";

static const char examples[] =
    "Look into a TensorFlow checkpoint:\n"
    "\n"
    "    varve ls training/ckpt-7\n"
    "\n"
    "Which checkpoints are there, and why does each stay?\n"
    "\n"
    "    varve log run\n"
    "\n"
    "Take the model of the best one, without the optimizer, to safetensors:\n"
    "\n"
    "    varve convert run@best:model model.safetensors\n"
    "\n"
    "Half of the size, with other names:\n"
    "\n"
    "    varve convert --cast bfloat16 --rename 'enc/** -> encoder/**' "
    "model.safetensors model.varve\n"
    "\n"
    "One value for NumPy:\n"
    "\n"
    "    varve convert run/ckpt-12000:model/layers/0/kernel kernel.npy\n";

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBNO_COLOR\\fR\nIf it is set and not empty, nothing is colored "
    "unless \\fB\\-\\-color=always\\fR.\n"
    ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\nTrees are drawn with "
    "ASCII characters unless the locale is UTF\\-8.\n";

void print_manual_of_all(const struct command *const *commands, size_t count)
{
    put_title("varve", "inspect, verify, compare and convert checkpoints");
    fputs(".SH SYNOPSIS\n", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ".br\n" : "", stdout);
        put_synopsis(commands[i]);
    }
    fputs(".br\n\\fBvarve help\\fR [\\fIcommand\\fR]\n"
          ".br\n\\fBvarve version\\fR\n.SH DESCRIPTION\n",
        stdout);
    put_paragraphs(NULL, description);
    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; i < count; i++)
        printf(".TP\n\\fBvarve\\-%s\\fR(1)\n%s\n", commands[i]->name,
            commands[i]->summary);
    fputs(".SH FILES AND PATHS\n", stdout);
    put_paragraphs(NULL, operands);
    fputs(".SH PATTERNS\n", stdout);
    put_paragraphs(NULL, patterns);
    fputs(".SH ANSWERS FOR PROGRAMS\n", stdout);
    put_paragraphs(NULL, answers);
    fputs(".SH EXAMPLES\n", stdout);
    put_paragraphs(NULL, examples);
    fputs(ends, stdout);
    fputs(environment, stdout);
}
