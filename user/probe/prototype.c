// SPDX-License-Identifier: BSD-2-Clause
#include "probe/prototype.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum c_type_kind kind;
	bool has_count;
} types[] = {
	{ "void", C_TYPE_VOID, false },	 { "_", C_TYPE_SKIP, false },	       { "int", C_TYPE_INT, false },
	{ "uint", C_TYPE_UINT, false },	 { "long", C_TYPE_LONG, false },       { "ulong", C_TYPE_ULONG, false },
	{ "bool", C_TYPE_BOOL, false },	 { "hex", C_TYPE_HEX, false },	       { "ptr", C_TYPE_HEX, false },
	{ "term", C_TYPE_TERM, false },	 { "process", C_TYPE_PROCESS, false }, { "port", C_TYPE_PORT, false },
	{ "mfa", C_TYPE_MFA, false },	 { "str", C_TYPE_TEXT, false },	       { "bytes", C_TYPE_BYTES, true },
	{ "terms", C_TYPE_TERMS, true },
};

static const struct known {
	int otp; /* 0: every release */
	const char *text;
} known[] = {
#define FUNCTION(otp, text) { otp, text },
#define NO_RETURN(glob, is_certain, why)
#include "functions.def"
#undef FUNCTION
#undef NO_RETURN
};

static const struct no_return {
	const char *glob;
	bool is_certain; /* --unsafe does not override it */
	const char *why;
} no_return[] = {
#define FUNCTION(otp, text)
#define NO_RETURN(glob, is_certain, why) { glob, is_certain, why },
#include "functions.def"
#undef FUNCTION
#undef NO_RETURN
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct parser {
	const char *at;
	const char *why;
};

static int fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return -EINVAL;
}

static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	while (isspace((unsigned char)*p->at))
		p->at++;
	if (strncmp(p->at, token, n))
		return false;
	p->at += n;
	return true;
}

static int read_count(struct parser *p, struct c_type *type)
{
	unsigned long most = type->kind == C_TYPE_TERMS ? PROTOTYPE_VALUES : PROTOTYPE_BYTES, n;
	char *end;

	if (!accept(p, "(") || !accept(p, "") || !isdigit((unsigned char)*p->at))
		return fail(p, "bytes and terms need a number, as in terms(2)");
	errno = 0;
	n = strtoul(p->at, &end, 10);
	if (errno || !n || n > most)
		return fail(p, "there are 1 to 128 bytes, and 1 to 9 terms");
	p->at = end;
	type->count = (uint32_t)n;
	return accept(p, ")") ? 0 : fail(p, "a closing bracket is missing");
}

static int read_type(struct parser *p, struct c_type *type)
{
	size_t n = 0;

	accept(p, "");
	while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
		n++;
	for (size_t i = 0; i < COUNT(types); i++) {
		if (strlen(types[i].name) != n || strncmp(types[i].name, p->at, n))
			continue;
		p->at += n;
		*type = (struct c_type){ .kind = types[i].kind };
		return types[i].has_count ? read_count(p, type) : 0;
	}
	return fail(p, "a type is not one of int, uint, long, ulong, bool, hex, ptr, term, process, port, "
		       "mfa, str, bytes(N), terms(N) and _");
}

static int read_arg(struct parser *p, struct prototype *prototype)
{
	struct c_type *type = &prototype->args[prototype->argc];

	if (prototype->has_more)
		return fail(p, "... is the last argument");
	prototype->has_more = accept(p, "...");
	if (prototype->has_more)
		return 0;
	if (prototype->argc++ == OPERAND_ARGUMENTS)
		return fail(p, "only the first 6 arguments are in registers");
	if (read_type(p, type))
		return -EINVAL;
	return type->kind == C_TYPE_VOID ? fail(p, "an argument cannot be void") : 0;
}

/* The number of values that are shown per call. */
static size_t count_values(const struct prototype *prototype)
{
	size_t values = prototype->has_more;

	for (size_t i = 0; i < prototype->argc; i++)
		values += prototype->args[i].kind == C_TYPE_TERMS ? prototype->args[i].count : 1;
	return values;
}

/* After the opening bracket. */
static int read_args(struct parser *p, struct prototype *prototype)
{
	if (accept(p, ")"))
		return 0;
	do {
		if (read_arg(p, prototype))
			return -EINVAL;
	} while (accept(p, ","));
	if (count_values(prototype) > PROTOTYPE_VALUES)
		return fail(p, "at most 9 values of a call can be shown");
	return accept(p, ")") ? 0 : fail(p, "a closing bracket is missing");
}

static int read_value(struct parser *p, struct prototype *prototype)
{
	if (read_type(p, &prototype->value))
		return -EINVAL;
	return prototype->value.kind == C_TYPE_TERMS ? fail(p, "a value is one term") : 0;
}

static int read_glob(struct parser *p, struct function_spec *spec)
{
	size_t n = strcspn(p->at, "( \t\n"), arrow = 0;

	for (; arrow < n && strncmp(p->at + arrow, "->", 2); arrow++)
		;
	if (!arrow || arrow >= sizeof(spec->glob))
		return fail(p, arrow ? "the name is too long" : "the name is missing");
	memcpy(spec->glob, p->at, arrow);
	spec->glob[arrow] = '\0';
	p->at += arrow;
	return 0;
}

int function_spec_parse(const char *text, struct function_spec *spec, const char **why)
{
	struct parser p = { .at = text };
	int err;

	*spec = (struct function_spec){};
	accept(&p, "");
	err = read_glob(&p, spec);
	spec->prototype.has_more = true;
	if (!err && accept(&p, "(")) {
		spec->has_prototype = true;
		spec->prototype.has_more = false;
		err = read_args(&p, &spec->prototype);
	}
	if (!err && accept(&p, "->")) {
		spec->has_prototype = true;
		err = read_value(&p, &spec->prototype);
	}
	accept(&p, "");
	if (!err && *p.at)
		err = fail(&p, "there is text after the last type");
	*why = p.why;
	return err;
}

bool prototype_known(const char *function, int otp, struct prototype *prototype)
{
	size_t n = strlen(function);

	for (size_t i = 0; i < COUNT(known); i++) {
		struct function_spec spec;
		const char *why;

		if ((known[i].otp && known[i].otp != otp) || strncmp(known[i].text, function, n) ||
		    known[i].text[n] != '(' || function_spec_parse(known[i].text, &spec, &why))
			continue;
		*prototype = spec.prototype;
		return true;
	}
	return false;
}

struct prototype prototype_of_bif(unsigned int arity)
{
	struct prototype prototype = {
		.args = { { .kind = C_TYPE_PROCESS }, { .kind = C_TYPE_TERMS, .count = arity } },
		.argc = arity ? 2 : 1,
		.value = { .kind = C_TYPE_TERM },
	};

	return prototype;
}

const char *function_no_return(const char *function, bool *is_certain)
{
	for (size_t i = 0; i < COUNT(no_return); i++) {
		*is_certain = no_return[i].is_certain;
		if (!fnmatch(no_return[i].glob, function, 0))
			return no_return[i].why;
	}
	return NULL;
}

const char *prototype_row(size_t i)
{
	return i < COUNT(known) ? known[i].text : NULL;
}
