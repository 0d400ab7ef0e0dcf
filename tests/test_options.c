/* The option parser, its numbers, the nearest name and the help, as tables. */
#include "cli/format.h"
#include "cli/nearest_name.h"
#include "cli/number.h"
#include "cli/options.h"
#include "comma_locale.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_WORDS = 8 };

typedef struct Settings {
    int64_t steps, offset;
    double learning_rate, fraction, temperature;
    const char *text, *out;
    int schedule;
    uint64_t seed;
    bool quiet;
} Settings;

static const char *const schedules[] = {"cosine", "constant", NULL};

static Settings defaults(void)
{
    return (Settings){.steps = 5000, .learning_rate = 1e-2, .fraction = 0.1, .temperature = NAN, .seed = 1337};
}

enum { ROWS = 10 };

static void make_rows(Settings *settings, Option rows[ROWS])
{
    const Option made[ROWS] = {
        {.name = "steps", .kind = OPTION_INTEGER, .value.integer = &settings->steps, .whole = {0, INT32_MAX},
         .group = "Training", .help = "steps of training; 0 writes the initial model"},
        {.name = "offset", .kind = OPTION_INTEGER, .value.integer = &settings->offset, .whole = {INT64_MIN, 10},
         .help = "where it begins"},
        {.name = "learning-rate", .kind = OPTION_REAL, .value.real = &settings->learning_rate,
         .range = {.maximum = INFINITY, .above_minimum = true}, .help = "the rate after the warm-up"},
        {.name = "validation-fraction", .kind = OPTION_REAL, .value.real = &settings->fraction,
         .range = {.maximum = 1, .below_maximum = true},
         .help = "share of the text, at its end, that is never trained on and that every evaluation measures in full"},
        {.name = "temperature", .kind = OPTION_REAL, .value.real = &settings->temperature, .range = {.maximum = 100},
         .help = "0 takes the likeliest"},
        {.name = "schedule", .kind = OPTION_CHOICE, .value.choice = &settings->schedule, .choices = schedules,
         .help = "how the rate falls"},
        {.name = "seed", .kind = OPTION_SEED, .value.seed = &settings->seed, .help = "of every random number"},
        {.name = "text", .kind = OPTION_TEXT, .value.text = &settings->text, .group = "Text and files",
         .shown = "the first characters", .help = "what to read"},
        {.name = "out", .kind = OPTION_PATH, .value.text = &settings->out, .placeholder = "DIR",
         .help = "where to write"},
        {.name = "quiet", .kind = OPTION_FLAG, .value.flag = &settings->quiet, .help = "no progress"},
    };
    memcpy(rows, made, sizeof made);
}

typedef struct Parse {
    Settings settings;
    Option rows[ROWS];
    const char *words[3];
    Positionals positionals;
    Error error;
    bool accepted;
} Parse;

static void parse(Parse *parse, const char *const *argv)
{
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    *parse = (Parse){.settings = defaults()};
    make_rows(&parse->settings, parse->rows);
    parse->positionals = (Positionals){.words = parse->words, .limit = 3};
    parse->accepted = options_parse((OptionTable){parse->rows, ROWS}, argc, (char *const *)argv, &parse->positionals,
                                    &parse->error);
}

static OptionTable table_of(Parse *parse)
{
    return (OptionTable){parse->rows, ROWS};
}

typedef struct Refusal {
    const char *argv[MOST_WORDS];
    const char *message;
} Refusal;

#define STEPS_RANGE " is not a whole number from 0 to 2147483647"
#define TEMPERATURE_RANGE " is not a number from 0 to 100"

static const Refusal refusals[] = {
    {{"--steps", "1e"}, "--steps: '1e'" STEPS_RANGE},
    {{"--steps", "abc"}, "--steps: 'abc'" STEPS_RANGE},
    {{"--steps="}, "--steps: ''" STEPS_RANGE},
    {{"--steps", ""}, "--steps: ''" STEPS_RANGE},
    {{"--steps", "-1"}, "--steps: '-1'" STEPS_RANGE},
    {{"--steps", "-"}, "--steps: '-'" STEPS_RANGE},
    {{"--steps", "2147483648"}, "--steps: '2147483648'" STEPS_RANGE},
    {{"--steps", "99999999999999999999"}, "--steps: '99999999999999999999'" STEPS_RANGE},
    {{"--steps", " 5"}, "--steps: ' 5'" STEPS_RANGE},
    {{"--steps", "5 "}, "--steps: '5 '" STEPS_RANGE},
    {{"--steps", "+5"}, "--steps: '+5'" STEPS_RANGE},
    {{"--steps", "0x10"}, "--steps: '0x10'" STEPS_RANGE},
    {{"--steps", "5.0"}, "--steps: '5.0'" STEPS_RANGE},
    {{"--steps", "1\n2"}, "--steps: '1\\x0A2'" STEPS_RANGE},
    {{"--offset", "11"}, "--offset: '11' is not a whole number from -9223372036854775808 to 10"},
    {{"--offset", "-9223372036854775809"},
     "--offset: '-9223372036854775809' is not a whole number from -9223372036854775808 to 10"},
    {{"--temperature", "nan"}, "--temperature: 'nan'" TEMPERATURE_RANGE},
    {{"--temperature", "inf"}, "--temperature: 'inf'" TEMPERATURE_RANGE},
    {{"--temperature", "-inf"}, "--temperature: '-inf'" TEMPERATURE_RANGE},
    {{"--temperature", "1e"}, "--temperature: '1e'" TEMPERATURE_RANGE},
    {{"--temperature", "1e+"}, "--temperature: '1e+'" TEMPERATURE_RANGE},
    {{"--temperature", "."}, "--temperature: '.'" TEMPERATURE_RANGE},
    {{"--temperature", "e5"}, "--temperature: 'e5'" TEMPERATURE_RANGE},
    {{"--temperature", "0x1p3"}, "--temperature: '0x1p3'" TEMPERATURE_RANGE},
    {{"--temperature", "1,5"}, "--temperature: '1,5'" TEMPERATURE_RANGE},
    {{"--temperature", "0.5x"}, "--temperature: '0.5x'" TEMPERATURE_RANGE},
    {{"--temperature", " 1"}, "--temperature: ' 1'" TEMPERATURE_RANGE},
    {{"--temperature", "1e999"}, "--temperature: '1e999'" TEMPERATURE_RANGE},
    {{"--temperature", "100.001"}, "--temperature: '100.001'" TEMPERATURE_RANGE},
    {{"--temperature", "-1"}, "--temperature: '-1'" TEMPERATURE_RANGE},
    {{"--learning-rate", "1e999"}, "--learning-rate: '1e999' is not a number above 0"},
    {{"--learning-rate", "0"}, "--learning-rate: '0' is not a number above 0"},
    {{"--learning-rate", "1e-999"}, "--learning-rate: '1e-999' is not a number above 0"},
    {{"--validation-fraction", "1"}, "--validation-fraction: '1' is not a number at least 0 and below 1"},
    {{"--seed", "-1"}, "--seed: '-1' is not a whole number from 0 to 18446744073709551615"},
    {{"--seed", "18446744073709551616"},
     "--seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615"},
    {{"--schedule", "cosinus"}, "--schedule: 'cosinus' is not one of cosine, constant; did you mean cosine?"},
    {{"--schedule", "linear"}, "--schedule: 'linear' is not one of cosine, constant"},
    {{"--schedule", ""}, "--schedule: '' is not one of cosine, constant"},
    {{"--out", ""}, "--out: '' is not a file or directory name"},
    {{"--lerning-rate", "1"}, "unknown option --lerning-rate; did you mean --learning-rate?"},
    {{"--lerning-rate=1"}, "unknown option --lerning-rate; did you mean --learning-rate?"},
    {{"--validation"}, "unknown option --validation; did you mean --validation-fraction?"},
    {{"--qiuet"}, "unknown option --qiuet; did you mean --quiet?"},
    {{"-steps", "5"}, "unknown option -steps; did you mean --steps?"},
    {{"--helpp"}, "unknown option --helpp; did you mean --help?"},
    {{"--colour"}, "unknown option --colour; --help lists the options"},
    {{"-x"}, "unknown option -x; --help lists the options"},
    {{"--=5"}, "unknown option --; --help lists the options"},
    {{"--a\033[2Jb"}, "unknown option --a\\x1B[2Jb; --help lists the options"},
    {{"--steps"}, "--steps needs a value: a whole number from 0 to 2147483647"},
    {{"--text"}, "--text needs a value: a text"},
    {{"--out", "--steps", "5"},
     "--out needs a value: a file or directory name (one that begins with dashes is written --out=VALUE)"},
    {{"--quiet=1"}, "--quiet takes no value; write --quiet alone"},
    {{"--quiet="}, "--quiet takes no value; write --quiet alone"},
    {{"--help=1"}, "--help takes no value; write --help alone"},
    {{"--steps", "5", "--steps=6"}, "--steps is given twice, '5' and '6'; give it once"},
    {{"--quiet", "--quiet"}, "--quiet is given twice; give it once"},
    {{"a", "b", "c", "d e"}, "unexpected argument 'd e'; --help shows what the command takes"},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "options refuse %zu", i);
        test_case(name);
        Parse result;
        parse(&result, refusals[i].argv);
        CHECK(!result.accepted, "accepted: %s", refusals[i].message);
        CHECK(strcmp(result.error.message, refusals[i].message) == 0, "\"%s\" instead of \"%s\"", result.error.message,
              refusals[i].message);
    }
}

static void test_values(void)
{
    Parse result;
    test_case("options store every kind");
    parse(&result, (const char *[]){"--steps=0", "--offset", "-9223372036854775808", "--learning-rate", ".5e1",
                                    "--text", "", "--out=a=b", "--schedule", "constant", "--seed",
                                    "18446744073709551615", "--quiet", NULL});
    CHECK(result.accepted, "%s", result.error.message);
    CHECK(result.settings.steps == 0 && result.settings.offset == INT64_MIN && result.settings.learning_rate == 5.0);
    CHECK(result.settings.text != NULL && result.settings.text[0] == '\0');
    CHECK(result.settings.out != NULL && strcmp(result.settings.out, "a=b") == 0);
    CHECK(result.settings.schedule == 1 && result.settings.seed == UINT64_MAX && result.settings.quiet);

    test_case("options given are told from defaults");
    parse(&result, (const char *[]){"--steps", "5000", NULL});
    CHECK(result.accepted && options_given(table_of(&result), "steps"));
    CHECK(!options_given(table_of(&result), "seed") && !options_given(table_of(&result), "quiet"));
    CHECK(strcmp(result.rows[0].argument, "5000") == 0);

    test_case("positionals, dash and double dash");
    parse(&result, (const char *[]){"model", "--quiet", "-", "--", "--steps", NULL});
    CHECK(result.accepted, "%s", result.error.message);
    CHECK(result.positionals.count == 3 && strcmp(result.words[0], "model") == 0 && strcmp(result.words[1], "-") == 0);
    CHECK(strcmp(result.words[2], "--steps") == 0 && result.settings.quiet);

    test_case("an attached value may begin with dashes");
    parse(&result, (const char *[]){"--text=--steps", NULL});
    CHECK(result.accepted && strcmp(result.settings.text, "--steps") == 0, "%s", result.error.message);

}

static void test_help_option(void)
{
    Parse result;
    test_case("help stops parsing and leaves the defaults");
    parse(&result, (const char *[]){"--steps", "abc", "--help", "--nonsense", NULL});
    CHECK(result.accepted && result.positionals.help && result.settings.steps == 5000);
    parse(&result, (const char *[]){"-h", NULL});
    CHECK(result.accepted && result.positionals.help);

    test_case("an option's value may be what looks like help");
    parse(&result, (const char *[]){"--text", "-h", NULL});
    CHECK(result.accepted && !result.positionals.help && strcmp(result.settings.text, "-h") == 0);

}

static void test_second_parse(void)
{
    test_case("a parse forgets the one before");
    Positionals positionals = {.words = NULL};
    Option rows[ROWS];
    Settings settings = defaults();
    Error error = {""};
    make_rows(&settings, rows);
    OptionTable table = {rows, ROWS};
    const char *const words[2][2] = {{"--steps", "1"}, {"--steps", "2"}};
    bool first = options_parse(table, 2, (char *const *)words[0], &positionals, &error);
    bool second = options_parse(table, 2, (char *const *)words[1], &positionals, &error);
    CHECK(first && second && settings.steps == 2, "%s", error.message);
}

static void test_numbers(void)
{
    static const struct { double number; const char *text; } written[] = {
        {0.01, "0.01"}, {1e-8, "1e-8"}, {0.999, "0.999"}, {5000, "5000"},
        {1e9, "1e9"},   {0, "0"},       {-2.5e300, "-2.5e300"},
    };
    static const char *const too_large[] = {"18446744073709551616", "36893488147419103232", "99999999999999999999",
                                            "184467440737095516150"};
    int64_t integer;
    uint64_t whole;
    double real;
    test_case("numbers that do not fit are refused");
    for (size_t i = 0; i < sizeof too_large / sizeof too_large[0]; i++)
        CHECK(!number_read_unsigned(too_large[i], &whole) && !number_read_integer(too_large[i], &integer), "%s",
              too_large[i]);
    CHECK(!number_read_integer("9223372036854775808", &integer));
    CHECK(!number_read_integer("-9223372036854775809", &integer));
    CHECK(!number_read_real("1e999", &real) && !number_read_real("-1e999", &real));

    test_case("numbers at the ends of their types");
    CHECK(number_read_unsigned("18446744073709551615", &whole) && whole == UINT64_MAX);
    CHECK(number_read_integer("9223372036854775807", &integer) && integer == INT64_MAX);
    CHECK(number_read_integer("-0", &integer) && integer == 0);
    CHECK(number_read_real("-2.5E+3", &real) && real == -2500.0 && number_read_real("5.", &real) && real == 5.0);

    test_case("numbers are written short");
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        char text[NUMBER_LENGTH];
        number_write(written[i].number, text);
        CHECK(strcmp(text, written[i].text) == 0, "%s instead of %s", text, written[i].text);
    }
}

static void test_long_words(void)
{
    test_case("very long words are refused within the message");
    char *word = malloc(100001);
    memset(word, '9', 100000);
    word[100000] = '\0';
    Parse result;
    parse(&result, (const char *[]){"--steps", word, NULL});
    CHECK(!result.accepted && strstr(result.error.message, "999...' is not a whole number from 0 to") != NULL, "%s",
          result.error.message);
    memcpy(word, "--", 2);
    parse(&result, (const char *[]){word, NULL});
    CHECK(!result.accepted && strstr(result.error.message, "--help lists") != NULL, "%s", result.error.message);
    free(word);
}

static void test_nearest(void)
{
    static const char *const commands[] = {"train",     "sample", "score", "attend", "circuits",
                                           "gradcheck", "lab",    "bench", "info"};
    static const char *const pairs[][2] = {
        {"trian", "train"}, {"sampel", "sample"}, {"scor", "score"}, {"gradchek", "gradcheck"}, {"grad", "gradcheck"},
        {"atend", "attend"}, {"train", "train"}, {"dance", NULL}, {"", NULL}, {"x", NULL}, {"lb", "lab"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "nearest name of '%s'", pairs[i][0]);
        test_case(name);
        const char *nearest = nearest_name(pairs[i][0], commands, 9);
        CHECK(nearest == pairs[i][1] || (nearest != NULL && pairs[i][1] != NULL && strcmp(nearest, pairs[i][1]) == 0),
              "%s", nearest == NULL ? "none" : nearest);
    }
}

static void test_nearest_order(void)
{
    test_case("the nearest name wins, then the earlier one");
    static const char *const equal[] = {"car", "bat"}, *const closer[] = {"samples", "sample"};
    const char *first = nearest_name("cat", equal, 2), *exact = nearest_name("sample", closer, 2);
    CHECK(first == equal[0] && exact == closer[1]);
}

static const char expected_help[] =
    "usage: soliloquy train [--data FILE] [options]\n"
    "\n"
    "Trains one head of attention and writes it, its log and its maps. This line is long enough to be\n"
    "wrapped.\n"
    "Second line.\n"
    "\n"
    "Training:\n"
    "  --steps N                steps of training; 0 writes the initial model [at least 0; default 5000]\n"
    "  --offset N               where it begins [from -9223372036854775808 to 10; default 0]\n"
    "  --learning-rate X        the rate after the warm-up [above 0; default 0.01]\n"
    "  --validation-fraction X  share of the text, at its end, that is never trained on and that every\n"
    "                           evaluation measures in full [at least 0 and below 1; default 0.1]\n"
    "  --temperature X          0 takes the likeliest [from 0 to 100]\n"
    "  --schedule NAME          how the rate falls [cosine, constant; default cosine]\n"
    "  --seed N                 of every random number [default 1337]\n"
    "\n"
    "Text and files:\n"
    "  --text TEXT              what to read [default the first characters]\n"
    "  --out DIR                where to write\n"
    "  --quiet                  no progress\n"
    "\n"
    "  --help                   print this and exit\n";

static void test_help(void)
{
    test_case("help is aligned and fits 100 columns");
    Parse result;
    char text[4096];
    parse(&result, (const char *[]){"--steps", "7", "--help", NULL});
    FILE *stream = tmpfile();
    CHECK(stream != NULL);
    if (stream == NULL)
        return;
    options_print_help(stream, "soliloquy train [--data FILE] [options]",
                       "Trains one head of attention and writes it, its log and its maps. This line is long enough "
                       "to be wrapped.\nSecond line.", table_of(&result));
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    CHECK(strcmp(text, expected_help) == 0, "\n%s", text);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= 100, "%.*s", (int)strcspn(line, "\n"), line);
}

static void test_locale(void)
{
    const char *name = "numbers keep their point in a locale with a comma";
    if (!comma_locale_set()) {
        test_skip(name, "this machine has no such locale");
        return;
    }
    test_case(name);
    double value = 0;
    char text[FORMAT_LENGTH], number[NUMBER_LENGTH];
    CHECK(number_read_real("1.5", &value) && value == 1.5);
    CHECK(!number_read_real("1,5", &value));
    number_write(0.01, number);
    CHECK(strcmp(number, "0.01") == 0, "%s", number);
    format_decimal(2.4096, 2, text);
    CHECK(strcmp(text, "2.41") == 0, "%s", text);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    test_refusals();
    test_values();
    test_help_option();
    test_second_parse();
    test_numbers();
    test_long_words();
    test_nearest();
    test_nearest_order();
    test_help();
    test_locale();
    return test_finish();
}
