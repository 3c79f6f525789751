// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/when.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NESTING 32
#define NIL 0x3b /* the term [] */
#define LEAST_SMALL (-(1LL << 59))
#define MOST_SMALL ((1LL << 59) - 1)

static const char expected[] = "expected comparisons such as 'arg(1) == ok', 'result() > 10' or 'element(1, arg(2)) == "
			       "error', with &&, || and !";
static const char too_long[] = "it has too many parts: at most 16 comparisons and operators are possible";
static const char too_large[] = "an integer has 60 bits at most";
static const char only_integers[] = "only integers are less or greater than others";
static const char no_argument[] = "arguments are arg(1) to arg(16), elements of tuples 1 to 255";

struct parser {
	const char *at;
	struct functions_when *when;
	char **atoms;
	const char *why;
	int depth;
};

static bool fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

static bool skips(struct parser *p, const char *text)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	if (strncmp(p->at, text, strlen(text)) != 0)
		return false;
	p->at += strlen(text);
	return true;
}

static struct functions_step *add(struct parser *p, enum functions_step_kind kind)
{
	struct functions_step *step;

	if (p->when->count == FUNCTIONS_STEPS) {
		fail(p, too_long);
		return NULL;
	}
	step = &p->when->steps[p->when->count++];
	*step = (struct functions_step){ .kind = (__u8)kind };
	return step;
}

static bool number_within(struct parser *p, long long least, long long most, long long *number, const char *why)
{
	char *end;

	skips(p, "");
	if (!isdigit((unsigned char)p->at[*p->at == '-']))
		return fail(p, expected);
	/* A number that overflows its type is also out of bounds. */
	*number = strtoll(p->at, &end, 10);
	if (*number < least || *number > most)
		return fail(p, why);
	p->at = end;
	return true;
}

/* subject := "arg" "(" N ")" | "result" "(" ")" | "element" "(" N "," subject ")", of which there is one. */
static bool parse_subject(struct parser *p, struct functions_step *step)
{
	long long number;

	if (!step->element && skips(p, "element(")) {
		if (!number_within(p, 1, 255, &number, no_argument))
			return false;
		step->element = (__u8)number;
		return (skips(p, ",") && parse_subject(p, step) && skips(p, ")")) || fail(p, expected);
	}
	if (skips(p, "result()")) {
		step->argument = FUNCTIONS_RESULT;
		return true;
	}
	if (!skips(p, "arg(") || !number_within(p, 1, 16, &number, no_argument))
		return fail(p, expected);
	step->argument = (__u8)(number - 1);
	return skips(p, ")") || fail(p, expected);
}

static bool parse_compare(struct parser *p, struct functions_step *step)
{
	static const struct {
		const char *text;
		enum functions_compare compare;
	} all[] = {
		{ "=:=", FUNCTIONS_EQUAL },  { "=/=", FUNCTIONS_UNEQUAL }, { "==", FUNCTIONS_EQUAL },
		{ "!=", FUNCTIONS_UNEQUAL }, { "/=", FUNCTIONS_UNEQUAL },  { "=<", FUNCTIONS_AT_MOST },
		{ "<=", FUNCTIONS_AT_MOST }, { ">=", FUNCTIONS_AT_LEAST }, { "<", FUNCTIONS_LESS },
		{ ">", FUNCTIONS_GREATER },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (skips(p, all[i].text)) {
			step->compare = (__u8)all[i].compare;
			return true;
		}
	}
	return fail(p, expected);
}

static bool is_ordered(const struct functions_step *step)
{
	return step->compare != FUNCTIONS_EQUAL && step->compare != FUNCTIONS_UNEQUAL;
}

/* An atom, in quotes or not; a quote within quotes has a backslash before it. */
static bool parse_atom(struct parser *p, struct functions_step *step)
{
	bool is_quoted = skips(p, "'");
	char *atom = malloc(strlen(p->at) + 1);
	size_t length = 0;

	if (!atom)
		return fail(p, "memory is short");
	p->atoms[p->when->count - 1] = atom;
	while (*p->at && (is_quoted ? *p->at != '\'' : isalnum((unsigned char)*p->at) || strchr("_@", *p->at))) {
		if (is_quoted && p->at[0] == '\\' && p->at[1])
			p->at++;
		atom[length++] = *p->at++;
	}
	atom[length] = '\0';
	step->is_atom = true;
	if (is_quoted)
		return skips(p, "'") || fail(p, "a quote is not closed");
	return islower((unsigned char)atom[0]) || fail(p, expected);
}

static bool parse_literal(struct parser *p, struct functions_step *step)
{
	long long number;

	skips(p, "");
	if (isdigit((unsigned char)p->at[*p->at == '-'])) {
		if (!number_within(p, LEAST_SMALL, MOST_SMALL, &number, too_large))
			return false;
		step->value = (__u64)number << 4 | 0xf;
		return true;
	}
	if (is_ordered(step))
		return fail(p, only_integers);
	if (skips(p, "[]")) {
		step->value = NIL;
		return true;
	}
	return parse_atom(p, step);
}

static bool parse_or(struct parser *p);

/* part := "!" part | "(" or ")" | subject compare literal */
static bool parse_part(struct parser *p)
{
	struct functions_step *step;
	bool is_parsed;

	if (++p->depth > NESTING)
		return fail(p, too_long);
	if (skips(p, "!")) {
		is_parsed = parse_part(p) && add(p, FUNCTIONS_NOT);
	} else if (skips(p, "(")) {
		is_parsed = parse_or(p) && (skips(p, ")") || fail(p, expected));
	} else {
		step = add(p, FUNCTIONS_TEST);
		is_parsed = step && parse_subject(p, step) && parse_compare(p, step) && parse_literal(p, step);
	}
	p->depth--;
	return is_parsed;
}

/* and := part { "&&" part } */
static bool parse_and(struct parser *p)
{
	if (!parse_part(p))
		return false;
	while (skips(p, "&&")) {
		if (!parse_part(p) || !add(p, FUNCTIONS_AND))
			return false;
	}
	return true;
}

/* or := and { "||" and } */
static bool parse_or(struct parser *p)
{
	if (!parse_and(p))
		return false;
	while (skips(p, "||")) {
		if (!parse_and(p) || !add(p, FUNCTIONS_OR))
			return false;
	}
	return true;
}

const char *when_parse(const char *text, struct functions_when *when, char *atoms[FUNCTIONS_STEPS])
{
	struct parser p = { .at = text, .when = when, .atoms = atoms };

	*when = (struct functions_when){};
	if (parse_or(&p) && (skips(&p, ""), *p.at))
		fail(&p, expected);
	return p.why;
}
