/* test_list_text.c - Tests the text of a list of files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "list_text.h"

/* Makes the text of files with these paths, each with a different number of
 * records. */
static void put_list(struct vv_buffer *text, const char *const *paths)
{
    vv_buffer_init(text, test_allocator());
    for (uint64_t i = 0; paths[i]; i++) {
        const struct vv_listed_form form = {
            .path = paths[i], .records = i, .bytes = 10 * i, .what = "content",
        };
        vv_list_text_add(text, &form);
    }
}

static varve_status compare_texts(const char *const *saved,
    const char *const *opened, bool allow_appended, uint64_t *files,
    varve_error *error)
{
    struct vv_buffer one, other;
    put_list(&one, saved);
    put_list(&other, opened);
    const struct vv_listed_texts texts = {
        .name = "files",
        .saved = (const char *)one.data,
        .saved_size = one.size,
        .opened = (const char *)other.data,
        .opened_size = other.size,
        .allow_appended = allow_appended,
    };
    varve_status status = vv_list_text_compare(&texts, files, error);
    vv_buffer_clear(&one);
    vv_buffer_clear(&other);
    return status;
}

TEST(list_text, has_a_line_for_each_file)
{
    static const char *const paths[] = { "a/b/c.txt", "d\n%", "e/", NULL };
    struct vv_buffer text;
    put_list(&text, paths);
    cr_assert_str_eq(vv_buffer_string(&text),
        "c.txt: 0 records, 0 bytes, content 00000000000000000000000000000000\n"
        "d%0A%25: 1 records, 10 bytes, "
        "content 00000000000000000000000000000000\n"
        "e%2F: 2 records, 20 bytes, "
        "content 00000000000000000000000000000000\n");
    vv_buffer_clear(&text);
}

TEST(list_text, finds_the_first_difference)
{
    static const char *const ab[] = { "x/a", "x/b", NULL };
    static const char *const moved[] = { "y/z/a", "b", NULL };
    static const char *const ac[] = { "a", "c", NULL };
    static const char *const a[] = { "a", NULL };
    static const char *const abc[] = { "a", "b", "c", NULL };
    static const char *const none[] = { NULL };
    uint64_t files = 77;
    varve_error error = { 0 };
    cr_assert_ok(compare_texts(ab, moved, false, &files, &error), error);
    cr_assert_eq(files, 2);
    cr_assert_eq(compare_texts(ab, ac, true, &files, &error), VARVE_MISMATCH);
    cr_assert(
        strstr(error.message, "file 1 of the list differs from that of the "
                              "saved position: expected b: 1 records"),
        "%s", error.message);
    cr_assert(strstr(error.message, "found c: 1 records"));
    cr_assert_eq(compare_texts(ab, a, true, &files, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message, "found no more files"));
    cr_assert_eq(compare_texts(ab, abc, false, &files, &error),
        VARVE_MISMATCH);
    cr_assert(strstr(error.message,
                  "file 2 of the list differs from that of "
                  "the saved position: expected no more files; found c: 2"),
        "%s", error.message);
    cr_assert(strstr(error.message, "allow_appended"));
    cr_assert_ok(compare_texts(ab, abc, true, &files, &error), error);
    cr_assert_eq(files, 2);
    cr_assert_eq(compare_texts(none, abc, true, &files, &error),
        VARVE_MISMATCH);
}

TEST(list_text, believes_no_saved_text)
{
    static const char *const paths[] = { "a", "b", NULL };
    struct vv_buffer opened;
    put_list(&opened, paths);
    for (size_t size = 1; size <= opened.size + 1; size++) {
        for (size_t flip = 0; flip < size; flip++) {
            char saved[256] = { 0 };
            uint64_t files;
            varve_error error = { 0 };
            memcpy(saved, opened.data, opened.size);
            saved[flip] ^= flip + 1 < size ? 1 : 0;
            const struct vv_listed_texts texts = { "files", saved, size,
                (const char *)opened.data, opened.size, true };
            varve_status status = vv_list_text_compare(&texts, &files, &error);
            bool is_line = saved[size - 1] == '\n';
            bool is_same = size <= opened.size &&
                memcmp(saved, opened.data, size) == 0;
            cr_assert_eq(status,
                is_same && is_line ? VARVE_OK : VARVE_MISMATCH);
            cr_assert_null(strchr(error.message, '\n'));
        }
    }
    vv_buffer_clear(&opened);
}
