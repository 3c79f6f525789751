// SPDX-License-Identifier: BSD-2-Clause
/*
 * Without -p, /proc is searched every 250 ms. A process is known by its pid, its start time and the inode of its
 * executable, so that each is opened once; a process that is not a BEAM is opened again after it executes another file,
 * and a node without a name if nodes are selected by name. A target is held by a pidfd, which becomes readable when it
 * ends: its links are closed, its counts stay. Maps and records know it by erl_os_id(): its pid, and how many targets
 * had ended before. If the pid belongs to another process after the links were made, they are closed.
 */
#include "trace/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/process/yield.h"
#include "erlang/breakpoints.h"
#include "erlang/hardware.h"
#include "load/guardian/guardian.h"
#include "node/atoms/pids.h"
#include "node/names/naming.h"
#include "node/terms/terms.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "target/selector.h"
#include "trace/heal.h"

/* A process that was looked at, so that it is not looked at again before it has changed. */
struct looked {
	struct {
		pid_t pid;
		uint32_t pad;
		uint64_t start_time;
		uint64_t execution; /* exec makes another process of it */
	} key;
	unsigned int round;
	unsigned int failures; /* in a row, for want of what may be there later */
	uint64_t retry_ns;     /* when it is looked at again, 0: never */
	UT_hash_handle hh;
};

/* A target, or a BEAM that has none of the wanted probes. */
struct followed {
	struct follow *follow;
	struct attachment *attachment;
	uint64_t serial;
	bool is_over; /* has ended, or never had probes */
};

struct follow {
	const struct attach_request *request;
	const struct options *options;
	pid_t root; /* of -c, 0: none */
	struct followed **all;
	size_t count;
	struct looked *looked;
	unsigned int round;
	uint64_t serial; /* of the newest */
	uint32_t era;	 /* how many targets have ended */
	bool is_paused[ATTACH_PARTS];
	struct follow_stats stats;
	struct event_loop *ends; /* of targets: their pidfds */
};

struct follow *follow_new(const struct attach_request *request, const struct options *options)
{
	struct follow *follow = calloc(1, sizeof(*follow));

	if (!follow)
		return NULL;
	follow->request = request;
	follow->options = options;
	follow->ends = event_loop_new();
	if (!follow->ends) {
		free(follow);
		return NULL;
	}
	return follow;
}

static void followed_free(struct followed *followed)
{
	attachment_free(followed->attachment);
	free(followed);
}

void follow_only_tree(struct follow *follow, pid_t root)
{
	follow->root = root;
}

/* The attachment is the follower's from here on; NULL: memory is short, and it stays the caller's. */
static struct followed *keep(struct follow *follow, struct attachment *attachment, bool is_over)
{
	struct followed *made = array_has_room(follow->all, follow->count) ? malloc(sizeof(*made)) : NULL;

	if (!made)
		return NULL;
	*made = (struct followed){ follow, attachment, ++follow->serial, is_over };
	follow->all[follow->count++] = made;
	return made;
}

static void drop_breakpoints(struct followed *followed)
{
	struct attachment *a = followed->attachment;

	if (breakpoints_are_set(a->breakpoints))
		event_loop_remove(followed->follow->ends, breakpoints_fd(a->breakpoints));
	breakpoints_end(a->breakpoints);
	if (a->hardware)
		event_loop_remove(followed->follow->ends, hardware_fd(a->hardware));
	hardware_free(a->hardware);
	a->hardware = NULL;
}

static void on_look(void *data, uint64_t times)
{
	struct followed *followed = data;

	(void)times;
	if (!hardware_look(followed->attachment->hardware))
		drop_breakpoints(followed);
}

/* The node says something of the breakpoints, or wants to hear that we live. */
static void on_said(void *data, uint64_t times)
{
	struct followed *followed = data;

	(void)times;
	if (!breakpoints_hear(followed->attachment->breakpoints, followed->attachment->target))
		drop_breakpoints(followed);
}

static void let_go(void *data, uint64_t times)
{
	struct followed *followed = data;
	struct attachment *a = followed->attachment;

	(void)times;
	if (!followed->follow->options->is_beside)
		pr_info("%s (process %d) has ended", a->target->node[0] ? a->target->node : "the node", a->target->pid);
	followed->is_over = true;
	if (a->naming)
		naming_end(a->naming);
	else if (a->terms)
		terms_end(a->terms);
	followed->follow->stats.attached--;
	followed->follow->era++;
	event_loop_remove(followed->follow->ends, a->target->pidfd);
	drop_breakpoints(followed);
	target_end(a->target);
	attachment_detach(a);
}

/* Of the first node, unless it is that of a command, the loop says that it is traced. */
static void announce(const struct follow *follow, const struct target *target)
{
	bool is_first = !follow->stats.seen;

	if (follow->round > 1 && !follow->options->is_beside && (!is_first || follow->options->command))
		pr_info("%s (process %d) has started and is traced%s", target->node[0] ? target->node : "a node",
			target->pid, is_first ? "" : " too");
}

static void announce_refused(const struct attachment *a)
{
	_cleanup_free_ char *reason = a->absent || attachment_reason(a) ? attachment_refusal(a) : NULL;

	if (reason)
		pr_info("%s (process %d) has started and is not traced: %s",
			a->target->node[0] ? a->target->node : "a node", a->target->pid, reason);
}

/* Hear of its end. The attachment that was kept last is freed if that cannot be. */
static int watch(struct follow *follow, struct followed *followed)
{
	const struct target *target = followed->attachment->target;
	struct breakpoints *breakpoints = followed->attachment->breakpoints;
	struct hardware *hardware = followed->attachment->hardware;
	int err = event_loop_add(follow->ends, target->pidfd, let_go, followed);

	if (!err && breakpoints)
		err = event_loop_add(follow->ends, breakpoints_fd(breakpoints), on_said, followed);
	if (!err && hardware)
		err = event_loop_add(follow->ends, hardware_fd(hardware), on_look, followed);
	if (!err)
		return 0;
	pr_err("cannot trace process %d: %s", target->pid, strerror(-err));
	follow->count--;
	attachment_free(followed->attachment);
	free(followed);
	return err;
}

/* Attach to the target, which is the callee's from here on. */
static int adopt(struct follow *follow, struct target *target)
{
	struct attachment *attachment = NULL;
	struct attach_request request = *follow->request;
	struct followed *followed;
	int err;

	memcpy(request.is_paused, follow->is_paused, sizeof(request.is_paused));
	request.is_new = follow->round > 1 || follow->root;
	target->os_id = erl_os_id((uint32_t)target->pid, follow->era);
	heal_found(target);
	err = attach(&request, target, &attachment);

	if (err && err != -ENOENT)
		return err;
	followed = keep(follow, attachment, err == -ENOENT);
	if (!followed) {
		attachment_free(attachment);
		return -ENOMEM;
	}
	if (err == -ENOENT) {
		follow->stats.without_probes++;
		if (follow->round > 1 && follow->stats.seen && !follow->options->is_beside)
			announce_refused(attachment);
		return err;
	}
	err = watch(follow, followed);
	if (err)
		return err;
	announce(follow, target);
	follow->stats.attached++;
	follow->stats.seen++;
	return 0;
}

static bool is_attached(const struct follow *follow, pid_t pid)
{
	for (size_t i = 0; i < follow->count; i++) {
		const struct target *target = follow->all[i]->attachment->target;

		if (target->pid == pid && (!follow->all[i]->is_over || target_is_alive(target)))
			return true;
	}
	return false;
}

#define MAX_DEPTH 64
#define START_UP_S 5

static bool is_in_tree(pid_t pid, pid_t root)
{
	for (int depth = 0; pid > 1 && depth < MAX_DEPTH; depth++) {
		if (pid == root)
			return true;
		pid = procfs_parent(pid);
	}
	return false;
}

/* True once per process and executable, and again while it may still get the wanted name. */
static bool is_new(struct follow *follow, pid_t pid)
{
	struct looked wanted, *found;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.pid = pid;
	if (proc_stat_identity(pid, &wanted.key.start_time, &wanted.key.execution))
		return false;
	HASH_FIND(hh, follow->looked, &wanted.key, sizeof(wanted.key), found);
	if (found) {
		found->round = follow->round;
		return found->retry_ns && duration_now() >= found->retry_ns;
	}
	found = malloc(sizeof(*found));
	if (!found)
		return true;
	*found = wanted;
	found->round = follow->round;
	HASH_ADD(hh, follow->looked, key, sizeof(found->key), found);
	return true;
}

static void look_again(struct follow *follow, pid_t pid)
{
	struct looked *looked, *next;

	HASH_ITER(hh, follow->looked, looked, next) {
		if (looked->key.pid != pid)
			continue;
		HASH_DEL(follow->looked, looked);
		free(looked);
	}
}

#define FIRST_RETRY_NS NS_PER_S
#define LAST_RETRY_DOUBLING 8 /* some four minutes */

static enum follow_failure failure_of(int err)
{
	switch (-err) {
	case EMFILE:
	case ENFILE: return FAILURE_DESCRIPTORS;
	case ENOMEM: return FAILURE_MEMORY;
	case EACCES:
	case EPERM: return FAILURE_PERMISSION;
	case ETIMEDOUT: return FAILURE_TIME;
	default: return FAILURE_OTHER;
	}
}

/* After a time that doubles, so many times. */
static void retry(struct follow *follow, pid_t pid, unsigned int doublings)
{
	struct looked *looked, *next;

	HASH_ITER(hh, follow->looked, looked, next) {
		if (looked->key.pid != pid)
			continue;
		looked->retry_ns = duration_now() + (FIRST_RETRY_NS << looked->failures);
		looked->failures += looked->failures < doublings;
	}
}

/* Descriptors, memory and an answer may be there later: it is tried again. */
static void count_failure(struct follow *follow, pid_t pid, int err)
{
	enum follow_failure why = failure_of(err);

	follow->stats.last_error = err;
	follow->stats.failures[why]++;
	if (why != FAILURE_DESCRIPTORS && why != FAILURE_MEMORY && why != FAILURE_TIME)
		return;
	retry(follow, pid, LAST_RETRY_DOUBLING);
}

static void forget_gone(struct follow *follow)
{
	struct looked *looked, *next;

	HASH_ITER(hh, follow->looked, looked, next) {
		if (looked->round == follow->round)
			continue;
		HASH_DEL(follow->looked, looked);
		free(looked);
	}
}

/* Its tables are there, or no pid could be read and no driver found. */
static bool is_ready(const struct follow *follow, const struct target *target)
{
	return pid_layout_is_ready(target) && native_list_is_ready(target) &&
	       !(follow->options->wait_for_name && target_may_be_named_soon(target));
}

#define LAST_SELECT_DOUBLING 3 /* eight seconds */

/* A node that has just started gets its name soon, and its control group; later that is rare. */
static void look_later(struct follow *follow, const struct target *target)
{
	bool is_unnamed = follow->options->select.node && !strchr(target->node, '@');

	if (is_unnamed || target_age_s(target) < START_UP_S)
		look_again(follow, target->pid);
	else
		retry(follow, target->pid, LAST_SELECT_DOUBLING);
}

static void consider(void *data, pid_t pid)
{
	struct follow *follow = data;
	const char *why = "";
	enum selected selected;
	struct target *target;
	int err;

	yield_now();
	if (pid == getpid() || is_attached(follow, pid) || !is_new(follow, pid))
		return;
	if (follow->root && !is_in_tree(pid, follow->root))
		return;
	err = target_open(pid, &target, &why);
	if (err) {
		/* Its file is being read: the next turn has it. */
		if (err == -EAGAIN)
			look_again(follow, pid);
		else if (err == -EACCES || err == -EPERM)
			follow->stats.last_error = err;
		else if (failure_of(err) != FAILURE_OTHER)
			count_failure(follow, pid, err);
		return;
	}
	selected = target_selected(&follow->options->select, target);
	if (selected != SELECTED) {
		if (selected == SELECTED_NOT_YET)
			look_later(follow, target);
		target_free(target);
		return;
	}
	if (target_age_s(target) < START_UP_S && !is_ready(follow, target)) {
		look_again(follow, pid);
		target_free(target);
		return;
	}
	err = adopt(follow, target);
	if (err && err != -ESRCH && err != -ENOENT)
		count_failure(follow, pid, err);
}

static int refuse(pid_t pid, int err, const char *why)
{
	switch (err) {
	case -ESRCH:
		pr_err("process %d does not exist; `erlbpf doctor` lists the running BEAMs", pid);
		return EXIT_NO_TARGET;
	case -EINVAL: pr_err("%d is a thread; give -p the id of its process", pid); return EXIT_NO_TARGET;
	case -ENOEXEC:
		pr_err("process %d is not a BEAM: %s; `erlbpf doctor` lists the running BEAMs", pid, why);
		return EXIT_NO_TARGET;
	case -EACCES:
	case -EPERM:
		pr_err("process %d: permission denied; run erlbpf with sudo, or with CAP_SYS_PTRACE", pid);
		return EXIT_NO_PRIVILEGE;
	case -ETIMEDOUT:
		pr_err("process %d is left alone for now: its memory or its file could not be read in time; try again",
		       pid);
		return EXIT_FAILED;
	default: pr_err("cannot trace process %d: %s", pid, strerror(-err)); return EXIT_FAILED;
	}
}

int follow_open(pid_t pid, struct target **target)
{
	const char *why = "";
	int err = procfs_check_process(pid);

	if (!err)
		err = target_open(pid, target, &why);
	/* A process without an executable is a zombie or one of the kernel's own. */
	if (err == -ENOENT) {
		err = -ENOEXEC;
		why = "it has no executable";
	}
	return err ? refuse(pid, err, why) : EXIT_OK;
}

static int attach_named(struct follow *follow, pid_t pid)
{
	struct target *target;
	int code = follow_open(pid, &target), err;

	if (code != EXIT_OK)
		return code;
	err = adopt(follow, target);
	if (!err || err == -ENOENT)
		return EXIT_OK;
	if (err == -ESRCH)
		return refuse(pid, err, "");
	/* What went wrong was said where it did. */
	return err == -EACCES || err == -EPERM ? EXIT_NO_PRIVILEGE : EXIT_FAILED;
}

static int scan_named(struct follow *follow)
{
	int code = EXIT_OK;

	if (follow->round > 1)
		return EXIT_OK;
	for (size_t i = 0; code == EXIT_OK && i < follow->options->pid_count; i++)
		code = attach_named(follow, follow->options->pids[i]);
	return code;
}

int follow_scan(struct follow *follow)
{
	int err;

	follow->round++;
	if (follow->options->pid_count)
		return scan_named(follow);
	err = procfs_each(consider, follow);
	if (err) {
		pr_err("cannot list processes: %s%s", strerror(-err), err == -ENOENT ? "; is /proc mounted?" : "");
		return EXIT_FAILED;
	}
	forget_gone(follow);
	return EXIT_OK;
}

void follow_reap(struct follow *follow)
{
	while (event_loop_turn(follow->ends, 0) > 0)
		;
}

void follow_forget(struct follow *follow)
{
	size_t kept = 0;

	for (size_t i = 0; i < follow->count; i++) {
		struct followed *followed = follow->all[i];

		if (followed->is_over && !target_is_alive(followed->attachment->target))
			followed_free(followed);
		else
			follow->all[kept++] = followed;
	}
	follow->count = kept;
}

static size_t count_links(const struct follow *follow)
{
	size_t count = 0;

	for (size_t i = 0; i < follow->count; i++) {
		for (enum attach_part part = 0; part < ATTACH_PARTS; part++)
			count += follow->all[i]->attachment->links[part].count;
	}
	return count;
}

/* All together, since the kernel has them wait for the same grace periods. */
static void detach_parts(const struct follow *follow, const bool parts[ATTACH_PARTS])
{
	_cleanup_free_ int *links = calloc(count_links(follow) + 1, sizeof(*links));
	size_t given = 0;

	for (size_t i = 0; i < follow->count; i++) {
		struct attachment *a = follow->all[i]->attachment;

		if (a->hardware && parts[ATTACH_CASES])
			hardware_pause(a->hardware);
		if (!links)
			attachment_detach(a);
		for (enum attach_part part = 0; links && part < ATTACH_PARTS; part++)
			given += parts[part] ? attachment_give_links(a, part, links + given) : 0;
	}
	guardian_unlink(links, given);
}

static const bool all_parts[ATTACH_PARTS] = { true, true };

void follow_detach(struct follow *follow)
{
	/* Where there are none any more, probes are hit no more. */
	for (size_t i = 0; i < follow->count; i++)
		drop_breakpoints(follow->all[i]);
	detach_parts(follow, all_parts);
	follow->stats.attached = 0;
}

void follow_free(struct follow *follow)
{
	struct looked *looked, *next;

	if (!follow)
		return;
	follow_detach(follow);
	for (size_t i = 0; i < follow->count; i++)
		followed_free(follow->all[i]);
	HASH_ITER(hh, follow->looked, looked, next) {
		HASH_DEL(follow->looked, looked);
		free(looked);
	}
	event_loop_free(follow->ends);
	free(follow->all);
	free(follow);
}

void follow_pause(struct follow *follow)
{
	memcpy(follow->is_paused, all_parts, sizeof(all_parts));
	detach_parts(follow, all_parts);
	for (size_t i = 0; i < follow->count; i++) {
		struct breakpoints *breakpoints = follow->all[i]->attachment->breakpoints;

		if (breakpoints_are_set(breakpoints))
			breakpoints_pause(breakpoints);
	}
}

void follow_pause_details(struct follow *follow)
{
	static const bool details[ATTACH_PARTS] = { [ATTACH_DETAILS] = true };

	follow->is_paused[ATTACH_DETAILS] = true;
	detach_parts(follow, details);
}

int follow_resume_part(struct follow *follow, enum attach_part part)
{
	int err = 0;

	follow->is_paused[part] = false;
	for (size_t i = 0; !err && i < follow->count; i++) {
		struct attachment *a = follow->all[i]->attachment;

		/* One that has ended meanwhile is reaped soon. */
		if (!follow->all[i]->is_over && target_is_alive(a->target))
			err = attachment_resume(a, follow->request->kernel, part);
	}
	if (err && part == ATTACH_DETAILS)
		follow_pause_details(follow);
	else if (err)
		follow_pause(follow);
	return err;
}

int follow_resume(struct follow *follow)
{
	int err = follow_resume_part(follow, ATTACH_DETAILS);

	if (!err)
		err = follow_resume_part(follow, ATTACH_CASES);
	if (err)
		follow_pause(follow);
	return err;
}

int follow_fd(const struct follow *follow)
{
	return event_loop_fd(follow->ends);
}

struct follow_stats follow_stats(const struct follow *follow)
{
	return follow->stats;
}

size_t follow_count(const struct follow *follow)
{
	return follow->count;
}

const struct attachment *follow_get(const struct follow *follow, size_t i)
{
	return follow->all[i]->attachment;
}

uint64_t follow_serial(const struct follow *follow, size_t i)
{
	return follow->all[i]->serial;
}

bool follow_is_over(const struct follow *follow, size_t i)
{
	return follow->all[i]->is_over;
}

static struct attachment *find(const struct follow *follow, uint32_t os_id, bool *is_over)
{
	for (size_t i = follow->count; i > 0; i--) {
		if (follow->all[i - 1]->attachment->target->os_id != os_id)
			continue;
		*is_over = follow->all[i - 1]->is_over;
		return follow->all[i - 1]->attachment;
	}
	return NULL;
}

const char *follow_node(const struct follow *follow, uint32_t os_id)
{
	bool is_over;
	struct attachment *a = find(follow, os_id, &is_over);

	if (!a)
		return "";
	if (!is_over)
		target_settle_node(a->target);
	return a->target->node;
}

bool follow_is_live(const struct follow *follow, uint32_t os_id)
{
	bool is_over;

	return find(follow, os_id, &is_over) && !is_over;
}

bool follow_symbol_at(const struct follow *follow, uint32_t os_id, uint64_t address, char *buf, size_t size)
{
	bool is_over;
	const struct attachment *a = find(follow, os_id, &is_over);

	return a && !is_over && !target_symbol_at(a->target, address, buf, size);
}

bool follow_id_name(const struct follow *follow, uint32_t os_id, uint64_t id, char *buf)
{
	bool is_over;
	const struct attachment *a = find(follow, os_id, &is_over);

	return a && a->naming && naming_of_id(a->naming, id, buf);
}

uint64_t follow_function_of(const struct follow *follow, uint32_t os_id, uint64_t id)
{
	bool is_over;
	const struct attachment *a = find(follow, os_id, &is_over);

	return a && !is_over && a->naming ? naming_function_of(a->naming, id) : 0;
}

struct name_style follow_name_style(const struct follow *follow)
{
	return follow->request->names;
}

const char *follow_process_name(const struct follow *follow, uint32_t os_id, uint64_t id, char *buf)
{
	bool is_over;
	struct attachment *a = find(follow, os_id, &is_over);

	if (!a || is_over)
		return "";
	return a->naming && !naming_of_process(a->naming, id, buf) ? buf : "";
}

static struct terms *terms_of(struct attachment *a)
{
	if (a->naming)
		return naming_terms(a->naming);
	if (!a->terms)
		a->terms = terms_open(a->target, &a->pids, NULL);
	return a->terms;
}

void follow_term(const struct follow *follow, uint32_t os_id, const struct term_snapshot *snapshot, char *buf,
		 size_t size)
{
	bool is_over;
	struct attachment *a = find(follow, os_id, &is_over);
	struct terms *terms = a ? terms_of(a) : NULL;

	buf[0] = '\0';
	if (terms)
		terms_show(terms, snapshot, buf, size);
}
