#include "lab/lab.h"

#include "base/point_locale.h"
#include "lab/figure.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static LabRow begin(const Lab *lab, const char *claim, const char *published, int figures)
{
    LabRow row = {.experiment = lab->experiment, .source = lab->source, .claim = claim, .figures = figures};
    assert(strlen(published) < LAB_TEXT);
    snprintf(row.published, sizeof row.published, "%s", published);
    return row;
}

static void hand_on(Lab *lab, const LabRow *row)
{
    lab->counts[row->verdict] += row->figures;
    lab->sink(lab->context, row);
}

/* Puts a word behind the others; one that does not fit is left out, and the row is then no longer what is published. */
static void append(char text[LAB_TEXT], const char *word)
{
    size_t used = strlen(text);
    if (used + 1 + strlen(word) < LAB_TEXT)
        snprintf(text + used, LAB_TEXT - used, "%s%s", used > 0 ? " " : "", word);
}

void lab_source(Lab *lab, const char *source)
{
    lab->source = source;
}

enum { AS_PRINTED = -1 };

/* Compares word by word: `decimals` is AS_PRINTED, or how many places a trimmed figure was rounded to. */
static void compare(Lab *lab, const char *claim, const char *published, int decimals, const double *ours)
{
    LabRow row = begin(lab, claim, published, 0);
    char why[LAB_TEXT] = "", text[FIGURE_LENGTH];
    size_t length;
    for (const char *word = published; (length = figure_next(&word)) > 0; word += length) {
        double value = ours[row.figures++];
        bool readable = true;
        if (decimals == AS_PRINTED)
            readable = figure_write(word, length, value, text);
        else
            figure_write_trimmed(value, decimals, text);
        append(row.ours, text);
        bool same = readable && value - value == 0 && strlen(text) == length && memcmp(text, word, length) == 0;
        if (!same && why[0] == '\0')
            snprintf(why, sizeof why, "figure %d, %s, is not the published %.*s%s", row.figures, text,
                     (int)(length < FIGURE_LENGTH ? length : FIGURE_LENGTH), word,
                     readable ? "" : ", which is no figure");
    }
    if (row.figures == 0) {
        row.figures = 1;
        snprintf(why, sizeof why, "nothing is published to compare with");
    }
    row.verdict = why[0] == '\0' ? LAB_EXACT : LAB_FAILED;
    row.why = why[0] == '\0' ? NULL : why;
    hand_on(lab, &row);
}

void lab_exact(Lab *lab, const char *claim, const char *published, double ours)
{
    assert(strchr(published, ' ') == NULL);
    compare(lab, claim, published, AS_PRINTED, &ours);
}

void lab_exact_all(Lab *lab, const char *claim, const char *published, const double *ours)
{
    compare(lab, claim, published, AS_PRINTED, ours);
}

void lab_exact_trimmed(Lab *lab, const char *claim, const char *published, int decimals, const double *ours)
{
    assert(decimals >= 0);
    compare(lab, claim, published, decimals, ours);
}

void lab_exact_text(Lab *lab, const char *claim, const char *published, const char *ours, int figures)
{
    LabRow row = begin(lab, claim, published, figures);
    snprintf(row.ours, sizeof row.ours, "%s", ours);
    bool same = strcmp(published, ours) == 0;
    row.verdict = same ? LAB_EXACT : LAB_FAILED;
    row.why = same ? NULL : "the two texts differ";
    hand_on(lab, &row);
}

void lab_within(Lab *lab, const char *claim, const char *published, double ours, double low, double high,
                const char *why)
{
    LabRow row = begin(lab, claim, published, 1);
    char band[2 * LAB_TEXT];
    const char *word = published;
    size_t length = figure_next(&word);
    while (length > 0 && !figure_write(word, length, ours, row.ours)) {
        word += length;
        length = figure_next(&word);
    }
    if (length == 0)
        figure_write("", 0, ours, row.ours);
    bool inside = low <= ours && ours <= high;
    PointLocale locale = point_locale_enter();
    snprintf(band, sizeof band, "%s%g to %g: %s", inside ? "" : "outside of ", low, high, why);
    point_locale_leave(locale);
    row.verdict = inside ? LAB_WITHIN : LAB_FAILED;
    row.why = band;
    hand_on(lab, &row);
}

void lab_holds(Lab *lab, const char *claim, bool holds, const char *format, ...)
{
    LabRow row = begin(lab, claim, "", 1);
    va_list arguments;
    PointLocale locale = point_locale_enter();
    va_start(arguments, format);
    vsnprintf(row.ours, sizeof row.ours, format, arguments);
    va_end(arguments);
    point_locale_leave(locale);
    row.verdict = holds ? LAB_HOLDS : LAB_FAILED;
    row.why = holds ? NULL : "the numbers contradict the claim";
    hand_on(lab, &row);
}

void lab_skip(Lab *lab, const char *claim, int figures, const char *why)
{
    LabRow row = begin(lab, claim, "", figures);
    row.verdict = LAB_SKIPPED;
    row.why = why;
    hand_on(lab, &row);
}

bool lab_run(Lab *lab, const Experiment *experiment, Error *error)
{
    lab->experiment = experiment->name;
    lab->source = experiment->source;
    if (experiment->run(lab, error))
        return true;
    LabRow row = begin(lab, "the experiment runs to its end", "", 1);
    row.verdict = LAB_FAILED;
    row.why = error->message;
    hand_on(lab, &row);
    return false;
}
