#include "lab/figure.h"

#include "base/point_locale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DECIMALS = 20 };

typedef struct Form {
    bool plus, grouped, point, exponent;
    int decimals;
} Form;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with a comma before every third from the end, or with none. */
static bool read_whole(const char **at, const char *end, bool *grouped)
{
    const char *start = *at;
    while (*at < end && (is_digit(**at) || **at == ','))
        ++*at;
    size_t length = (size_t)(*at - start);
    *grouped = memchr(start, ',', length) != NULL;
    for (size_t i = 0; i < length; i++)
        if (*grouped && (start[i] == ',') != ((length - i) % 4 == 0))
            return false;
    return length > 0 && start[0] != ',';
}

/* [+-]whole[.decimals][e[+-]digits] */
static bool read_form(const char *at, size_t length, Form *form)
{
    const char *end = at + length;
    *form = (Form){0};
    if (at < end && (*at == '+' || *at == '-'))
        form->plus = *at++ == '+';
    if (!read_whole(&at, end, &form->grouped))
        return false;
    form->point = at < end && *at == '.';
    if (form->point)
        for (at++; at < end && is_digit(*at); at++)
            form->decimals++;
    form->exponent = at < end && *at == 'e';
    if (form->exponent) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        if (at == end)
            return false;
        while (at < end && is_digit(*at))
            at++;
    }
    return at == end && form->decimals <= MOST_DECIMALS;
}

/* Commas into the digits before the point; left alone where they do not fit. */
static void group(char text[FIGURE_LENGTH])
{
    size_t start = text[0] == '-' || text[0] == '+', digits = strspn(text + start, "0123456789");
    size_t length = strlen(text);
    for (size_t place = digits; place > 3 && length + 1 < FIGURE_LENGTH; place -= 3) {
        char *comma = text + start + place - 3;
        memmove(comma + 1, comma, length + 1 - (size_t)(comma - text));
        *comma = ',';
        length++;
    }
}

static bool write_special(double value, char text[FIGURE_LENGTH])
{
    if (isfinite(value))
        return false;
    snprintf(text, FIGURE_LENGTH, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return true;
}

static void write_like(Form form, double value, char text[FIGURE_LENGTH])
{
    bool whole = form.decimals == 0 && !form.exponent;
    if (form.exponent)
        snprintf(text, FIGURE_LENGTH, form.plus ? "%+.*e" : "%.*e", form.decimals, value);
    else if (fabs(value) >= 1e30 || (whole && value != trunc(value)))
        snprintf(text, FIGURE_LENGTH, "%.6g", value);
    else
        snprintf(text, FIGURE_LENGTH, form.plus ? "%+.*f%s" : "%.*f%s", form.decimals, value,
                 whole && form.point ? "." : "");
    if (form.grouped)
        group(text);
}

bool figure_write(const char *printed, size_t length, double value, char text[FIGURE_LENGTH])
{
    Form form;
    bool readable = read_form(printed, length, &form);
    if (write_special(value, text))
        return readable;
    PointLocale locale = point_locale_enter();
    if (readable)
        write_like(form, value, text);
    else
        snprintf(text, FIGURE_LENGTH, "%.6g", value);
    point_locale_leave(locale);
    return readable;
}

void figure_write_trimmed(double value, int decimals, char text[FIGURE_LENGTH])
{
    if (write_special(value, text))
        return;
    PointLocale locale = point_locale_enter();
    snprintf(text, FIGURE_LENGTH, fabs(value) < 1e30 ? "%#.*f" : "%#.*e", decimals, value);
    point_locale_leave(locale);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '0')
        text[--length] = '\0';
}

size_t figure_next(const char **text)
{
    while (**text == ' ')
        ++*text;
    return strcspn(*text, " ");
}
