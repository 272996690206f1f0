/* test_states.c - Tests saving and loading states during a delivery.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "states.h"

/* The states s, t and u of a program, each with its text. */
static struct text_state states[3];

static varve_node *make_states(const char *text)
{
    varve_node *root = new_root();
    for (int i = 0; i < 3; i++) {
        char name[] = { (char)('s' + i), '\0' };
        states[i] = (struct text_state){ .load_status = VARVE_IO };
        strcpy(states[i].text, text);
        varve_add_state(root, name, &text_callbacks, &states[i]);
    }
    return root;
}

static void write_states(void)
{
    begin_world();
    varve_node *root = make_states("new");
    write_root(root);
    free_root(root);
}

static void check_states(const char *first, const char *second,
    const char *third, int saves)
{
    const char *texts[] = { first, second, third };
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        cr_assert_str_eq(states[i].text, texts[i], "%d", i);
        sum += states[i].saves;
    }
    cr_assert_eq(sum, saves);
}

TEST(states, are_saved_for_an_undo_only_if_necessary)
{
    write_states();
    for (int i = 0; i < 3; i++) {
        varve_node *root = make_states("old");
        states[i].fails_at = 1;
        fail_read(root, NULL, VARVE_CALLBACK);
        check_states("old", "old", "old", 2);
        free_root(root);
    }
    varve_node *root = make_states("old");
    varve_read_options options = { .passes = VARVE_ONE_PASS };
    varve_restoration_free(read_root(root, &options));
    check_states("new", "new", "new", 0);
    free_root(root);
    root = make_states("old");
    states[1].fails_at = 1;
    varve_error error = fail_read(root, &options, VARVE_PARTIALLY_RESTORED);
    cr_assert_not_null(strstr(error.message, "\n  s"), "%s", error.message);
    check_states("new", "old", "old", 0);
    free_root(root);
    end_world();
}

TEST(states, that_cannot_be_saved_stay_loaded_and_others_are_undone)
{
    write_states();
    for (int i = 0; i < 3; i++) {
        varve_node *root = make_states("old");
        states[i].save_status = VARVE_IO;
        varve_restoration_free(read_root(root, NULL));
        check_states("new", "new", "new", i < 2 ? 3 : 2);
        free_root(root);
        for (int k = 0; k < 3; k++) {
            root = make_states("old");
            states[i].save_status = VARVE_IO;
            states[k].fails_at = 1;
            fail_read(root, NULL, VARVE_CALLBACK);
            check_states("old", "old", "old", i < 2 ? 3 : 2);
            free_root(root);
        }
    }
    varve_node *root = make_states("old");
    states[0].save_status = states[2].save_status = VARVE_IO;
    states[2].fails_at = 1;
    varve_error error = fail_read(root, NULL, VARVE_PARTIALLY_RESTORED);
    cr_assert_not_null(strstr(error.message, "\n  s"), "%s", error.message);
    cr_assert_null(strstr(error.message, "\n  t"), "%s", error.message);
    check_states("new", "old", "old", 3);
    free_root(root);
    end_world();
}
