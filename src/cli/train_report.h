/* train_report.h -- what a training run tells: before it starts, and when it has ended. */
#ifndef SOLILOQUY_CLI_TRAIN_REPORT_H
#define SOLILOQUY_CLI_TRAIN_REPORT_H

#include "cli/progress.h"
#include "text/corpus.h"
#include "text/counts.h"
#include "training/run.h"

/* What is trained on what, in a few lines of progress; the memory estimate stands there before it is taken. */
void train_report_text(Progress *progress, const char *path, const Corpus *corpus, const TrainingSettings *settings);
void train_report_plan(Progress *progress, const ModelConfig *config, const TrainingSettings *settings, int threads);
void train_report_baselines(Progress *progress, const Baselines *baselines);

/* Results, on `out`: the validation loss beside the counted ones, in nats and bits a character. */
void train_report_losses(FILE *out, const Trainer *trainer, const Baselines *baselines);

/* The best model in the run's directory: `length` characters of sample on `out`, and its attention maps in
 * directory/attention. maps_text may be NULL: the start of the validation text. */
bool train_report_model(FILE *out, const char *directory, const Trainer *trainer, const char *maps_text, int length,
                        Error *error);

/* "./soliloquy WORDS DIRECTORY", as it can be given to a shell. */
void train_report_command(FILE *out, const char *words, const char *directory);

/* Where the files are, and what to try next. */
void train_report_files(FILE *out, const char *directory, const Trainer *trainer);

#endif
