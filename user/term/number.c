// SPDX-License-Identifier: BSD-2-Clause
/*
 * Floats get the fewest digits that read back as the same float. to_chars() of erts/emulator/ryu/d2s.c decides between
 * fixed and scientific notation; the same in OTP 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "term/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 17

/* value = digits * 10^exponent, without trailing zeros. */
struct decimal {
	char digits[MAX_DIGITS + 1];
	int length;
	int exponent;
};

static bool reads_as(const struct decimal *d, double value)
{
	char text[MAX_DIGITS + 16];

	snprintf(text, sizeof(text), "%se%d", d->digits, d->exponent);
	return strtod(text, NULL) == value;
}

static void round_to(double value, int length, struct decimal *d)
{
	char text[48];

	snprintf(text, sizeof(text), "%.*e", length - 1, value);
	d->length = 0;
	for (const char *at = text; *at != 'e'; at++) {
		if (*at != '.')
			d->digits[d->length++] = *at;
	}
	d->digits[d->length] = '\0';
	d->exponent = atoi(strchr(text, 'e') + 1) - (length - 1);
}

/* Increments the last digit. It is never a nine: then a shorter number would do. */
static void next(struct decimal *d)
{
	if (d->digits[d->length - 1] != '9')
		d->digits[d->length - 1]++;
}

static void shortest(double value, struct decimal *d)
{
	for (int length = 1; length <= MAX_DIGITS; length++) {
		round_to(value, length, d);
		if (reads_as(d, value))
			break;
		/*
		 * Above a power of two, floats are farther apart than below. The rounded-down number may be closer to
		 * the float below, while the next one reads back as this float.
		 */
		next(d);
		if (reads_as(d, value))
			break;
	}
	while (d->length > 1 && d->digits[d->length - 1] == '0') {
		d->length--;
		d->exponent++;
	}
	d->digits[d->length] = '\0';
}

/* Integers that a float cannot distinguish from their neighbours use scientific notation. */
static bool is_beyond_integers(const struct decimal *d)
{
	uint64_t digits = strtoull(d->digits, NULL, 10);

	return (digits >= 1ULL << 53 && d->exponent == 0) || (digits > (1ULL << 52) / 5 && d->exponent == 1) ||
	       (digits > (1ULL << 51) / 25 && d->exponent == 2);
}

static bool is_fixed(const struct decimal *d)
{
	int lower = d->length == 1 ? -4 : -(d->length + 2);
	int upper = d->length == 1 || d->exponent + d->length - 1 >= 10 ? 2 : 1;

	return d->exponent >= lower && d->exponent <= upper && !is_beyond_integers(d);
}

static void write_fixed(struct writer *w, const struct decimal *d)
{
	int whole = d->length + d->exponent;

	if (d->exponent >= 0)
		write_format(w, "%s%.*s.0", d->digits, d->exponent, "00");
	else if (whole > 0)
		write_format(w, "%.*s.%s", whole, d->digits, d->digits + whole);
	else
		write_format(w, "0.%.*s%s", -whole, "0000", d->digits);
}

void write_float(struct writer *w, double value)
{
	struct decimal d;

	if (!isfinite(value)) {
		write_text(w, "(no term)");
		return;
	}
	if (signbit(value))
		write_text(w, "-");
	shortest(fabs(value), &d);
	if (value == 0)
		write_text(w, "0.0");
	else if (is_fixed(&d))
		write_fixed(w, &d);
	else
		write_format(w, "%c.%se%d", d.digits[0], d.length > 1 ? d.digits + 1 : "0", d.exponent + d.length - 1);
}

#define CHUNK 10000000000000000000ULL /* the largest power of ten in a word */
#define CHUNK_DIGITS 19

/* Divides in place and returns the remainder. */
static uint64_t divide(uint64_t *words, size_t *count, uint64_t by)
{
	unsigned __int128 rest = 0;

	for (size_t i = *count; i > 0; i--) {
		rest = rest << 64 | words[i - 1];
		words[i - 1] = (uint64_t)(rest / by);
		rest %= by;
	}
	while (*count && !words[*count - 1])
		(*count)--;
	return (uint64_t)rest;
}

void write_bignum(struct writer *w, const uint64_t *words, size_t count, bool is_negative)
{
	uint64_t left[NUMBER_MAX_WORDS], chunks[NUMBER_MAX_WORDS + NUMBER_MAX_WORDS / 32 + 1];
	size_t n = 0;

	memcpy(left, words, count * sizeof(*left));
	do {
		chunks[n++] = divide(left, &count, CHUNK);
	} while (count);
	write_format(w, "%s%" PRIu64, is_negative ? "-" : "", chunks[--n]);
	while (n)
		write_format(w, "%0*" PRIu64, CHUNK_DIGITS, chunks[--n]);
}
