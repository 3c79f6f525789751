// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the kernel does here (kernel/events/uprobes.c). To put a probe on an instruction that is a breakpoint already
 * does nothing and leaves the semaphore alone. To take it away writes the instruction of the file and lowers the
 * semaphore, unless another probe wants this process. If the semaphore is 0 then, lowering it fails and the breakpoint
 * stays: so the probe is put there without naming it, or the semaphore is set first.
 *
 * A semaphore is set while probes of ours are on all its sites: nobody else's coming or going changes it then, and it
 * must be as many as these sites. When ours are taken away, it is what it was without any.
 */
#include "trace/heal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/process/yield.h"
#include "load/guardian/guardian.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"

#define SLICE 512      /* sites per link */
#define SLICE_PERF 64  /* the same with a link, and a descriptor, per site */
#define MOST_ROUNDS 3  /* the first may lower a semaphore so far that a site needs the next */
#define MOST_HELD 4096 /* sites of one semaphore */

/* Sites, and a program on some of them. */
struct holder {
	const struct heal_request *request;
	int program;
	unsigned long *offsets, *semaphores;
	uint64_t *cookies; /* zeros */
	size_t count;
	int *links; /* numbers of the guardian's */
	size_t link_count;
	size_t refused;
	int err;
};

static int open_holder(const struct heal_request *request, size_t count, struct holder *h)
{
	*h = (struct holder){
		.request = request,
		.program = kernel_load_nothing(request->kernel),
		.offsets = calloc(count + 1, sizeof(*h->offsets)),
		.semaphores = calloc(count + 1, sizeof(*h->semaphores)),
		.cookies = calloc(count + 1, sizeof(*h->cookies)),
		.links = calloc(count + 1, sizeof(*h->links)),
	};
	if (h->program < 0)
		return h->program;
	return h->offsets && h->semaphores && h->cookies && h->links ? 0 : -ENOMEM;
}

static void close_links(struct holder *h)
{
	guardian_unlink(h->links, h->link_count);
	h->link_count = 0;
}

static void close_holder(struct holder *h)
{
	close_links(h);
	if (h->program >= 0)
		close(h->program);
	free(h->offsets);
	free(h->semaphores);
	free(h->cookies);
	free(h->links);
}

static void add(struct holder *h, uint64_t offset, uint64_t semaphore)
{
	h->offsets[h->count] = offset;
	h->semaphores[h->count++] = semaphore;
}

static int link_once(struct holder *h, size_t from, size_t count)
{
	struct kernel_sites sites = {
		.file = h->request->target->vm->fd,
		.offsets = h->offsets + from,
		.semaphores = h->semaphores + from,
		.cookies = h->cookies + from,
		.count = count,
		.pid = h->request->target->pid,
	};
	int number = guardian_link(h->program, &sites, h->request->kernel->attach);

	if (number < 0)
		return number;
	h->links[h->link_count++] = number;
	return 0;
}

/*
 * One site that is refused spoils the link, so then it is tried by halves. The kernel refuses a semaphore that differs
 * from what another probe of the site names: so the last try is without.
 */
static void link_range(struct holder *h, size_t from, size_t count)
{
	int err = count ? link_once(h, from, count) : 0;

	if (err && count > 1) {
		link_range(h, from, count / 2);
		link_range(h, from + count / 2, count - count / 2);
		return;
	}
	if (err && h->semaphores[from]) {
		h->semaphores[from] = 0;
		err = link_once(h, from, 1);
	}
	if (err) {
		h->refused++;
		h->err = err;
	}
}

static size_t slice_of(const struct holder *h)
{
	return h->request->kernel->attach == KERNEL_ATTACH_PERF ? SLICE_PERF : SLICE;
}

static int find_again(const struct heal_request *request, struct leftovers *left)
{
	leftovers_free(left);
	return leftovers_find(request->target, left);
}

/* Puts a probe on each changed site and takes it away. */
static int touch_sites(const struct heal_request *request, const struct leftovers *left, uint64_t deadline,
		       struct healed *healed)
{
	struct holder h;
	int err = open_holder(request, left->site_count, &h);
	size_t done = 0;

	for (size_t i = 0; !err && i < left->site_count; i++) {
		const struct leftover_site *site = &left->sites[i];
		const struct leftover_semaphore *s = leftovers_semaphore(left, site->semaphore);

		/*
		 * Of a call, kernels that do not know it for theirs would restore the first byte only, as all do of a
		 * torn instruction. What they make of it is another instruction.
		 */
		if (site->kind == TEXT_BREAKPOINT)
			add(&h, site->offset, s && s->value != s->rest ? site->semaphore : 0);
	}
	for (size_t from = 0, n; !err && from < h.count && duration_now() < deadline; from += n) {
		n = h.count - from < slice_of(&h) ? h.count - from : slice_of(&h);
		link_range(&h, from, n);
		close_links(&h);
		done = from + n;
	}
	healed->is_late = done < h.count;
	healed->refused = h.refused;
	healed->err = h.err;
	close_holder(&h);
	return err;
}

static bool is_changed(const struct leftovers *left, uint64_t offset)
{
	for (size_t i = 0; i < left->site_count; i++) {
		if (left->sites[i].offset == offset)
			return true;
	}
	return false;
}

/* All sites that a probe of ours can be on. */
static void add_sites_of(struct holder *h, const struct leftovers *left, uint64_t semaphore)
{
	for (size_t i = 0; i < left->notes.count && h->count < MOST_HELD; i++) {
		const struct note *note = &left->notes.notes[i];

		if (note->semaphore_offset == semaphore)
			add(h, note->site_offset, semaphore);
	}
}

static bool holds_all(const struct holder *h, const struct leftovers *now)
{
	for (size_t i = 0; i < h->count; i++) {
		if (!h->semaphores[i] || !is_changed(now, h->offsets[i]))
			return false;
	}
	return h->link_count > 0;
}

static int write_semaphore(const struct target *target, const struct leftover_semaphore *s, uint16_t value)
{
	struct iovec local = { .iov_base = &value, .iov_len = sizeof(value) }, remote = { .iov_len = sizeof(value) };
	uint64_t address;
	int err = target_address(target, s->address, &address);

	if (err)
		return err;
	remote.iov_base = (void *)(uintptr_t)address;
	return process_vm_writev(target->pid, &local, 1, &remote, 1, 0) == sizeof(value) ? 0 : -EFAULT;
}

static int set_semaphore(const struct heal_request *request, const struct leftovers *left, uint64_t offset)
{
	const struct leftover_semaphore *s;
	struct leftovers now = {};
	struct holder h;
	int err = open_holder(request, MOST_HELD, &h);

	if (!err) {
		add_sites_of(&h, left, offset);
		link_range(&h, 0, h.count);
		err = leftovers_find(request->target, &now);
	}
	s = err ? NULL : leftovers_semaphore(&now, offset);
	if (s && holds_all(&h, &now) && s->value != s->rest + s->sites && s->rest + s->sites <= UINT16_MAX)
		err = write_semaphore(request->target, s, (uint16_t)(s->rest + s->sites));
	close_holder(&h);
	leftovers_free(&now);
	return err;
}

static int set_semaphores(const struct heal_request *request, const struct leftovers *left, uint64_t deadline)
{
	int err = 0;

	for (size_t i = 0; !err && i < left->semaphore_count && duration_now() < deadline; i++) {
		if (leftovers_is_wrong(&left->semaphores[i]) && !left->semaphores[i].has_fixed)
			err = set_semaphore(request, left, left->semaphores[i].offset);
	}
	return err;
}

/* A breakpoint may be the debugger's, and is not the kernel's to take away then. */
static bool is_debugged(pid_t pid)
{
	_cleanup_free_ char *text = procfs_read(pid, "status", NULL);
	const char *tracer = text ? strstr(text, "\nTracerPid:") : NULL;

	return !tracer || atoi(tracer + 11);
}

static size_t count_wrong(const struct leftovers *left)
{
	size_t wrong = 0;

	for (size_t i = 0; i < left->semaphore_count; i++)
		wrong += leftovers_is_wrong(&left->semaphores[i]);
	return wrong;
}

int heal(const struct heal_request *request, struct leftovers *left, struct healed *healed)
{
	uint64_t deadline = duration_now() + request->budget_ns;
	size_t sites = left->site_count, raised = leftovers_raised(left), last = SIZE_MAX;
	int err = 0;

	*healed = (struct healed){};
	if (is_debugged(request->target->pid)) {
		healed->why = "a debugger is attached to it";
		return 0;
	}
	for (int i = 0; !err && i < MOST_ROUNDS && left->site_count && left->site_count < last; i++) {
		last = left->site_count;
		err = touch_sites(request, left, deadline, healed);
		if (!err)
			err = find_again(request, left);
	}
	if (!err && request->sets_semaphores && count_wrong(left)) {
		err = set_semaphores(request, left, deadline);
		if (!err)
			err = find_again(request, left);
	}
	healed->breakpoints = sites > left->site_count ? sites - left->site_count : 0;
	healed->semaphores = raised > leftovers_raised(left) ? raised - leftovers_raised(left) : 0;
	return err;
}

#define NODE_BUDGET (2 * NS_PER_S)
#define START_BUDGET (2 * NS_PER_S) /* to find nodes, and to mend all of them; the others are mended later */
#define PAUSE_MS 20
#define MOST_SEEN 4096 /* more processes than these are looked at again, which does no harm */

/* A process that has been looked at. */
struct seen {
	struct {
		pid_t pid;
		uint32_t pad;
		uint64_t start_time;
		uint64_t execution; /* exec gives it another text */
	} key;
	UT_hash_handle hh;
};

static struct {
	const struct kernel *kernel; /* NULL: nobody has asked */
	struct seen *seen;
} healer;

static bool is_gone(const struct seen *seen)
{
	uint64_t start, execution;

	return proc_stat_identity(seen->key.pid, &start, &execution) || start != seen->key.start_time ||
	       execution != seen->key.execution;
}

static void forget(struct seen *seen)
{
	HASH_DEL(healer.seen, seen);
	free(seen);
}

static void forget_gone(void)
{
	bool is_full = HASH_COUNT(healer.seen) >= MOST_SEEN;
	struct seen *next;

	for (struct seen *seen = healer.seen; seen; seen = next) {
		next = seen->hh.next;
		if (is_full || is_gone(seen))
			forget(seen);
	}
}

void heal_no_more(void)
{
	while (healer.seen)
		forget(healer.seen);
	healer.kernel = NULL;
}

static bool was_seen(const struct seen *wanted)
{
	struct seen *found;

	HASH_FIND(hh, healer.seen, &wanted->key, sizeof(wanted->key), found);
	return found;
}

/* Where memory is short it is looked at again, for the next tool. */
static void remember(const struct seen *wanted)
{
	struct seen *made;

	forget_gone();
	made = malloc(sizeof(*made));
	if (!made)
		return;
	*made = *wanted;
	HASH_ADD(hh, healer.seen, key, sizeof(made->key), made);
}

/* Was it looked at to the end? */
static bool heal_node(const struct target *target)
{
	struct heal_request request = { .target = target, .kernel = healer.kernel, .budget_ns = NODE_BUDGET };
	struct leftovers left;
	struct healed healed = {};
	int err = leftovers_find(target, &left);

	if (!err && left.site_count)
		err = heal(&request, &left, &healed);
	if (healed.breakpoints || healed.semaphores)
		pr_info("process %d: removed %zu breakpoints and lowered %zu semaphores that a tracer had left behind",
			target->pid, healed.breakpoints, healed.semaphores);
	if (healed.is_late)
		pr_warn("process %d: %zu breakpoints were not removed in time; `erlbpf doctor --heal -p %d` removes "
			"what no tracer uses",
			target->pid, left.site_count, target->pid);
	leftovers_free(&left);
	return err != -ETIMEDOUT && err != -ENOMEM && !healed.is_late;
}

void heal_found(const struct target *target)
{
	struct seen wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.pid = target->pid;
	if (!healer.kernel || proc_stat_identity(target->pid, &wanted.key.start_time, &wanted.key.execution))
		return;
	if (!was_seen(&wanted) && heal_node(target))
		remember(&wanted);
}

/* Files that take long are read beside, and their nodes found a little later: not for ever, since anybody has such. */
static void find_nodes(struct target_list *list)
{
	uint64_t deadline = duration_now() + START_BUDGET;

	while (!target_list_scan(list) && list->awaited && duration_now() < deadline)
		yield_wait(-1, PAUSE_MS);
}

void heal_nodes(const struct options *options, const struct kernel *kernel)
{
	struct target_list list = {};
	uint64_t deadline;

	healer.kernel = kernel;
	if (!options->pid_count)
		find_nodes(&list);
	for (size_t i = 0; i < options->pid_count; i++) {
		struct target *target;
		const char *why;

		if (!target_open(options->pids[i], &target, &why) && target_list_add(&list, target))
			target_free(target);
	}
	target_list_select(&list, &options->select);
	deadline = duration_now() + START_BUDGET;
	for (size_t i = 0; i < list.count && duration_now() < deadline; i++)
		heal_found(list.targets[i]);
	target_list_free(&list);
}
