// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/source.h"

#include <stdio.h>
#include <string.h>

#include "node/code/verify.h"
#include "probe/catalogue.h"
#include "probe/sites/search.h"
#include "probe/translator.h"
#include "term.h"

/* Is a translator better than the note? */
static bool prefers_symbol(const struct site_search *s, const struct probe_def *def)
{
	/* Otherwise, only the note remains. */
	if (translator_hidden(def->name, s->vm))
		return false;
	for (size_t i = 0; i < translator_count; i++) {
		const struct translator *t = &translators[i];
		bool is_better = (t->instead && s->vm->flavor == FLAVOR_JIT) ||
				 (t->term && s->request->with_terms && TERM_KNOWS_RELEASE(s->vm->like));

		if (is_better && !strcmp(t->probe, def->name) && translator_is_for(t, s->vm) &&
		    image_symbol(s->vm->image, t->function))
			return true;
	}
	return false;
}

/* Is the note wrong on this VM, so that the probe needs a translator? */
static bool note_misleads(const struct vm *vm, const struct probe_def *def)
{
	for (size_t i = 0; i < translator_count; i++) {
		if (translators[i].repairs && !strcmp(translators[i].probe, def->name))
			return vm->flavor == FLAVOR_JIT;
	}
	return false;
}

static const char *why_no_symbol(const struct vm *vm, const struct probe_def *def, char *buf, size_t size)
{
	const struct translator *hidden = translator_hidden(def->name, vm);
	const char *hides = image_why_hidden(vm->image);

	if (!vm->has_functions) {
		snprintf(buf, size, "the VM exports no functions of its own (OTP 29 and later)%s%s",
			 hides ? ", and " : "", hides ? hides : "");
		return buf;
	}
	if (def->note_only)
		return def->note_only;
	if (vm->mismatch) {
		if (vm->otp <= OTP_NEWEST)
			return vm->mismatch;
		snprintf(buf, size, "OTP %d is not known, and %s", vm->otp, vm->mismatch);
		return buf;
	}
	if (hidden && image_is_inlined(vm->image))
		return hides;
	if (hidden) {
		snprintf(buf, size, "the VM does not export %s%s%s", hidden->function, hides ? ", and " : "",
			 hides ? hides : "");
		return buf;
	}
	for (size_t i = 0; i < translator_count; i++) {
		if (!strcmp(translators[i].probe, def->name) && translator_is_for(&translators[i], vm)) {
			if (translators[i].each_bif && image_symbol(vm->image, translators[i].function))
				return vm->bifs ? "no BIF has this name" : "the table of BIFs cannot be read";
			snprintf(buf, size, "the VM has no %s", translators[i].function);
			return buf;
		}
	}
	for (size_t i = 0; i < translator_count; i++) {
		if (strcmp(translators[i].probe, def->name))
			continue;
		snprintf(buf, size, "it has no translator for OTP %d (%s)", vm->otp, flavor_name(vm->flavor));
		return buf;
	}
	return "no translator";
}

/* The catalogue's remark about the JIT, as a reason. */
static const char *under_jit(const char *text, char *buf, size_t size)
{
	size_t length = strlen(text);

	if (length && text[length - 1] == '.')
		length--;
	snprintf(buf, size, "under the JIT, %.*s", (int)length, text);
	return buf;
}

static int explain_missing(const struct site_search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *why_note, *why_symbol;
	char buf[224], jit[160], text[sizeof(((struct missing *)0)->why)];

	if (def->never)
		return site_list_add_missing(s->list, probe, true, def->never);
	why_note = !s->vm->has_notes				  ? "the VM was built without notes"
		   : def->emu_only && s->vm->flavor == FLAVOR_JIT ? under_jit(def->emu_only, jit, sizeof(jit))
								  : "the VM has no such note";
	why_symbol = why_no_symbol(s->vm, def, buf, sizeof(buf));
	if (s->request->source == SOURCE_USDT)
		return site_list_add_missing(s->list, probe, true, why_note);
	if (s->request->source == SOURCE_SYMBOL)
		return site_list_add_missing(s->list, probe, true, why_symbol);
	snprintf(text, sizeof(text), "%s; %s", why_note, why_symbol);
	return site_list_add_missing(s->list, probe, true, text);
}

/* Probes of the provider vm on functions that the user names. */
static bool is_of_functions(const struct probe_def *def)
{
	return !strcmp(def->name, "uprobe-entry") || !strcmp(def->name, "uprobe-return");
}

static int find_functions(const struct site_search *s, uint32_t probe)
{
	if (!s->request->functions)
		return site_list_add_missing(s->list, probe, true, "`erlbpf uprobe` selects the functions");
	if (s->request->source == SOURCE_USDT)
		return site_list_add_missing(s->list, probe, true, "a function is not a note");
	return function_sites(s->vm, s->request, probe, s->list);
}

static int find_sites(const struct site_search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *denied = probe_denied(def, s->vm->flavor == FLAVOR_JIT);
	enum source first = s->request->source;
	int found;

	if (is_of_functions(def))
		return find_functions(s, probe);
	if (denied && !s->request->allow_denied) {
		char text[sizeof(((struct missing *)0)->why)];

		snprintf(text, sizeof(text), "refused without --unsafe: %s", denied);
		return site_list_add_missing(s->list, probe, true, text);
	}
	if (first == SOURCE_ANY && (prefers_symbol(s, def) || note_misleads(s->vm, def)))
		first = SOURCE_SYMBOL;
	if (first == SOURCE_ANY)
		first = SOURCE_USDT;
	found = first == SOURCE_USDT ? note_sites(s, probe) : translator_sites(s, probe);
	if (s->request->source == SOURCE_ANY && first == SOURCE_USDT) {
		int more = found < 0 ? 0 : found ? translator_sites_beside_notes(s, probe) : translator_sites(s, probe);

		found = more < 0 ? more : found + more;
	}
	if (found)
		return found < 0 ? found : 0;
	return explain_missing(s, probe);
}

static bool is_probe_wanted(const struct site_request *request, uint32_t probe)
{
	return request->wants ? request->wants(request->wants_data, probe) : probe_matches(probe, request->glob);
}

int site_list_make(struct vm *vm, const struct site_request *request, struct site_list *list)
{
	struct site_search s = { .vm = vm, .request = request, .list = list };
	int err = note_sites_read(vm);

	if (request->target)
		verify_vm(request->target);
	*list = (struct site_list){};
	for (uint32_t probe = 0; !err && probe < probe_count(); probe++) {
		if (is_probe_wanted(request, probe))
			err = find_sites(&s, probe);
	}
	if (err)
		site_list_free(list);
	return err;
}
