/* The numbers of json.h, in the "C" locale whatever the program's is. */
#include "base/json.h"

#include "base/point_locale.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER_SIZE = 32, EXACT_DIGITS = 17, FAITHFUL_DIGITS = 15 };

/* The sign and the digits of a number that is spelled whole. */
static bool read_whole(const JsonValue *value, bool *negative, uint64_t *magnitude)
{
    if (value == NULL || value->kind != JSON_NUMBER)
        return false;
    const char *digit = value->string;
    *negative = *digit == '-';
    *magnitude = 0;
    for (digit += *negative; *digit != '\0'; digit++) {
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(*magnitude, (uint64_t)10, magnitude) ||
            __builtin_add_overflow(*magnitude, (uint64_t)(*digit - '0'), magnitude))
            return false;
    }
    return true;
}

bool json_integer(const JsonValue *value, int64_t *result)
{
    bool negative;
    uint64_t magnitude;
    if (!read_whole(value, &negative, &magnitude) || magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *result = negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return true;
}

bool json_unsigned(const JsonValue *value, uint64_t *result)
{
    bool negative;
    uint64_t magnitude;
    if (!read_whole(value, &negative, &magnitude) || (negative && magnitude > 0))
        return false;
    *result = magnitude;
    return true;
}

bool json_double(const JsonValue *value, double *result)
{
    if (value == NULL || value->kind != JSON_NUMBER)
        return false;
    PointLocale locale = point_locale_enter();
    const double number = strtod(value->string, NULL);
    point_locale_leave(locale);
    if (!isfinite(number))
        return false;
    *result = number;
    return true;
}

void json_write_double(FILE *stream, double number)
{
    if (!isfinite(number)) {
        fputs("null", stream);
        return;
    }
    /* 15 digits without their trailing zeros are the shortest spelling wherever they suffice, except for subnormal
     * numbers, which have fewer digits to give. */
    int digits = number != 0 && fabs(number) < DBL_MIN ? 1 : FAITHFUL_DIGITS;
    char text[NUMBER_SIZE];
    PointLocale locale = point_locale_enter();
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < EXACT_DIGITS && strtod(text, NULL) != number);
    point_locale_leave(locale);
    fputs(text, stream);
}

void json_write_member(FILE *stream, const char *name, double number)
{
    fprintf(stream, ", \"%s\": ", name);
    json_write_double(stream, number);
}
