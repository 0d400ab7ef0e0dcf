/* The comma-separated table: exact text, quoting, exact numbers. */
#include "report/attention_table.h"
#include "comma_locale.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static char *write_text(const float *weights, size_t windows, int n, const char *const *glyphs, char *text, size_t size)
{
    FILE *stream = tmpfile();
    if (stream == NULL)
        return strcpy(text, "no temporary file");
    attention_table_write(weights, windows, n, glyphs, stream);
    rewind(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static void test_windows(void)
{
    static const char *const glyphs[] = {"F", "i", "\u2423", "\u21B5"};
    const float weights[8] = {1, 0, 0.25f, 0.75f, 1, 0, 0.1f, NAN};
    char text[1024];
    test_case("two windows with an empty line between");
    write_text(weights, 2, 2, glyphs, text, sizeof text);
    CHECK(strcmp(text,
                 "query\\key,0 F,1 i\n0 F,1,0\n1 i,0.25,0.75\n"
                 "\n"
                 "query\\key,0 ␣,1 ↵\n0 ␣,1,0\n1 ↵,0.100000001,nan\n") == 0, "\n%s", text);

    test_case("a negative NaN has no sign");
    write_text(&(float){-NAN}, 1, 1, glyphs, text, sizeof text);
    CHECK(strcmp(text, "query\\key,0 F\n0 F,nan\n") == 0, "\n%s", text);
}

static void test_quoting(void)
{
    static const char *const glyphs[] = {",", "\"", "\n", "'"};
    float weights[16] = {0};
    char text[1024];
    test_case("labels are quoted where they must be");
    write_text(weights, 1, 4, glyphs, text, sizeof text);
    CHECK(strcmp(text,
                 "query\\key,\"0 ,\",\"1 \"\"\",\"2 \n\",3 '\n\"0 ,\",0,0,0,0\n\"1 \"\"\",0,0,0,0\n\"2 \n\",0,0,0,0\n"
                 "3 ',0,0,0,0\n") == 0, "\n%s", text);
}

static void test_exact(void)
{
    static const char *const glyphs[] = {"a"};
    const float values[] = {1.0f / 3.0f, 1e-30f, 1.17549435e-38f, 1e-45f, 0.99999994f, 2.0f / 3.0f};
    char text[256];
    test_case("numbers read back to the same float");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        write_text(&values[i], 1, 1, glyphs, text, sizeof text);
        const char *comma = strrchr(text, ',');
        CHECK(comma != NULL && strtof(comma + 1, NULL) == values[i], "%s", text);
    }
}

static void test_locale(void)
{
    const char *name = "the table has points in a locale with a comma";
    if (!comma_locale_set()) {
        test_skip(name, "this machine has no such locale");
        return;
    }
    test_case(name);
    static const char *const glyphs[] = {"a"};
    char text[256];
    write_text(&(float){0.5f}, 1, 1, glyphs, text, sizeof text);
    CHECK(strcmp(text, "query\\key,0 a\n0 a,0.5\n") == 0, "%s", text);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    test_windows();
    test_quoting();
    test_exact();
    test_locale();
    return test_finish();
}
