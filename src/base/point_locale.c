#include "base/point_locale.h"

PointLocale point_locale_enter(void)
{
    PointLocale locale = {.point = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (locale.point != (locale_t)0)
        locale.previous = uselocale(locale.point);
    return locale;
}

void point_locale_leave(PointLocale locale)
{
    if (locale.point == (locale_t)0)
        return;
    uselocale(locale.previous);
    freelocale(locale.point);
}
