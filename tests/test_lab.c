/* test_lab.c -- how the lab compares: forms of figures, verdicts, counts, bands, and what must never pass. */
#include "comma_locale.h"
#include "lab/table_file.h"
#include "lab/experiments.h"
#include "lab/figure.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* The last row that came, and how many did. `why` is copied: it is borrowed until the sink returns. */
typedef struct Seen {
    LabRow row;
    char why[1024];
    int rows;
} Seen;

static void see(void *context, const LabRow *row)
{
    Seen *seen = context;
    seen->row = *row;
    snprintf(seen->why, sizeof seen->why, "%s", row->why != NULL ? row->why : "");
    seen->rows++;
}

static Lab open_lab(Seen *seen)
{
    *seen = (Seen){0};
    return (Lab){.sink = see, .context = seen, .experiment = "test", .source = "000"};
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void test_forms(void)
{
    static const struct {
        const char *printed, *written;
        double value;
    } rows[] = {
        {"0.7071", "0.7071", 0.70710678}, {"0.7071", "-0.7071", -0.70710678}, {"-0.99", "0.99", 0.99},
        {"4.44e-16", "4.44e-16", 4.440892098500626e-16}, {"2.30e+00", "2.30e+00", 2.2999}, {"1e5", "2e+05", 2e5},
        {"9,216", "268,435,456", 268435456}, {"9,216", "216", 216}, {"9,216", "-1,000", -1000},
        {"1,115.50", "1,000,000.25", 1000000.25}, {"48", "48", 48}, {"48", "47.6", 47.6}, {"1.", "3.", 3},
        {"1.", "0.99", 0.99}, {"+3.1", "+2.0", 2}, {"+3.1", "-2.0", -2}, {"511.8", "511.8", 511.7999},
        {"0.00", "-0.00", -0.001}, {"0.5", "nan", NAN}, {"0.5", "inf", INFINITY}, {"5e-1", "-inf", -INFINITY},
        {"0.0625", "0.0625", 0.0625}, {".5", "1.5", 1.5}, {"1,23", "1.5", 1.5}, {"1.2.3", "1.5", 1.5},
        {"1e", "1.5", 1.5}, {"nan", "1.5", 1.5}, {"0.70x", "1.5", 1.5}, {"", "1.5", 1.5},
    };
    enum { ROWS = sizeof rows / sizeof rows[0], READABLE = 22 /* the first */ };
    for (int i = 0; i < ROWS; i++) {
        char text[FIGURE_LENGTH];
        bool readable = figure_write(rows[i].printed, strlen(rows[i].printed), rows[i].value, text);
        CHECK(same(text, rows[i].written), "like '%s': '%s', not '%s'", rows[i].printed, text, rows[i].written);
        CHECK(readable == (i < READABLE), "'%s'", rows[i].printed);
    }
    char text[FIGURE_LENGTH];
    CHECK(figure_write("9,216.1", 7, 1e29, text) && strlen(text) < FIGURE_LENGTH, "%s", text);
    CHECK(figure_write("0.0000000000", 12, 1e300, text) && strlen(text) < FIGURE_LENGTH, "%s", text);
}

static void test_trimmed(void)
{
    static const struct {
        const char *written;
        double value;
    } rows[] = {{"0.173", 0.17302}, {"1.", 1}, {"1.", 0.99999}, {"0.", 1e-9}, {"-0.", -1e-9}, {"0.9999", 0.99993},
                {"10.", 10}, {"nan", NAN}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[FIGURE_LENGTH];
        figure_write_trimmed(rows[i].value, 4, text);
        CHECK(same(text, rows[i].written), "'%s', not '%s'", text, rows[i].written);
    }
    Seen seen;
    Lab lab = open_lab(&seen);
    lab_exact_trimmed(&lab, "c", "0.173 0.5 1.", 4, (double[]){0.17297, 0.49998, 1});
    CHECK(seen.row.verdict == LAB_EXACT && lab.counts[LAB_EXACT] == 3);
    lab_exact_trimmed(&lab, "c", "0.173 0.5 1.", 4, (double[]){0.17297, 0.4999, 1});
    CHECK(seen.row.verdict == LAB_FAILED && strstr(seen.why, "figure 2") != NULL, "%s", seen.why);
}

static void test_exact(void)
{
    Seen seen;
    Lab lab = open_lab(&seen);
    lab_source(&lab, "002 ex. 9");
    lab_exact(&lab, "claim", "0.3046", 0.30458);
    CHECK(seen.rows == 1 && seen.row.verdict == LAB_EXACT && seen.row.why == NULL && seen.row.figures == 1);
    CHECK(same(seen.row.experiment, "test") && same(seen.row.source, "002 ex. 9") && same(seen.row.claim, "claim"));
    CHECK(same(seen.row.published, "0.3046") && same(seen.row.ours, "0.3046"));
    lab_exact_all(&lab, "c", "16 0.5976 1.2796", (double[]){16, 0.59761, 1.27958});
    CHECK(seen.row.verdict == LAB_EXACT && seen.row.figures == 3 && lab.counts[LAB_EXACT] == 4);
    CHECK(same(seen.row.ours, "16 0.5976 1.2796"), "%s", seen.row.ours);
    CHECK(lab.counts[LAB_FAILED] == 0);
}

static void test_wrong_digits(void)
{
    static const struct {
        const char *published;
        double ours;
    } rows[] = {
        {"0.3046", 0.3047}, {"0.3046", -0.3046}, {"-0.3046", 0.3046}, {"4.44e-16", 4.45e-16}, {"4.44e-16", 4.44e-15},
        {"0.0000", -0.00001}, {"9,216", 9217}, {"48", 47.9}, {"48", 480},
        {"1.", 0.9999}, {"0.5", NAN}, {"0.5", INFINITY},
        {"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}, {"ca.", 1}, {"0.3046", 10.3046},
    };
    Seen seen;
    Lab lab = open_lab(&seen);
    int count = sizeof rows / sizeof rows[0];
    for (int i = 0; i < count; i++) {
        lab_exact(&lab, "c", rows[i].published, rows[i].ours);
        CHECK(seen.row.verdict == LAB_FAILED && seen.row.why != NULL, "%s", rows[i].published);
    }
    CHECK(lab.counts[LAB_FAILED] == count && lab.counts[LAB_EXACT] == 0);
    lab_exact_all(&lab, "c", "0.1 0.2 0.3", (double[]){0.1, 0.2, 0.4});
    CHECK(seen.row.verdict == LAB_FAILED && lab.counts[LAB_FAILED] == count + 3);
    CHECK(same(seen.why, "figure 3, 0.4, is not the published 0.3"), "%s", seen.why);
    lab_exact_all(&lab, "c", "", NULL);
    CHECK(seen.row.verdict == LAB_FAILED);
    lab_exact_text(&lab, "c", "a b", "a c", 2);
    CHECK(seen.row.verdict == LAB_FAILED && same(seen.row.ours, "a c"));
    lab_exact_text(&lab, "c", "a b", "a b", 2);
    CHECK(seen.row.verdict == LAB_EXACT && lab.counts[LAB_EXACT] == 2);
}

/* More figures than a row has room for. */
static void test_long_row(void)
{
    Seen seen;
    Lab lab = open_lab(&seen);
    char published[LAB_TEXT] = "";
    double ours[LAB_TEXT] = {0};
    for (int i = 0; i < (LAB_TEXT - 1) / 2; i++)
        strcat(published, i == 0 ? "0" : " 0");
    lab_exact_all(&lab, "c", published, ours);
    CHECK(seen.row.verdict == LAB_EXACT && seen.row.figures == (LAB_TEXT - 1) / 2);
    for (int i = 0; i < LAB_TEXT; i++)
        ours[i] = 123456;
    lab_exact_all(&lab, "c", published, ours);
    CHECK(seen.row.verdict == LAB_FAILED && strlen(seen.row.ours) < LAB_TEXT);
}

static void test_bands(void)
{
    Seen seen;
    Lab lab = open_lab(&seen);
    lab_within(&lab, "c", "0.7880", 0.7875, 0.77, 0.80, "chaotic in float32");
    CHECK(seen.row.verdict == LAB_WITHIN && same(seen.row.ours, "0.7875") && same(seen.why, "0.77 to 0.8: chaotic in float32"));
    lab_within(&lab, "c", "about 200 ms", 199.5, 199.5, 300, "w");
    CHECK(seen.row.verdict == LAB_WITHIN && same(seen.row.ours, "199.5"), "%s", seen.row.ours);
    lab_within(&lab, "c", "none", 1, 0, 1, "w");
    CHECK(seen.row.verdict == LAB_WITHIN && lab.counts[LAB_WITHIN] == 3);
    static const double outside[] = {0.7699, 0.8001, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        lab_within(&lab, "c", "0.7880", outside[i], 0.77, 0.80, "the band");
        CHECK(seen.row.verdict == LAB_FAILED && strstr(seen.why, "the band") != NULL, "%g", outside[i]);
    }
    lab_within(&lab, "c", "0.7880", 0.5, NAN, NAN, "no band");
    CHECK(seen.row.verdict == LAB_FAILED && lab.counts[LAB_FAILED] == 5);
}

static void test_propositions(void)
{
    Seen seen;
    Lab lab = open_lab(&seen);
    lab_holds(&lab, "rows sum to 1", true, "off by %.1e in %d rows", 2e-7, 8);
    CHECK(seen.row.verdict == LAB_HOLDS && same(seen.row.ours, "off by 2.0e-07 in 8 rows") && seen.row.why == NULL);
    CHECK(seen.row.published[0] == '\0' && lab.counts[LAB_HOLDS] == 1);
    lab_holds(&lab, "c", NAN <= 1, "%g", NAN);
    CHECK(seen.row.verdict == LAB_FAILED && seen.row.why != NULL && lab.counts[LAB_FAILED] == 1);
    lab_skip(&lab, "c", 18, "fetch it");
    CHECK(seen.row.verdict == LAB_SKIPPED && lab.counts[LAB_SKIPPED] == 18 && same(seen.why, "fetch it"));
    CHECK(lab.counts[LAB_EXACT] + lab.counts[LAB_WITHIN] == 0);
}

static bool run_well(Lab *lab, Error *error)
{
    (void)error;
    lab_source(lab, "002");
    lab_exact(lab, "c", "1", 1);
    return true;
}

static bool run_badly(Lab *lab, Error *error)
{
    (void)lab;
    return error_set(error, "out of %s", "luck");
}

static void test_run(void)
{
    Seen seen;
    Lab lab = open_lab(&seen);
    Error error = {0};
    CHECK(lab_run(&lab, &(Experiment){"well", "000 ex. 1", "", run_well}, &error));
    CHECK(same(seen.row.experiment, "well") && same(seen.row.source, "002") && lab.counts[LAB_EXACT] == 1);
    CHECK(!lab_run(&lab, &(Experiment){"badly", "000 ex. 2", "", run_badly}, &error));
    CHECK(same(seen.row.experiment, "badly") && same(seen.row.source, "000 ex. 2") && same(seen.why, "out of luck"));
    CHECK(seen.row.verdict == LAB_FAILED && lab.counts[LAB_FAILED] == 1);
}

static void test_registry(void)
{
    CHECK(experiment_count > 0);
    for (int i = 0; i < experiment_count; i++) {
        const Experiment *e = &experiments[i];
        CHECK(e->run != NULL && strlen(e->name) <= 12 && e->source[0] != '\0' && e->about[0] != '\0', "%s", e->name);
        for (int j = 0; j < i; j++)
            CHECK(!same(e->name, experiments[j].name), "%s twice", e->name);
    }
}

static void test_comma(void)
{
    if (!comma_locale_set()) {
        test_skip("a point in a locale with a comma", "this machine has none, and no localedef to make one");
        return;
    }
    test_case("a point in a locale with a comma");
    Seen seen;
    Lab lab = open_lab(&seen);
    lab_exact(&lab, "c", "1,115.50", 1115.5);
    CHECK(seen.row.verdict == LAB_EXACT, "%s", seen.row.ours);
    lab_holds(&lab, "c", true, "%.2f", 0.5);
    CHECK(same(seen.row.ours, "0.50"), "%s", seen.row.ours);
    lab_exact_trimmed(&lab, "c", "0.5", 4, (double[]){0.5});
    CHECK(seen.row.verdict == LAB_EXACT, "%s", seen.row.ours);
    setlocale(LC_ALL, "C");
}

static void test_csv(void)
{
    TableFile table;
    Error error = {0};
    char *directory = path_join(getenv("TEST_DIRECTORY"), "made/here"), *path = path_join(directory, "t.csv");
    CHECK(table_file_open(&table, directory, "t.csv", &error), "%s", error.message);
    table_file_text(&table, "a, b");
    table_file_text(&table, "say \"x\"");
    table_file_end_line(&table);
    table_file_number(&table, 0.1);
    table_file_number(&table, NAN);
    table_file_text(&table, "");
    table_file_end_line(&table);
    CHECK(table_file_commit(&table, &error), "%s", error.message);
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK(file_read(path, 1000, &bytes, &size, &error), "%s", error.message);
    CHECK(bytes != NULL && same((char *)bytes, "\"a, b\",\"say \"\"x\"\"\"\n0.1,nan,\n"), "%s", (char *)bytes);
    CHECK(!table_file_open(&table, path, "t.csv", &error));
    table_file_abandon(&table);
    free(bytes);
    free(path);
    free(directory);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"figures in the form of printed ones", test_forms},
        {"figures without zeros at the end", test_trimmed},
        {"exact figures are counted", test_exact},
        {"a wrong digit fails", test_wrong_digits},
        {"a row that is too long fails", test_long_row},
        {"bands", test_bands},
        {"propositions and what is skipped", test_propositions},
        {"an experiment that cannot run is a failure", test_run},
        {"the registry", test_registry},
        {"tables as files", test_csv},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_case(cases[i].name);
        cases[i].run();
    }
    test_comma();
    return test_finish();
}
