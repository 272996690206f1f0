/* test_hdf5_values_texts.c - Tests attributes of HDF5 files as text metadata.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_values.h"

#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

TEST(hdf5_texts, are_attributes_named_by_path)
{
    static const struct { const char *name, *text; } texts[] = {
        { "text", "a text" }, { "bytes", "some bytes" }, { "number", "-3" },
        { "large", "9223372036854775808" }, { "real", "0.5" },
        { "numbers", "[1, 2, 3]" }, { "words", "[\"a\", \"b \\\"c\\\"\"]" },
        { "little@of", "group" }, { "scalar@unit", "m" },
    };
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *found = sample_text(&s, texts[i].name);
        cr_assert(found, "%s", texts[i].name);
        cr_assert_str_eq(found, texts[i].text);
    }
    close_sample(&s);
}

TEST(hdf5_texts, omit_redundant_attributes_and_other_types)
{
    static const char *const names[] = { "many", "layer_names",
        "bfloat16@dtype", "virtual@x" };
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_null(sample_text(&s, names[i]), "%s", names[i]);
    close_sample(&s);
    s = open_sample("hdf5_keras2.h5");
    cr_assert_null(sample_text(&s, "model_weights@layer_names"));
    cr_assert(strstr(sample_text(&s, "model_config"), "Sequential"));
    close_sample(&s);
}

TEST(hdf5_texts, that_are_omitted_are_listed)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    const char *path, *what;
    bool has_many = false;
    for (size_t i = 0; varve_reader_left_out_at(s.reader, i, &path, &what);
         i++) {
        cr_assert(strchr(path, '@'), "%s", path);
        cr_assert_null(strstr(path, "dtype"), "%s", path);
        cr_assert_null(sample_text(&s, path), "%s", path);
        cr_assert(*what);
        has_many |= strcmp(path, "@many") == 0;
    }
    cr_assert(has_many);
    close_sample(&s);
    s = open_sample("hdf5_keras2.h5");
    cr_assert_not(varve_reader_left_out_at(s.reader, 0, &path, &what));
    close_sample(&s);
    cr_assert_not(varve_reader_left_out_at(NULL, 0, &path, &what));
}

TEST(hdf5_texts, are_read_in_any_number)
{
    struct hdf5_sample s = open_sample("hdf5_latest.h5");
    cr_assert_str_eq(sample_text(&s, "many@text39"), "39");
    close_sample(&s);
}

#endif
