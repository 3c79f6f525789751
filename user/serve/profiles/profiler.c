// SPDX-License-Identifier: BSD-2-Clause
#include "serve/profiles/profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/privileges.h"
#include "base/process/side_process.h"
#include "load/guardian/guardian.h"
#include "options.h"
#include "serve/http/privileges.h"
#include "serve/profiles/profile_answer.h"
#include "target/reader/reader.h"
#include "target/target.h"

#define NAME "bpf-profiler"
#define MOST_STACKS 32768 /* of a profile, some 2 KiB each */
#define MOST_PROFILE (128UL << 20)
#define MOST_MEMORY (1UL << 30) /* data limit of a profile */
#define MOST_CPU_S 120

struct profiler {
	struct side_process side;
};

/* What the child processes inherit. */
static const struct profiler_setup *setup;

/* --- In the process of one profile -------------------------------------------------------------------------- */

/* Limits, so that an excessive profile ends alone. */
static void limit(void)
{
	struct rlimit time = { MOST_CPU_S, MOST_CPU_S };

	side_process_limit(MOST_MEMORY);
	setrlimit(RLIMIT_CPU, &time);
	/* Child processes are waited for. */
	signal(SIGCHLD, SIG_DFL);
}

/* Processes that fork are started before fork is forbidden. */
static int give_up(const struct profiler_ask *ask, const struct kernel *kernel)
{
	int err = ask->mode == PROFILING_CPU ? 0 : guardian_start();

	reader_start();
	limit();
	return err ? err : privileges_drop(kernel, setup->without_filter ? FILTER_NONE : FILTER_PROFILE);
}

static int find_nodes(const struct profiler_ask *ask, struct target_list *list, struct options *options)
{
	int err = target_list_scan(list);

	target_list_select(list, setup->select);
	if (*ask->node)
		target_list_select(list, &(struct target_selector){ .node = ask->node });
	for (size_t i = 0; i < list->count && options->pid_count < OPTIONS_MAX_PIDS; i++)
		options->pids[options->pid_count++] = list->targets[i]->pid;
	return err;
}

static void sample(const struct profiler_ask *ask, const struct profiling_request *how, struct profile_answer *answer)
{
	char errors[1024];
	struct profiling_summary summary;
	struct profile *profile;
	int err;

	log_keep_errors(errors, sizeof(errors));
	profile = profiling_run(how, &summary);
	err = errno;
	log_keep_errors(NULL, 0);
	if (profile)
		profile_answer_show(answer, profile, ask->format);
	else
		profile_answer_refuse(answer, 500, "cannot profile: %s", *errors ? errors : strerror(err));
	profile_free(profile);
}

static void profile_nodes(int fd, const struct profiler_ask *ask, const struct kernel *kernel,
			  struct profile_answer *answer)
{
	struct options nodes = { .glob = "*", .is_beside = true };
	struct target_list list = {};
	const struct profiling_request how = {
		.mode = ask->mode,
		.kernel = kernel,
		.targets = &list,
		.nodes = &nodes,
		.frequency = ask->frequency,
		.duration_ns = ask->duration_ns,
		.share = setup->share,
		.join = { .by = *ask->node ? STACK_MERGE_NOTHING : STACK_MERGE_NODE },
		.style = { .is_elixir = true, .with_owner = true },
		.stacks = MOST_STACKS,
		.stop = fd,
	};
	int err = find_nodes(ask, &list, &nodes);

	if (err)
		profile_answer_refuse(answer, 500, "cannot list processes: %s", strerror(-err));
	else if (!list.count && *ask->node)
		profile_answer_refuse(answer, 404,
				      "no node named %s runs on this machine, or the agent does not trace it",
				      ask->node);
	else if (!list.count)
		profile_answer_refuse(answer, 404, "no node runs on this machine");
	else
		sample(ask, &how, answer);
	target_list_free(&list);
}

static void make_answer(int fd, const struct profiler_ask *ask, struct profile_answer *answer)
{
	struct kernel kernel;
	const char *refusal;
	int err;

	kernel_detect(&kernel);
	refusal = profiling_refusal(&kernel);
	if (refusal) {
		profile_answer_refuse(answer, 501, "%s", refusal);
		return;
	}
	err = give_up(ask, &kernel);
	if (err)
		profile_answer_refuse(answer, 500, "cannot give up privileges: %s", strerror(-err));
	else
		profile_nodes(fd, ask, &kernel, answer);
}

static _Noreturn void be_one(int fd, const struct profiler_ask *ask)
{
	struct profile_answer answer = {};

	make_answer(fd, ask, &answer);
	profile_answer_send(&answer, fd);
	_exit(0);
}

/* --- In the process that forks them -------------------------------------------------------------------------- */

static int serve(int fd)
{
	struct profiler_ask ask;
	int to = -1, err = side_receive(fd, &ask, sizeof(ask), &to, 1);

	if (!err && to >= 0 && !fork()) {
		close(fd);
		be_one(to, &ask);
	}
	/* Without a process, the descriptor closes. */
	if (to >= 0)
		close(to);
	return err == -EMFILE ? 0 : err;
}

static void run(int fd)
{
	struct kernel kernel;

	/* Children are not waited for. */
	signal(SIGCHLD, SIG_IGN);
	reader_forget();
	kernel_detect(&kernel);
	privileges_leave_root();
	if (privileges_keep(privileges_of_profiles(&kernel)))
		return;
	while (!serve(fd))
		;
}

/* --- In the agent ---------------------------------------------------------------------------------------------- */

struct profiler *profiler_new(const struct profiler_setup *wanted)
{
	struct profiler *profiler = calloc(1, sizeof(*profiler));
	int err;

	if (!profiler)
		return NULL;
	setup = wanted;
	err = side_process_start(&profiler->side, NAME, run);
	if (!err)
		return profiler;
	free(profiler);
	errno = -err;
	return NULL;
}

void profiler_free(struct profiler *profiler)
{
	if (profiler)
		side_process_end(&profiler->side);
	free(profiler);
}

int profiler_send(int side, const void *ask, size_t size)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	err = side_send(side, ask, size, &pair[1], 1);
	close(pair[1]);
	if (!err && fcntl(pair[0], F_SETFL, O_NONBLOCK))
		err = -errno;
	if (!err)
		return pair[0];
	close(pair[0]);
	return err;
}

int profiler_ask(struct profiler *profiler, const struct profiler_ask *ask)
{
	return profiler_send(profiler->side.fd, ask, sizeof(*ask));
}
