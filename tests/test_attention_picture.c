/* The picture of attention: size, places of the cells, colours, and its limits. */
#include "report/attention_picture.h"
#include "test.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

static bool is_color(const AttentionPicture *picture, int x, int y, int red, int green, int blue)
{
    const unsigned char *pixel = picture->palette + 3 * picture->pixels[(size_t)y * (size_t)picture->width + (size_t)x];
    return pixel[0] == red && pixel[1] == green && pixel[2] == blue;
}

static double luminance_of(float weight)
{
    AttentionPicture picture;
    Error error;
    double result = NAN;
    if (attention_picture_draw(&weight, 1, 1, true, &picture, &error))
        result = 0.2126 * picture.palette[3 * picture.pixels[0]] + 0.7152 * picture.palette[3 * picture.pixels[0] + 1] +
                 0.0722 * picture.palette[3 * picture.pixels[0] + 2];
    attention_picture_close(&picture);
    return result;
}

static void test_places(void)
{
    const float weights[2 * 4] = {1.0f, 0.5f, 0.25f, 0.0f, 0.0f, 1.0f, NAN, 7.0f};
    AttentionPicture picture;
    Error error = {""};
    test_case("two causal windows, every cell");
    bool drawn = attention_picture_draw(weights, 2, 2, true, &picture, &error);
    CHECK(drawn, "%s", error.message);
    CHECK(picture.width == 512 && picture.height == 512 + PICTURE_GAP + 512, "%d x %d", picture.width, picture.height);
    for (int corner = 0; drawn && corner < 2; corner++) {
        int near = corner * 255, below = 256 + near, second = 512 + PICTURE_GAP;
        CHECK(is_color(&picture, near, near, 8, 20, 72));
        CHECK(is_color(&picture, 256 + near, near, 222, 222, 222));
        CHECK(is_color(&picture, near, below, 98, 150, 212));
        CHECK(is_color(&picture, 256 + near, below, 255, 255, 255));
        CHECK(is_color(&picture, corner * 511, 512, 150, 150, 150));
        CHECK(is_color(&picture, corner * 511, second - 1, 150, 150, 150));
        CHECK(is_color(&picture, near, second + near, 255, 255, 255));
        CHECK(is_color(&picture, near, second + below, 215, 40, 40));
        CHECK(is_color(&picture, 256 + near, second + below, 8, 20, 72));
    }
    attention_picture_close(&picture);

    test_case("without a mask the future is shown");
    drawn = attention_picture_draw(weights + 4, 1, 2, false, &picture, &error);
    CHECK(drawn && picture.height == 512 && is_color(&picture, 256, 0, 8, 20, 72));
    attention_picture_close(&picture);
    attention_picture_close(&picture);
}

static void test_sizes(void)
{
    test_case("cells are whole pixels, at least one");
    CHECK(attention_picture_cell(1) == 512 && attention_picture_cell(8) == 64 && attention_picture_cell(64) == 8);
    CHECK(attention_picture_cell(300) == 2 && attention_picture_cell(400) == 1 && attention_picture_cell(5000) == 1);
    CHECK(attention_picture_cell(INT_MAX) == 1);

    test_case("too many pixels are refused before anything is read");
    AttentionPicture picture;
    Error error = {""};
    const float one = 1.0f;
    CHECK(!attention_picture_draw(&one, 5000000, 64, true, &picture, &error) && picture.pixels == NULL);
    static const char message[] =
        "a picture of 5000000 windows of 64 characters has too many pixels; choose fewer windows";
    CHECK(strcmp(error.message, message) == 0, "%s", error.message);
    size_t wrapping = SIZE_MAX / (512 + PICTURE_GAP) + 1; /* whose height in pixels is small modulo 2^64 */
    CHECK(!attention_picture_draw(&one, wrapping, 64, true, &picture, &error) && picture.pixels == NULL);
    CHECK(!attention_picture_draw(&one, 1, INT_MAX, true, &picture, &error) && picture.pixels == NULL);
}

static void test_scale(void)
{
    test_case("a larger weight is never lighter");
    double previous = luminance_of(0.0f);
    CHECK(previous >= 254.9);
    for (int i = 1; i <= 400; i++) {
        float shade = (float)i / 400.0f;
        double luminance = luminance_of(shade * shade);
        CHECK(luminance <= previous, "weight %g", (double)(shade * shade));
        previous = luminance;
    }
    CHECK(previous <= 30.0);
    CHECK(luminance_of(-1.0f) >= 254.9 && luminance_of(INFINITY) <= previous);
}

int main(void)
{
    test_places();
    test_sizes();
    test_scale();
    return test_finish();
}
