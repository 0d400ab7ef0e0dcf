/* line_plot.h -- a few curves over the same places, as an SVG picture: the sources' plots.
 *
 * The axes begin and end at the data; y begins at 0. Places are marked where the data is. */
#ifndef SOLILOQUY_LAB_LINE_PLOT_H
#define SOLILOQUY_LAB_LINE_PLOT_H

#include "base/error.h"

#include <stdbool.h>

typedef struct PlotCurve {
    const char *name, *color; /* of the legend; a name or #rrggbb of SVG */
    const double *values;     /* [count], finite and not negative */
    bool dashed;              /* a line without marks */
} PlotCurve;

typedef struct LinePlot {
    const char *title, *x_label, *y_label;
    const double *x; /* [count], ascending; positive with log_x */
    int count;       /* at least 2 */
    bool log_x;
    const PlotCurve *curves;
    int curve_count;
} LinePlot;

/* Writes directory/name; the directory is made where it is missing. Atomic. */
bool line_plot_write(const LinePlot *plot, const char *directory, const char *name, Error *error);

#endif
