// SPDX-License-Identifier: BSD-2-Clause
#include "load/guardian/guardian_task.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/process/limits.h"
#include "base/process/privileges.h"
#include "base/process/side_process.h"
#include "base/process/thread.h"
#include "load/kernel/kernel.h"
#include "load/kernel/release.h"

#define NICE -10
#define LINKS_AT_ONCE 512 /* that are closed together: each takes a thread */

/* What was linked by one request: one link, or one per site. No links: the number is free. */
struct held {
	int *links;
	size_t count;
	unsigned int program; /* its id; 0: not known */
};

struct guardian {
	int fd;
	bool is_bound; /* has given up what it does not need */
	struct held *all;
	size_t count;
};

/* Sites as they come, in one piece of memory. */
struct sites {
	struct kernel_sites kernel;
	void *memory;
};

static int receive_sites(int fd, const struct guardian_request *request, struct sites *sites)
{
	size_t n = request->count;
	uint64_t *words = malloc(3 * n * sizeof(*words));
	int err = words ? side_receive(fd, words, 3 * n * sizeof(*words), NULL, 0) : -EPIPE;

	/* Without memory what follows cannot be read, so the end comes here. */
	sites->memory = words;
	sites->kernel = (struct kernel_sites){
		.offsets = words,
		.semaphores = words ? words + n : NULL,
		.cookies = words ? words + 2 * n : NULL,
		.count = n,
		.at_return = request->at_return,
		.pid = request->pid,
	};
	return err;
}

static int make_links(struct held *held, int program, const struct kernel_sites *sites, enum kernel_attach how)
{
	size_t count = how == KERNEL_ATTACH_PERF ? sites->count : 1;
	int err = 0;

	held->links = calloc(count, sizeof(*held->links));
	if (!held->links)
		return -ENOMEM;
	while (!err && held->count < count) {
		int link = how == KERNEL_ATTACH_PERF
				   ? kernel_link_perf(program, sites, held->count)
				   : kernel_link_multi(program, sites, how == KERNEL_ATTACH_MULTI_INODE);

		if (link < 0)
			err = link;
		else
			held->links[held->count++] = link;
	}
	return err;
}

static void let_go(struct held *held)
{
	kernel_close_links(held->links, held->count);
	free(held->links);
	*held = (struct held){};
}

/* The number of the first that is free. -ENOMEM. */
static int find_number(struct guardian *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (!g->all[i].links)
			return (int)i;
	}
	if (!array_has_room(g->all, g->count))
		return -ENOMEM;
	g->all[g->count] = (struct held){};
	return (int)g->count++;
}

static unsigned int id_of(int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(program, &info, &size) ? 0 : info.id;
}

static int link_sites(struct guardian *g, int program, const struct kernel_sites *sites, enum kernel_attach how)
{
	int number = sites->count ? find_number(g) : -EINVAL, err;

	if (number < 0)
		return number;
	g->all[number].program = id_of(program);
	err = make_links(&g->all[number], program, sites, how);
	if (err)
		let_go(&g->all[number]);
	return err ? err : number;
}

/*
 * All it does from now on is to link programs that it is given, and to close links. Where the kernel cannot limit us,
 * it works all the same.
 */
static void give_up(struct guardian *g, enum kernel_attach how)
{
	uint64_t both = PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON);
	bool needs_admin;

	if (g->is_bound)
		return;
	g->is_bound = true;
	privileges_leave_root();
	needs_admin = how == KERNEL_ATTACH_PERF || (privileges_held() & both) != both;
	if (!privileges_keep(both | (needs_admin ? PRIVILEGE(CAP_SYS_ADMIN) : 0)))
		privileges_filter(ROLE_GUARDIAN);
}

static void close_received(int fds[2])
{
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/* True as long as the other side is there. What came with the request is closed when the answer is read. */
static bool serve_link(struct guardian *g, const struct guardian_request *request, int fds[2])
{
	struct sites sites;
	int32_t answer;
	int err = receive_sites(g->fd, request, &sites);

	if (!err) {
		give_up(g, request->how);
		sites.kernel.file = fds[1];
		answer = fds[0] < 0 || fds[1] < 0 ? -EMFILE : link_sites(g, fds[0], &sites.kernel, request->how);
		close_received(fds);
		err = side_send(g->fd, &answer, sizeof(answer), NULL, 0);
	}
	free(sites.memory);
	return !err;
}

/* All links of these numbers together, since each of them waits for grace periods of the kernel. */
static void let_some_go(struct guardian *g, const int32_t *numbers, size_t count)
{
	struct held together = {};
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (uint32_t)numbers[i] < g->count ? g->all[numbers[i]].count : 0;
	together.links = calloc(sum + 1, sizeof(*together.links));
	for (size_t i = 0; i < count; i++) {
		struct held *held = (uint32_t)numbers[i] < g->count ? &g->all[numbers[i]] : NULL;

		if (!held || !held->links)
			continue;
		if (!together.links) {
			let_go(held);
			continue;
		}
		memcpy(together.links + together.count, held->links, held->count * sizeof(*held->links));
		together.count += held->count;
		free(held->links);
		*held = (struct held){};
	}
	let_go(&together);
}

/* How many of them can be let go together, beside what has gone since the last pause. */
static size_t some_of(const struct guardian *g, const int32_t *numbers, size_t count, struct departing *departing)
{
	size_t some = 0, links = 0;

	for (; some < count && links < LINKS_AT_ONCE; some++) {
		const struct held *held = (uint32_t)numbers[some] < g->count ? &g->all[numbers[some]] : NULL;

		if (!held || !held->links)
			continue;
		if (!departing_has_room(departing, held->program))
			break;
		links += held->count;
	}
	return some;
}

/*
 * What a number has linked is one program, which goes with its links if nobody else has it: see release.h. An agent has
 * the same few programs on each of its nodes.
 */
static void let_all_go(struct guardian *g, const int32_t *numbers, size_t count)
{
	struct departing departing = {};

	for (size_t first = 0; first < count;) {
		size_t some = some_of(g, numbers + first, count - first, &departing);

		if (some) {
			let_some_go(g, numbers + first, some);
			first += some;
		} else {
			release_pause();
			departing.count = 0;
		}
	}
}

static bool serve_unlink(struct guardian *g, const struct guardian_request *request)
{
	_cleanup_free_ int32_t *numbers = calloc(request->count + 1, sizeof(*numbers));
	int32_t answer = 0;

	if (!numbers || side_receive(g->fd, numbers, request->count * sizeof(*numbers), NULL, 0))
		return false;
	let_all_go(g, numbers, request->count);
	return !side_send(g->fd, &answer, sizeof(answer), NULL, 0);
}

static bool serve(struct guardian *g)
{
	struct guardian_request request;
	int fds[2] = { -1, -1 };
	int err = side_receive(g->fd, &request, sizeof(request), fds, 2);
	/* A link without its descriptors is refused, and those that there are stay. */
	bool is_there = (!err || err == -EMFILE) && request.count <= GUARDIAN_MAX_SITES;

	if (is_there)
		is_there = request.wish == GUARDIAN_LINK ? serve_link(g, &request, fds) : serve_unlink(g, &request);
	close_received(fds);
	return is_there;
}

static void end(struct guardian *g)
{
	_cleanup_free_ int32_t *numbers = calloc(g->count + 1, sizeof(*numbers));

	for (size_t i = 0; numbers && i < g->count; i++)
		numbers[i] = (int32_t)i;
	if (numbers)
		let_all_go(g, numbers, g->count);
	for (size_t i = 0; i < g->count; i++)
		let_go(&g->all[i]);
	free(g->all);
}

/* As far as we may: there is little to gain by ending this process. */
static void hide_from_oom_killer(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "-1000", 5);
}

/* As far as we may: while it waits for a processor, between two links, the probes that are there are hit for nothing.
 */
static void be_quick(void)
{
	short_slices_request();
	setpriority(PRIO_PROCESS, 0, NICE);
}

void guardian_run(int fd)
{
	struct guardian g = { .fd = fd };

	hide_from_oom_killer();
	be_quick();
	files_limit_raise();
	kernel_know_uprobe_events();
	while (serve(&g))
		;
	end(&g);
}
