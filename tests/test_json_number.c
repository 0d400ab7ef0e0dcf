/* Numbers in JSON: by type and range, spelled and read back to the same bits, with a point in any locale. */
#include "base/json.h"
#include "base/random.h"
#include "test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* Parses one value and asks for it as each type; a type that refuses is left at 77. */
static void read_number(const char *text, int64_t *whole, uint64_t *natural, double *number)
{
    JsonDocument document;
    Error error;
    *whole = 77;
    *natural = 77;
    *number = 77;
    CHECK(json_parse(&document, text, strlen(text), &error), "%s: %s", text, error.message);
    json_integer(document.root, whole);
    json_unsigned(document.root, natural);
    json_double(document.root, number);
    json_close(&document);
}

static void test_numbers(void)
{
    static const struct { const char *text; int64_t whole; uint64_t natural; double number; } cases[] = {
        {"0", 0, 0, 0}, {"-0", 0, 0, 0}, {"42", 42, 42, 42}, {"-42", -42, 77, -42}, {"1.0", 77, 77, 1},
        {"1e3", 77, 77, 1000}, {"1.5", 77, 77, 1.5}, {"9223372036854775807", INT64_MAX, INT64_MAX, 0x1p63},
        {"9223372036854775808", 77, 9223372036854775808u, 0x1p63}, {"-9223372036854775808", INT64_MIN, 77, -0x1p63},
        {"-9223372036854775809", 77, 77, -0x1p63}, {"18446744073709551615", 77, UINT64_MAX, 0x1p64},
        {"18446744073709551616", 77, 77, 0x1p64}, {"99999999999999999999", 77, 77, 1e20}, {"1e999", 77, 77, 77},
        {"-1e999", 77, 77, 77}, {"1e-999", 77, 77, 0}, {"0.1", 77, 77, 0.1}, {"2.2250738585072011e-308", 77, 77,
        2.2250738585072011e-308}, {"\"1\"", 77, 77, 77}, {"null", 77, 77, 77}, {"[1]", 77, 77, 77},
        {"true", 77, 77, 77}};
    test_case("json: numbers by type, range and rounding");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t whole;
        uint64_t natural;
        double number;
        read_number(cases[i].text, &whole, &natural, &number);
        CHECK(whole == cases[i].whole && natural == cases[i].natural && number == cases[i].number, "%s: %lld %llu %g",
              cases[i].text, (long long)whole, (unsigned long long)natural, number);
    }
    int64_t whole;
    uint64_t natural;
    double number;
    CHECK(!json_integer(NULL, &whole) && !json_unsigned(NULL, &natural) && !json_double(NULL, &number), "absent");
    read_number("-0", &whole, &natural, &number);
    CHECK(signbit(number), "-0 keeps its sign");
}

/* What json_write_double writes; the caller frees it. */
static char *written(double number, size_t *size)
{
    char *output = NULL;
    FILE *stream = open_memstream(&output, size);
    json_write_double(stream, number);
    fclose(stream);
    return output;
}

static bool writes_double(double number, const char *expected)
{
    size_t size;
    char *output = written(number, &size);
    const bool same = strcmp(output, expected) == 0;
    if (!same)
        fprintf(stderr, "%a is written as %s, not %s\n", number, output, expected);
    free(output);
    return same;
}

static bool doubles_survive(int count)
{
    Random random = random_seed(5);
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        const uint64_t bits = random_bits(&random) & (i % 4 == 0 ? 0x800FFFFFFFFFFFFFu : UINT64_MAX);
        double number, back = 0;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        size_t size;
        char *output = written(number, &size);
        JsonDocument document;
        Error error;
        good = json_parse(&document, output, size, &error) && json_double(document.root, &back) &&
               memcmp(&back, &number, sizeof back) == 0;
        json_close(&document);
        free(output);
    }
    return good;
}

static void test_write_double(void)
{
    static const struct { double number; const char *text; } cases[] = {
        {0, "0"}, {-0.0, "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"}, {1e21, "1e+21"}, {123456789, "123456789"}, {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"}, {DBL_MIN, "2.2250738585072014e-308"}, {9007199254740993.0,
        "9007199254740992"}, {2.407, "2.407"}, {NAN, "null"}, {INFINITY, "null"}, {-INFINITY, "null"}};
    test_case("json_write_double: the shortest spelling, null for what is not finite");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(writes_double(cases[i].number, cases[i].text), "%s", cases[i].text);
    test_case("json_write_double: random bits read back the same");
    CHECK(doubles_survive(3000), "not the same");
}

/* Finds or builds a locale whose decimal mark is a comma. */
static bool enter_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8"};
    const char *directory = getenv("TEST_DIRECTORY");
    for (int attempt = 0; attempt < 2; attempt++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (setlocale(LC_ALL, names[i]) != NULL && localeconv()->decimal_point[0] == ',')
                return true;
        char command[4096];
        snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-15 '%s/de_DE' >/dev/null 2>&1", directory);
        if (attempt > 0 || directory == NULL || system(command) != 0)
            return false;
        setenv("LOCPATH", directory, 1);
    }
    return false;
}

static void test_locale(void)
{
    if (!enter_comma_locale()) {
        test_skip("json: a locale with a decimal comma", "no such locale here");
        return;
    }
    test_case("json: a locale with a decimal comma");
    int64_t whole;
    uint64_t natural;
    double number;
    read_number("2.5", &whole, &natural, &number);
    CHECK(number == 2.5, "read as %g", number);
    CHECK(writes_double(2.5, "2.5"), "a comma");
    CHECK(doubles_survive(100), "not the same");
    CHECK(localeconv()->decimal_point[0] == ',', "the caller's locale must stay");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    test_locale(); /* first: afterwards it could not tell a locale that is missing from one that was left behind */
    test_numbers();
    test_write_double();
    return test_finish();
}
