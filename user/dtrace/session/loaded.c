// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files that processes load while the trace runs: NIFs, drivers, other libraries, and files of new processes. The
 * kernel reports mapped code (code_watch.h), so processes that map none cost nothing.
 */
#include "dtrace/session/session_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dtrace/provider/providers.h"
#include "dtrace/attach/hooks.h"
#include "load/kernel/code_watch.h"

#define MAX_PIDS 256 /* between two scans; if there are more, all processes are scanned */

struct loaded {
	struct code_watch *watch; /* NULL: scan all processes each time */
	pid_t pids[MAX_PIDS];
	size_t count;
	bool is_all;
	bool is_explained; /* the limit for probes was reported */
};

void loaded_free(struct loaded *loaded)
{
	if (!loaded)
		return;
	code_watch_free(loaded->watch);
	free(loaded);
}

/* Files can have been loaded since the search for probes. */
int loaded_prepare(struct session *s)
{
	size_t count;

	binding_waiting(s->binding, &count);
	if (!count)
		return 0;
	s->loaded = calloc(1, sizeof(*s->loaded));
	if (!s->loaded)
		return -ENOMEM;
	s->loaded->is_all = true;
	s->loaded->watch = code_watch_new();
	if (!s->loaded->watch)
		pr_warn("cannot find probes of libraries that are loaded later: %s", strerror(errno));
	return 0;
}

static void note_pid(void *data, pid_t pid)
{
	struct loaded *loaded = data;

	for (size_t i = 0; i < loaded->count; i++) {
		if (loaded->pids[i] == pid)
			return;
	}
	if (!pid || loaded->count == MAX_PIDS)
		loaded->is_all = true;
	else
		loaded->pids[loaded->count++] = pid;
}

static int discover(const struct session *s, pid_t pid)
{
	size_t count;
	const struct probe_spec *const *waiting = binding_waiting(s->binding, &count);
	int err = probes_look_again(s->probes, pid);

	for (size_t i = 0; !err && i < count; i++) {
		err = probes_match_loaded(s->probes, waiting[i], pid);
		if (err != -ENOSPC || s->loaded->is_explained)
			continue;
		pr_warn("too many probes for one program: %s", probes_why(s->probes));
		s->loaded->is_explained = true;
	}
	return err == -ENOSPC ? 0 : err;
}

/* A known process can have new sites. */
static int add_probes(const struct session *s, size_t known)
{
	int err = 0;

	for (size_t i = 0; !err && i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);

		if (i < known && probe->hook != HOOK_USDT)
			continue;
		if (i >= known)
			session_publish_names(s, probe, (uint32_t)probe->pid);
		err = hooks_load_loaded(s->hooks, probe);
	}
	return err ? err : hooks_attach_loaded(s->hooks);
}

/* No file that a process loads can end the trace. */
void loaded_scan(struct session *s)
{
	struct loaded *loaded = s->loaded;
	size_t known = probes_count(s->probes);
	int err = 0;

	if (loaded->watch)
		code_watch_take(loaded->watch, note_pid, loaded);
	if (!loaded->is_all && !loaded->count)
		return;
	if (loaded->is_all)
		err = discover(s, 0);
	for (size_t i = 0; !err && !loaded->is_all && i < loaded->count; i++)
		err = discover(s, loaded->pids[i]);
	loaded->is_all = false;
	loaded->count = 0;
	if (!err)
		err = add_probes(s, known);
	if (err)
		pr_warn("probes of newly loaded files are missing: %s", strerror(-err));
}
