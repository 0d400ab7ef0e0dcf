/* Document 003's assignment: without its data every figure is skipped, damaged data is an error, and, where
 * SOLILOQUY_BANKING77 names the data's folder, the bag prints the source's figures. */
#include "lab/experiments.h"
#include "lab/order_trial.h"

#include "base/file.h"
#include "scratch.h"

enum { FIGURES = 56 };

static void ignore(void *context, const LabRow *row)
{
    *(bool *)context &= row->why != NULL && strstr(row->why, "scripts/fetch_banking77.sh") != NULL;
}

static void test_missing(void)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    Error error = {""};
    bool named = true;
    Lab lab = {.data = scratch("nowhere", folder), .threads = 1, .sink = ignore, .context = &named};
    test_case("order: without Banking77 every figure is skipped, and the script named");
    CHECK(lab_order(&lab, &error), "%s", error.message);
    CHECK(lab.counts[LAB_SKIPPED] == FIGURES && lab.counts[LAB_EXACT] == 0 && named, "%d skipped",
          lab.counts[LAB_SKIPPED]);

    test_case("order: damaged files are an error");
    CHECK(directory_create(scratch("damaged/banking77", path), &error), "%s", error.message);
    put(scratch("damaged/banking77/train.csv", path), "text,category\na\n", 16);
    put(scratch("damaged/banking77/test.csv", path), "text,category\n", 14);
    lab.data = scratch("damaged", folder);
    CHECK(!lab_order(&lab, &error) && strstr(error.message, "train.csv, line 2: 1 field") != NULL, "%s", error.message);
}

static void test_bag(void)
{
    static const char *const published[ORDER_REPORTS] = {"2.3178 0.7565", "0.1572 0.8665", "0.0353 0.8760"};
    const char *folder = getenv("SOLILOQUY_BANKING77");
    Banking77 b;
    OrderTrial trial = {0};
    Error error = {""};
    if (folder == NULL || folder[0] == '\0') {
        test_skip("order: the bag's figures", "SOLILOQUY_BANKING77 does not name the folder of Banking77");
        return;
    }
    test_case("order: the bag's figures are the source's, and none of its calls depends on the order");
    const bool opened = banking77_open(&b, folder, &error) && order_trial_open(&trial, &b, ORDER_BAG, false, &error);
    CHECK(opened, "%s", error.message);
    if (opened) {
        order_trial_run(&trial, &b);
        for (int i = 0; i < ORDER_REPORTS; i++) {
            char ours[64];
            snprintf(ours, sizeof ours, "%.4f %.4f", trial.losses[i], trial.accuracies[i]);
            CHECK(strcmp(ours, published[i]) == 0, "%s instead of %s", ours, published[i]);
        }
        CHECK(trial.equal == 1 && trial.backward_accuracy == trial.accuracies[ORDER_REPORTS - 1], "%g, %g", trial.equal,
              trial.backward_accuracy);
        CHECK(trial.test_equal == b.test.count, "%d", trial.test_equal);
    }
    order_trial_close(&trial);
    banking77_close(&b);
}

int main(void)
{
    test_missing();
    test_bag();
    return test_finish();
}
