// SPDX-License-Identifier: BSD-2-Clause
#include "probe/translator.h"

#include <string.h>

const struct translator translators[] = {
#include "translators.def"
};

const size_t translator_count = sizeof(translators) / sizeof(*translators);

bool translator_is_for(const struct translator *t, const struct vm *vm)
{
	if (t->flavor != FLAVOR_UNKNOWN && t->flavor != vm->flavor)
		return false;
	for (size_t i = 0; i < MAX_RELEASES && t->otp[i]; i++) {
		if (t->otp[i] == vm->like)
			return true;
	}
	return false;
}

/* If callers matter and the function is static, its callers cannot be told apart. */
static bool is_hidden(const struct translator *t, const struct vm *vm)
{
	const struct image_symbol *symbol;
	uint64_t offset;

	if (t->each_bif || strchr(t->function, ':'))
		return false;
	/* The VM calls BIFs through a table, which still works. */
	if (image_is_inlined(vm->image) && !t->bif)
		return true;
	symbol = image_symbol(vm->image, t->function);
	return !symbol || !symbol->is_function || (t->callers && symbol->is_local) ||
	       image_code_offset(vm->image, symbol->address, &offset);
}

const struct translator *translator_hidden(const char *probe, const struct vm *vm)
{
	for (size_t i = 0; i < translator_count; i++) {
		const struct translator *t = &translators[i];

		if (!strcmp(t->probe, probe) && translator_is_for(t, vm) && is_hidden(t, vm))
			return t;
	}
	return NULL;
}

/* Does an earlier row for this VM have the same function? */
static bool is_repeated(size_t row, const struct vm *vm)
{
	for (size_t i = 0; i < row; i++) {
		if (translator_is_for(&translators[i], vm) &&
		    !strcmp(translators[i].function, translators[row].function))
			return true;
	}
	return false;
}

void translator_functions_of(const struct vm *vm, size_t *found, size_t *wanted)
{
	*found = *wanted = 0;
	for (size_t i = 0; i < translator_count; i++) {
		const struct translator *t = &translators[i];

		if (!translator_is_for(t, vm) || t->each_bif || strchr(t->function, ':') || is_repeated(i, vm))
			continue;
		++*wanted;
		*found += !is_hidden(t, vm);
	}
}

const char *translator_function(const struct translator *translator)
{
	return translator->function;
}

const char *translator_accuracy(const struct translator *translator)
{
	return translator->accuracy;
}

const char *translator_missing(const struct translator *translator)
{
	return translator->missing;
}

const char *translator_instead(const struct translator *translator)
{
	return translator->instead;
}

bool translator_is_checked(int otp)
{
	static const int checked[] = OTP_CHECKED;

	for (size_t i = 0; i < sizeof(checked) / sizeof(*checked); i++) {
		if (checked[i] == otp)
			return true;
	}
	return false;
}

static struct translator_row row_of(const struct translator *t)
{
	struct translator_row row = {
		.probe = t->probe,
		.function = t->function,
		.at_return = t->at_return,
		.otp = t->otp,
		.flavor = t->flavor,
		.accuracy = t->accuracy,
		.missing = t->missing,
		.instead = t->instead,
	};

	while (row.otp_count < MAX_RELEASES && t->otp[row.otp_count])
		row.otp_count++;
	for (int i = 0; i < ERL_MAX_ARGS; i++)
		row.args |= t->args[i] ? 1u << i : 0;
	return row;
}

void translator_each(void (*visit)(void *data, const struct translator_row *row), void *data)
{
	for (size_t i = 0; i < translator_count; i++) {
		struct translator_row row = row_of(&translators[i]);

		visit(data, &row);
	}
}
