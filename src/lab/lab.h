/* lab.h -- the sources' experiments, row by row: a published figure beside the program's own.
 *
 * An experiment computes with the program's layers and hands each claim to one of the functions below, which compare,
 * count and pass the row on. Nothing here prints. Verdicts: exact (every printed digit), within (a band that `why`
 * argues in one line), holds (a proposition, asserted on the numbers), failed, skipped (its data is missing). */
#ifndef SOLILOQUY_LAB_LAB_H
#define SOLILOQUY_LAB_LAB_H

#include "base/error.h"

#include <stdbool.h>

typedef enum LabVerdict { LAB_EXACT, LAB_WITHIN, LAB_HOLDS, LAB_FAILED, LAB_SKIPPED, LAB_VERDICTS } LabVerdict;

enum { LAB_TEXT = 256 };

/* One row. Strings that are not arrays are borrowed until the sink returns. */
typedef struct LabRow {
    const char *experiment; /* its name, as on the command line */
    const char *source;     /* "000 ex. 4": where a student finds it */
    const char *claim;
    char published[LAB_TEXT], ours[LAB_TEXT]; /* figures as printed, several separated by one space; "" where none is */
    LabVerdict verdict;
    const char *why;        /* of within, failed and skipped; NULL otherwise */
    int figures;            /* that the row compares: 1 for a proposition */
} LabRow;

typedef void LabSink(void *context, const LabRow *row);

typedef struct Lab {
    const char *data;  /* folder that holds tinyshakespeare.txt and banking77/ */
    const char *model; /* a trained model to assert the propositions on, or NULL */
    const char *out;   /* folder for pictures and tables, or NULL; made where missing */
    int threads;
    LabSink *sink;
    void *context;
    const char *experiment, *source; /* of the rows that follow */
    int counts[LAB_VERDICTS];        /* figures by verdict */
} Lab;

/* The rows that follow belong to this part of a source, such as "000 ex. 4" or "002 prop. 3.1". */
void lab_source(Lab *lab, const char *source);

/* One figure: `ours` is written like `published` (lab/figure.h) and must be the same text. NaN and infinities never
 * are, whatever is published. */
void lab_exact(Lab *lab, const char *claim, const char *published, double ours);

/* Several figures, separated by single spaces in `published`, each written likewise. */
void lab_exact_all(Lab *lab, const char *claim, const char *published, const double *ours);

/* Several figures of a NumPy array that was rounded to `decimals` places; it prints no zeros at the end: "0.173 1." */
void lab_exact_trimmed(Lab *lab, const char *claim, const char *published, int decimals, const double *ours);

/* Words or numbers that are printed as text: both must be the same. `figures` is how many numbers are in it. */
void lab_exact_text(Lab *lab, const char *claim, const char *published, const char *ours, int figures);

/* `ours`, written like the first figure in `published`, is in [low, high]; `why` argues the band in one line. */
void lab_within(Lab *lab, const char *claim, const char *published, double ours, double low, double high,
                const char *why);

/* A proposition; the rest is what the numbers said, as for printf. */
void lab_holds(Lab *lab, const char *claim, bool holds, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* `figures` figures cannot be compared; `why` says how to get what is missing. */
void lab_skip(Lab *lab, const char *claim, int figures, const char *why);

/* An experiment. False with the error when it could not run (memory, a file); failed claims are rows, not errors. */
typedef struct Experiment {
    const char *name, *source, *about;
    bool (*run)(Lab *lab, Error *error);
} Experiment;

extern const Experiment experiments[];
extern const int experiment_count;

/* Runs one, its rows going to the sink. One that could not run is a failed row, too, with the error as its `why`. */
bool lab_run(Lab *lab, const Experiment *experiment, Error *error);

#endif
