// SPDX-License-Identifier: BSD-2-Clause
#include "cli/glossary.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const struct glossary_term glossary[] = {
	{ "node", "a running Erlang VM (BEAM); its name is the one that -name or -sname gave it" },
	{ "MFA", "module, function and arity of a function, such as lists:map/2" },
	{ "note", "a probe (USDT) in the VM's executable; built in by ./configure --with-dynamic-trace=systemtap" },
	{ "stock", "a VM without notes, as distributions ship it; erlbpf probes its functions instead" },
	{ "translator", "a rule that says which function of the VM replaces a probe" },
	{ "scheduler", "a thread of the VM that runs processes; shown as 1, dirty-cpu-1 or dirty-io-1" },
	{ "slice", "the time from the moment a scheduler picks a process until the process yields" },
	{ "run queue", "the processes that wait for a scheduler" },
	{ "dirty", "a dirty scheduler runs native calls that take long; normal schedulers run everything else" },
	{ "port", "the VM's connection to a driver, such as a socket or an external program" },
	{ "task", "work for a port, waiting in its queue: ready input or output, a timeout, or a signal" },
	{ "alias", "a reference that can receive messages for a process; see erlang:alias/0" },
	{ "seq_trace", "Erlang's sequential tracing; its token travels with messages" },
};

const size_t glossary_count = sizeof(glossary) / sizeof(*glossary);

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Does the text use it as a word, or as words? */
static bool is_used(const char *text, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		const char *end = at + size + (at[size] == 's');

		if ((at == text || !is_letter(at[-1])) && !is_letter(*end))
			return true;
	}
	return false;
}

void glossary_print(FILE *to, const char *text)
{
	bool has_title = false;

	for (size_t i = 0; i < glossary_count; i++) {
		if (text && !is_used(text, glossary[i].name))
			continue;
		if (!has_title)
			fputs("\nTerms:\n", to);
		has_title = true;
		fprintf(to, "  %-12s %s\n", glossary[i].name, glossary[i].meaning);
	}
}
