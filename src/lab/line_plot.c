#include "lab/line_plot.h"

#include "base/file.h"
#include "base/point_locale.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 780, HEIGHT = 400, LEFT = 64, RIGHT = 220, TOP = 44, BOTTOM = 52, MOST_TICKS = 5, LEGEND_STEP = 20 };

/* Where data lies in the picture. */
typedef struct Frame {
    FILE *out;
    const LinePlot *plot;
    double first, last, highest;
} Frame;

static double place(const LinePlot *plot, double x)
{
    return plot->log_x ? log2(x) : x;
}

static double across(const Frame *f, double x)
{
    return LEFT + (place(f->plot, x) - f->first) / (f->last - f->first) * (WIDTH - LEFT - RIGHT);
}

static double down(const Frame *f, double y)
{
    return HEIGHT - BOTTOM - y / f->highest * (HEIGHT - TOP - BOTTOM);
}

static void escape(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static void label(FILE *out, double x, double y, const char *anchor, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    escape(out, text);
    fputs("</text>\n", out);
}

/* 1, 2 or 5 times a power of ten, so that at most MOST_TICKS of them fit. */
static double tick_step(double highest)
{
    static const double factors[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(highest / MOST_TICKS)));
    for (int i = 0; i < 4; i++)
        if (factors[i] * power * MOST_TICKS >= highest)
            return factors[i] * power;
    return 10 * power;
}

static void draw_axes(const Frame *f)
{
    const LinePlot *plot = f->plot;
    char number[32];
    double bottom = HEIGHT - BOTTOM, step = tick_step(f->highest);
    for (int i = 0; i * step <= f->highest; i++) {
        fprintf(f->out, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, down(f, i * step), WIDTH - RIGHT);
        snprintf(number, sizeof number, "%g", i * step);
        label(f->out, LEFT - 6, down(f, i * step) + 4, "end", "", number);
    }
    for (int i = 0; i < plot->count; i++) {
        fprintf(f->out, "<path d=\"M%.1f %.1fv5\" stroke=\"#000\"/>\n", across(f, plot->x[i]), bottom);
        snprintf(number, sizeof number, "%g", plot->x[i]);
        label(f->out, across(f, plot->x[i]), bottom + 18, "middle", "", number);
    }
    fprintf(f->out, "<path d=\"M%d %d V%.1f H%d\" stroke=\"#000\" fill=\"none\"/>\n", LEFT, TOP, bottom, WIDTH - RIGHT);
    label(f->out, (LEFT + WIDTH - RIGHT) / 2.0, 24, "middle", " font-size=\"15\"", plot->title);
    label(f->out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "", plot->x_label);
    label(f->out, -(TOP + bottom) / 2, 18, "middle", " transform=\"rotate(-90)\"", plot->y_label);
}

static void draw_curve(const Frame *f, int number)
{
    const PlotCurve *curve = &f->plot->curves[number];
    double y = TOP + 14 + LEGEND_STEP * number;
    fprintf(f->out, "<g stroke=\"%s\" fill=\"%s\" stroke-width=\"2\">\n<path fill=\"none\"%s d=\"", curve->color,
            curve->color, curve->dashed ? " stroke-dasharray=\"7 5\"" : "");
    for (int i = 0; i < f->plot->count; i++)
        fprintf(f->out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', across(f, f->plot->x[i]), down(f, curve->values[i]));
    fprintf(f->out, "M%d %.1fh26\"/>\n", WIDTH - RIGHT + 18, y);
    for (int i = 0; !curve->dashed && i < f->plot->count; i++)
        fprintf(f->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", across(f, f->plot->x[i]),
                down(f, curve->values[i]));
    fputs("</g>\n", f->out);
    label(f->out, WIDTH - RIGHT + 52, y + 4, "start", "", curve->name);
}

static void draw(const LinePlot *plot, FILE *out)
{
    Frame f = {out, plot, place(plot, plot->x[0]), place(plot, plot->x[plot->count - 1]), 0};
    for (int c = 0; c < plot->curve_count; c++)
        for (int i = 0; i < plot->count; i++)
            f.highest = fmax(f.highest, plot->curves[c].values[i]);
    f.highest = f.highest > 0 ? 1.05 * f.highest : 1;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                 "font-family=\"sans-serif\" font-size=\"12\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(&f);
    for (int c = 0; c < plot->curve_count; c++)
        draw_curve(&f, c);
    fputs("</svg>\n", out);
}

bool line_plot_write(const LinePlot *plot, const char *directory, const char *name, Error *error)
{
    AtomicFile file;
    if (!directory_create(directory, error))
        return false;
    char *path = path_join(directory, name);
    if (path == NULL)
        return error_set(error, "no memory for the path of %s", name);
    bool opened = atomic_file_open(&file, path, error);
    free(path);
    if (!opened)
        return false;
    PointLocale locale = point_locale_enter();
    draw(plot, file.stream);
    point_locale_leave(locale);
    return atomic_file_commit(&file, error);
}
