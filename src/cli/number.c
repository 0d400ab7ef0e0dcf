#include "cli/number.h"

#include "base/point_locale.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

bool number_read_unsigned(const char *text, uint64_t *result)
{
    if (*text == '\0')
        return false;
    uint64_t value = 0;
    for (; *text != '\0'; text++) {
        if (!is_digit(*text) || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *result = value;
    return true;
}

bool number_read_integer(const char *text, int64_t *result)
{
    uint64_t magnitude;
    bool negative = *text == '-';
    if (!number_read_unsigned(text + negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    /* Negated while unsigned, because the magnitude of INT64_MIN has no signed form. */
    *result = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

static const char *skip_digits(const char *text)
{
    while (is_digit(*text))
        text++;
    return text;
}

static bool is_decimal(const char *text)
{
    text += *text == '-';
    const char *whole_end = skip_digits(text);
    ptrdiff_t digits = whole_end - text;
    text = whole_end;
    if (*text == '.') {
        const char *fraction_end = skip_digits(text + 1);
        digits += fraction_end - (text + 1);
        text = fraction_end;
    }
    if (digits == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        if (!is_digit(*text))
            return false;
        text = skip_digits(text);
    }
    return *text == '\0';
}

bool number_read_real(const char *text, double *result)
{
    if (!is_decimal(text))
        return false;
    PointLocale locale = point_locale_enter();
    char *end;
    double value = strtod(text, &end);
    point_locale_leave(locale);
    if (*end != '\0' || !isfinite(value))
        return false;
    *result = value;
    return true;
}

void number_write(double number, char text[NUMBER_LENGTH])
{
    PointLocale locale = point_locale_enter();
    snprintf(text, NUMBER_LENGTH, "%.9g", number);
    point_locale_leave(locale);
    char *exponent = strchr(text, 'e');
    if (exponent != NULL && exponent[2] == '0')
        memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
    if (exponent != NULL && exponent[1] == '+')
        memmove(exponent + 1, exponent + 2, strlen(exponent + 2) + 1);
}
