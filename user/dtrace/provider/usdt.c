// SPDX-License-Identifier: BSD-2-Clause
/*
 * Providers of other software: SDT notes of NIFs, drivers and other mapped code, as written by <sys/sdt.h>. The note
 * "request__start" of the provider myapp is myapp1234:::request-start in process 1234. Notes of the provider erlang
 * belong to the catalogue (erlang.c), and no file can use the name of another built-in provider.
 */
#include "dtrace/provider/usdt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "dtrace/provider/matching.h"
#include "dtrace/provider/note_files.h"
#include "dtrace/provider/provider.h"
#include "probe/functions.h"
#include "target/reader/procfs.h"
#include "target/reader/reader.h"

#define NAME_SIZE 128	/* of a provider or a probe; DTrace allows 64 */
#define MAX_NAMES 1000	/* different probes: a session has 2,000 numbers for all providers */
#define MAX_SITES 20000 /* of all probes together, including those of ended processes */

struct usdt {
	struct note_files *files;
	struct reader_identity ours; /* our executable, which is not traced */
	uint32_t newest;	     /* latest number of a probe */
	size_t names, sites;
};

struct search {
	struct probes *probes;
	struct usdt *usdt;
	const struct probe_spec *spec;
	pid_t pid;
	bool is_full;  /* a limit was reached, see probes_why() */
	bool is_guess; /* the digits of the provider can belong to its name */
};

static void end(void *data)
{
	struct usdt *usdt = data;

	note_files_free(usdt->files);
	free(usdt);
}

static struct usdt *usdt_of(struct probes *probes)
{
	struct usdt *usdt = probes_kept(probes, PROVIDER_USDT);

	if (usdt)
		return usdt;
	usdt = calloc(1, sizeof(*usdt));
	if (usdt)
		usdt->files = note_files_new();
	if (!usdt || !usdt->files) {
		free(usdt);
		return NULL;
	}
	if (reader_identify(getpid(), "exe", &usdt->ours))
		usdt->ours = (struct reader_identity){};
	probes_keep(probes, PROVIDER_USDT, usdt, end);
	return usdt;
}

/* Names. */

static bool is_reserved(const char *provider, size_t size)
{
	static const char *const ours[] = {
		"dtrace", "profile", "tick", "syscall", "proc", "sched", "io", "rawtp", "erlang", "vm", "pid",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (strlen(ours[i]) == size && !strncmp(provider, ours[i], size))
			return true;
	}
	return false;
}

/* A description without a provider matches none of these. "erlang*" is the provider erlang. */
static bool is_meant(const char *glob)
{
	size_t literal = strcspn(glob, "*?[\\0123456789");

	return glob[strspn(glob, "*?")] && !is_reserved(glob, literal);
}

/* "request__start" is request-start. False: too long. */
static bool spell(const char *text, char name[NAME_SIZE])
{
	size_t size = 0;

	for (; *text && size < NAME_SIZE - 1; size++) {
		bool is_dash = text[0] == '_' && text[1] == '_';

		name[size] = is_dash ? '-' : *text;
		text += is_dash ? 2 : 1;
	}
	name[size] = '\0';
	return !*text;
}

/* Probes. */

static bool has_site(const struct d_probe *probe, const struct note_site *site)
{
	for (size_t i = 0; i < probe->site_count; i++) {
		if (probe->sites[i] == site)
			return true;
	}
	return false;
}

static int add_site(struct search *s, struct d_probe *probe, const struct note_site *site)
{
	if (has_site(probe, site))
		return 0;
	if (s->usdt->sites >= MAX_SITES) {
		probes_explain(s->probes, "more than %d sites have such probes", MAX_SITES);
		s->is_full = true;
		return 0;
	}
	if (!array_has_room(probe->sites, probe->site_count))
		return -ENOMEM;
	probe->sites[probe->site_count++] = site;
	s->usdt->sites++;
	return 0;
}

/* 0: too many. */
static uint32_t number_of(struct search *s, const char *provider, const char *module, const char *name)
{
	char text[512];
	uint32_t number;

	if (s->usdt->names >= MAX_NAMES)
		return 0;
	snprintf(text, sizeof(text), "usdt:%s:%.200s:%s", provider, module, name);
	number = probes_number(s->probes, text);
	if (number > s->usdt->newest) {
		s->usdt->newest = number;
		s->usdt->names++;
	}
	return number;
}

static int add(struct search *s, const struct note *note, const struct note_site *site, const char *name)
{
	char provider[NAME_SIZE + 16];
	struct d_probe probe = {
		.names = { 0, provider, site->file, site->function, name },
		.hook = HOOK_USDT,
		.pid = s->pid,
	};
	struct d_probe *made;

	snprintf(provider, sizeof(provider), "%s%d", note->provider, s->pid);
	if (!spec_matches_names(s->spec, &probe.names))
		return 0;
	probe.number = number_of(s, note->provider, site->file, name);
	if (!probe.number) {
		probes_explain(s->probes, "more than %d different probes have such names", MAX_NAMES);
		s->is_full = true;
		return 0;
	}
	probe.function = *site->function ? function_number(site->function) : 0;
	made = probes_add(s->probes, &probe);
	return made ? add_site(s, made, site) : -ENOMEM;
}

static int add_file(void *data, const struct mapped_code *code)
{
	struct search *s = data;
	const struct note_file *file = NULL;
	int err = code->path ? note_files_get(s->usdt->files, s->pid, code, &file) : 0;

	for (size_t i = 0; !err && file && i < file->notes.count; i++) {
		const struct note *note = &file->notes.notes[i];
		char name[NAME_SIZE];

		if (strlen(note->provider) >= NAME_SIZE || is_reserved(note->provider, strlen(note->provider)) ||
		    !spell(note->name, name))
			continue;
		err = add(s, note, &file->sites[i], name);
	}
	return err;
}

/* Processes that end or do not respond are skipped. */
static int search_process(struct search *s, pid_t pid)
{
	int err;

	s->pid = pid;
	err = pid == getpid() ? 0 : probes_enter_child(s->probes, pid);
	if (!err && pid != getpid())
		err = mapped_each(pid, add_file, s);
	if ((err == -EACCES || err == -EPERM) && !s->is_guess)
		probes_explain(s->probes, "process %d cannot be read: %s", pid, strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Processes. */

/* "myapp1234": process 1234, or process 234 and a provider myapp1. */
static int search_named(struct search *s)
{
	const char *provider = s->spec->provider, *at = provider + strlen(provider);
	int err = 0;

	while (at > provider && strchr("0123456789", at[-1]))
		at--;
	for (; !err && *at; at++) {
		pid_t pid = at > provider ? provider_pid_of(at, "") : 0;

		if (pid && *at != '0' && !procfs_check_process(pid))
			err = search_process(s, pid);
		s->is_guess = true;
	}
	return err;
}

struct scan {
	struct search *search;
	int err;
};

/* erlbpf and its helper processes are not traced. */
static bool is_ours(const struct usdt *usdt, pid_t pid)
{
	struct reader_identity exe;

	return !usdt->ours.inode || (!reader_identify(pid, "exe", &exe) && reader_is_same(&exe, &usdt->ours));
}

static void scan_process(void *data, pid_t pid)
{
	struct scan *scan = data;

	if (!scan->err && !is_ours(scan->search->usdt, pid))
		scan->err = search_process(scan->search, pid);
}

static int search_all(struct search *s)
{
	const struct probes_options *options = probes_get_options(s->probes);
	struct scan scan = { .search = s };

	for (size_t i = 0; !scan.err && i < options->pid_count; i++)
		scan.err = search_process(s, options->pids[i]);
	if (options->pid_count)
		return scan.err;
	procfs_each(scan_process, &scan);
	return scan.err;
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	struct search s = { .probes = probes, .spec = spec };
	int err;

	if (!is_meant(spec->provider))
		return 0;
	s.usdt = usdt_of(probes);
	if (!s.usdt)
		return -ENOMEM;
	err = glob_is_open(spec->provider) ? search_all(&s) : search_named(&s);
	if (s.is_full)
		pr_warn("%s: some are omitted: %s", spec->text, probes_why(probes));
	return err;
}

static bool may_load(const struct probe_spec *spec)
{
	return is_meant(spec->provider);
}

/* True if the description can concern the process. */
static bool is_candidate(const struct search *s, pid_t pid)
{
	const struct probes_options *options = probes_get_options(s->probes);
	const char *provider = s->spec->provider;
	char digits[16];
	int size = snprintf(digits, sizeof(digits), "%d", pid);

	if (!glob_is_open(provider))
		return strlen(provider) > (size_t)size && !strcmp(provider + strlen(provider) - size, digits);
	for (size_t i = 0; i < options->pid_count; i++) {
		if (options->pids[i] == pid)
			return true;
	}
	return !options->pid_count && !is_ours(s->usdt, pid);
}

static int discover_loaded(struct probes *probes, const struct probe_spec *spec, pid_t pid)
{
	struct search s = { .probes = probes, .spec = spec, .usdt = usdt_of(probes) };
	int err = 0;

	if (!s.usdt)
		return -ENOMEM;
	if (!pid)
		err = glob_is_open(spec->provider) ? search_all(&s) : search_named(&s);
	else if (is_candidate(&s, pid))
		err = search_process(&s, pid);
	return !err && s.is_full ? -ENOSPC : err;
}

const struct provider provider_usdt = {
	.discover = discover,
	.may_load = may_load,
	.discover_loaded = discover_loaded,
};
