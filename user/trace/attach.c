// SPDX-License-Identifier: BSD-2-Clause
#include "trace/attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/process/yield.h"
#include "erlang/breakpoints.h"
#include "erlang/hardware.h"
#include "load/guardian/guardian.h"
#include "node/atoms/pids.h"
#include "node/code/verify.h"
#include "node/memory/erlid.h"
#include "node/names/naming.h"
#include "node/terms/terms.h"
#include "probe/catalogue.h"
#include "probe/code/instruction.h"
#include "probe/sites/erlang_functions.h"
#include "trace/plans.h"

/* Sites of one program that one copy of it can serve, in the form that the kernel takes. */
struct batch {
	const struct attach_request *request;
	struct attachment *attachment;
	size_t program;
	bool is_detail;
	const struct site *sites;
	size_t count;
};

static int add_link(struct link_list *list, int number)
{
	if (!array_has_room(list->numbers, list->count)) {
		guardian_unlink(&number, 1);
		return -ENOMEM;
	}
	list->numbers[list->count++] = number;
	return 0;
}

static enum attach_part part_of(const struct plan *plan)
{
	return plan->is_detail ? ATTACH_DETAILS : ATTACH_CASES;
}

/* Room for the sites of a batch, kept by the attachment. NULL if memory is short. */
static struct plan *add_plan(struct attachment *a, size_t count)
{
	struct plan *plan;

	if (!array_has_room(a->plans, a->plan_count))
		return NULL;
	plan = &a->plans[a->plan_count++];
	*plan = (struct plan){
		.program = -1,
		.offsets = calloc(count, sizeof(*plan->offsets)),
		.semaphores = calloc(count, sizeof(*plan->semaphores)),
		.cookies = calloc(count, sizeof(*plan->cookies)),
		.kinds = calloc(count, sizeof(*plan->kinds)),
		.count = count,
	};
	return plan->offsets && plan->semaphores && plan->cookies && plan->kinds ? plan : NULL;
}

static struct kernel_sites plan_sites_of(const struct attachment *a, const struct plan *plan)
{
	return (struct kernel_sites){
		.file = a->target->vm->fd,
		.offsets = plan->offsets,
		.semaphores = plan->semaphores,
		.cookies = plan->cookies,
		.count = plan->count,
		.at_return = plan->at_return,
		.pid = a->target->pid,
	};
}

static int link_plan(struct attachment *a, const struct kernel *kernel, const struct plan *plan)
{
	struct kernel_sites sites = plan_sites_of(a, plan);
	int number = guardian_link(plan->program, &sites, kernel->attach);

	return number < 0 ? number : add_link(&a->links[part_of(plan)], number);
}

static void free_plans(struct attachment *a)
{
	for (size_t i = 0; i < a->plan_count; i++) {
		if (a->plans[i].program >= 0)
			loader_release(a->loader, a->plans[i].program);
		free(a->plans[i].offsets);
		free(a->plans[i].semaphores);
		free(a->plans[i].cookies);
		free(a->plans[i].kinds);
	}
	free(a->plans);
}

/* What fails because the process has ended, its file with it perhaps, is not worth a word. */
static int report(const struct attach_request *request, const struct attachment *a, const struct plan *plan, int err)
{
	char name[PROBE_NAME_SIZE];

	if (err && !target_is_alive(a->target))
		return -ESRCH;
	if (err && err != -ESRCH)
		pr_err("cannot attach %s to process %d: %s%s", probe_name(plan->first.probe, name), a->target->pid,
		       strerror(-err),
		       (err == -EACCES || err == -EPERM) && request->kernel->attach == KERNEL_ATTACH_PERF
			       ? "; on this kernel (without uprobe_multi) CAP_SYS_ADMIN is required"
			       : "");
	return err;
}

/* The class of the program that saves: it reads what is to be saved as its arguments. */
static void make_save_config(const struct site *site, struct erl_config *config)
{
	memset(config, 0, sizeof(*config));
	for (int i = 0; i < ERL_SAVED_ARGS; i++) {
		config->args[i].operand = site->save[i];
		config->args[i].form = ERL_FORM_NUMBER;
	}
}

/*
 * Numbered probes share their site, where one program finds out which of them it is. With a place for each, every
 * hit would run it as often as there are probes.
 */
static void share_place(struct plan *plan, const struct batch *b)
{
	struct erl_config *config = &plan->first.config;

	for (size_t i = 0; i < b->count; i++) {
		uint64_t number = b->sites[i].probe - config->first_probe;

		if (number < ERL_NUMBER_WORDS * 64)
			config->numbers[number / 64] |= 1ULL << number % 64;
	}
	plan->count = 1;
}

/* What cannot be read is taken for what is dearest. */
static enum hit_kind site_kind(const struct vm *vm, unsigned long offset)
{
	unsigned char code[INSTRUCTION_LONGEST];
	ssize_t size = pread(vm->fd, code, sizeof(code), (off_t)offset);

	if (size <= 0)
		return HIT_STEPPED;
	if (instruction_is_nop5(code, (size_t)size))
		return HIT_NOP5;
	return instruction_is_stepped(image_arch(vm->image), code, (size_t)size) ? HIT_STEPPED : HIT_PLAIN;
}

static int plan_batch(const struct batch *b, size_t program, bool at_return)
{
	const struct target *target = b->attachment->target;
	struct plan *plan = add_plan(b->attachment, b->count);

	if (!plan)
		return -ENOMEM;
	plan->first = b->sites[0];
	plan->wanted = program;
	plan->at_return = at_return;
	plan->is_detail = b->is_detail;
	for (size_t i = 0; i < b->count; i++) {
		plan->offsets[i] = b->sites[i].offset;
		plan->semaphores[i] = b->sites[i].semaphore;
		plan->cookies[i] = erl_cookie(target->os_id, b->sites[i].function, b->sites[i].probe);
		plan->kinds[i] = site_kind(target->vm, b->sites[i].offset);
		if (plan->kinds[i] == HIT_STEPPED)
			plan->cookies[i] |= ERL_COOKIE_STEPPED;
	}
	if (program == LOADER_SAVE_PROGRAM)
		make_save_config(&b->sites[0], &plan->first.config);
	if (plan->first.config.flags & ERL_CONFIG_NUMBERED)
		share_place(plan, b);
	if (b->request->kernel->attach == KERNEL_ATTACH_MULTI_INODE)
		plan->first.config.flags |= ERL_CONFIG_CHECK_PID;
	return 0;
}

static void tell_refused(const struct attach_request *request, const struct attachment *a)
{
	for (size_t i = 0; request->choice && i < a->plan_count; i++) {
		if (a->plans[i].program >= 0)
			continue;
		request->choice->refused(request->choice->data, a->target, &a->plans[i].first, a->plans[i].program);
		return;
	}
}

/* All together, which is faster than one after the other. */
static int load_plans(const struct attach_request *request, struct attachment *a)
{
	_cleanup_free_ struct loader_class *classes = calloc(a->plan_count + 1, sizeof(*classes));
	int err;

	if (!classes)
		return -ENOMEM;
	for (size_t i = 0; i < a->plan_count; i++) {
		classes[i].program = a->plans[i].wanted;
		classes[i].config = a->plans[i].first.config;
	}
	err = loader_programs(request->loader, classes, a->plan_count);
	for (size_t i = 0; i < a->plan_count; i++)
		a->plans[i].program = classes[i].fd;
	if (err)
		tell_refused(request, a);
	return err;
}

static int link_plans(const struct attach_request *request, struct attachment *a)
{
	int err = 0;

	for (size_t i = 0; !err && i < a->plan_count; i++) {
		if (!request->is_paused[part_of(&a->plans[i])])
			err = report(request, a, &a->plans[i], link_plan(a, request->kernel, &a->plans[i]));
	}
	return err;
}

static int add_batch(const struct batch *b)
{
	int err = 0;

	for (size_t i = 0; i < b->count; i++)
		b->attachment->uses[b->sites[i].source] = true;
	b->attachment->site_count += b->count;
	/* What the return wants must have been saved at the entry. */
	if (b->sites[0].config.flags & ERL_CONFIG_USES_SAVED)
		err = plan_batch(b, LOADER_SAVE_PROGRAM, false);
	return err ? err : plan_batch(b, b->program, b->sites[0].at_return);
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->at_return != y->at_return)
		return x->at_return ? 1 : -1;
	if (memcmp(x->save, y->save, sizeof(x->save)))
		return memcmp(x->save, y->save, sizeof(x->save));
	return memcmp(&x->config, &y->config, sizeof(x->config));
}

/* Nobody reads the arguments, nor how long a call took: then only guards can want what was saved. */
static void forget_time(struct erl_config *config)
{
	for (int i = 0; i < ERL_MAX_GUARDS; i++) {
		if (config->guards[i].left.base == ERL_BASE_SAVED || config->guards[i].right.base == ERL_BASE_SAVED)
			return;
	}
	config->flags &= ~(uint64_t)ERL_CONFIG_USES_SAVED;
}

/* Sites that differ only in what is not read are one class. */
static void forget_args(struct site_list *list, unsigned int read)
{
	for (size_t i = 0; i < list->count; i++) {
		struct erl_config *config = &list->sites[i].config;

		for (int arg = 0; arg < ERL_MAX_ARGS; arg++) {
			if (!(read >> arg & 1))
				memset(&config->args[arg], 0, sizeof(config->args[arg]));
		}
		config->local_ids &= read;
		if (!read) {
			memset(&config->pids, 0, sizeof(config->pids));
			memset(&config->names, 0, sizeof(config->names));
			memset(&config->heap, 0, sizeof(config->heap));
			memset(config->words, 0, sizeof(config->words));
			memset(config->callers, 0, sizeof(config->callers));
			forget_time(config);
			config->otp = 0;
			config->flags &= ~(uint64_t)ERL_CONFIG_IS_COPIED;
		}
	}
}

static int plan_sites(const struct attach_request *request, struct attachment *a, size_t program,
		      struct site_list *list)
{
	const char *wired = loader_program_probe(request->loader, program);
	bool is_detail = request->is_detail && request->is_detail(request->needed_data, wired);
	int err = 0;

	forget_args(list, request->args);
	if (list->count)
		qsort(list->sites, list->count, sizeof(*list->sites), compare_sites);
	for (size_t from = 0, to; !err && from < list->count; from = to) {
		struct batch b = {
			.request = request,
			.attachment = a,
			.program = program,
			.is_detail = is_detail,
			.sites = &list->sites[from],
		};

		for (to = from + 1; to < list->count; to++) {
			if (compare_sites(&list->sites[from], &list->sites[to]))
				break;
		}
		b.count = to - from;
		err = add_batch(&b);
	}
	return err;
}

static int keep_missing(struct attachment *a, const struct site_list *list)
{
	for (size_t i = 0; i < list->missing_count; i++) {
		if (!array_has_room(a->missing, a->missing_count))
			return -ENOMEM;
		a->missing[a->missing_count++] = list->missing[i];
	}
	return 0;
}

const char *attach_glob(const char *wired, const char *glob, char buf[ATTACH_GLOB_SIZE])
{
	const char *name = strchr(wired, ':') ? strchr(wired, ':') + 1 : wired;
	int length = (int)strlen(name) - 1;

	if (!strcmp(wired, "erlang:*"))
		return glob;
	if (length < 0 || name[length] != '*')
		return wired;
	if (!strncmp(glob, name, (size_t)length))
		glob += length;
	snprintf(buf, ATTACH_GLOB_SIZE, "%.*s%s", (int)(name - wired) + length, wired, glob);
	return buf;
}

/* What a choice is about, for the callbacks of site_list_make(). */
struct chooser {
	const struct attach_choice *choice;
	const char *program;
	const struct target *target;
};

static bool choose_probe(void *data, uint32_t probe)
{
	const struct chooser *c = data;

	return c->choice->probe(c->choice->data, c->program, c->target, probe);
}

static void choose_sites(const struct chooser *c, struct site_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (c->choice->site(c->choice->data, c->program, c->target, &list->sites[i]))
			list->sites[kept++] = list->sites[i];
	}
	list->count = kept;
}

/* Of a VM that shows nothing of itself, what is left of all probes is no answer to a question about all. */
static bool has_too_little(const struct vm *vm, const char *wired, const struct site_list *list)
{
	return !list->count ||
	       (!vm->has_functions && !vm->has_notes && list->missing_count && wired[strlen(wired) - 1] == '*');
}

/* Then its programs are at no place of a file. */
static bool by_hardware(const struct attach_request *request)
{
	return request->breakpoints && request->breakpoints->is_hardware;
}

/* Nor is there any, if the VM itself counts. */
static bool by_counters(const struct attach_request *request)
{
	return request->breakpoints && request->breakpoints->counts_only;
}

static int plan_program(const struct attach_request *request, struct attachment *a, struct native_list *natives,
			size_t program)
{
	const char *wired = loader_program_probe(request->loader, program);
	char glob[ATTACH_GLOB_SIZE];
	struct chooser chooser = {
		.choice = request->choice,
		.program = loader_program_name(request->loader, program),
		.target = a->target,
	};
	struct site_request sites_wanted = {
		.wants = request->choice ? choose_probe : NULL,
		.wants_data = &chooser,
		.glob = attach_glob(wired, request->glob, glob),
		.source = request->source,
		.allow_denied = request->allow_denied,
		.pids = &a->pids,
		.names = &a->names,
		.erlang_functions = strcmp(wired, "erlang:*") ? request->glob : NULL,
		.with_terms = request->with_terms,
		.functions = request->functions,
		.target = a->target,
		.natives = natives,
	};
	struct site_list list;
	int err;

	if (by_hardware(request) || by_counters(request) ||
	    (request->chosen && !probe_is_chosen(wired, request->chosen)))
		return 0;
	if (request->is_needed && !request->is_needed(request->needed_data, wired, a))
		return 0;
	err = site_list_make(a->target->vm, &sites_wanted, &list);
	if (err) {
		pr_err("cannot find the probes of process %d: %s", a->target->pid, strerror(-err));
		return err;
	}
	if (request->choice)
		choose_sites(&chooser, &list);
	if (has_too_little(a->target->vm, wired, &list) && request->is_required &&
	    request->is_required(request->needed_data, wired)) {
		a->is_refused = true;
		a->refusal = a->missing_count;
	}
	err = keep_missing(a, &list);
	if (!err)
		err = plan_sites(request, a, program, &list);
	site_list_free(&list);
	return err;
}

/* Part of an answer would be taken for the whole: the target gets none of the probes. -ENOENT. */
static int forget_plans(struct attachment *a)
{
	free_plans(a);
	a->plans = NULL;
	a->plan_count = a->site_count = 0;
	memset(a->uses, 0, sizeof(a->uses));
	return -ENOENT;
}

/* -ENOENT, with the reason. */
static int set_absent(struct attachment *a, const char *why, const char *advice)
{
	a->absent = strdup(why);
	a->absent_advice = advice;
	return a->absent ? -ENOENT : -ENOMEM;
}

/* Has the target something of what the user names? */
static int check_names(const struct attach_request *request, struct attachment *a)
{
	char pid[ERLID_SIZE], why[ERLANG_FUNCTIONS_WHY];

	if (request->is_new)
		return 0;
	if (request->erl_pid && pid_has_ended(a->target, &a->pids, request->erl_pid)) {
		snprintf(why, sizeof(why), "it has no process %s", erlid_format(request->erl_pid, pid));
		return set_absent(a, why, "`erlbpf top` lists processes");
	}
	if (request->erlang_functions && erlang_functions_are_none(a->target, request->erlang_functions, why))
		return set_absent(a, why, "`erlbpf help calls` says more");
	if (request->functions && erlang_functions_are_code(a->target, request->functions->spec.glob, why))
		return set_absent(a, why, "`erlbpf calls --via vm --by caller` shows who calls it");
	return 0;
}

/* When all else is in place. Without them it gets none of the probes. */
static int set_breakpoints(const struct attach_request *request, struct attachment *a)
{
	char why[BREAKPOINTS_WHY];

	/* By then erlbpf has given up what it takes to connect. */
	if (request->is_new && request->breakpoints->may_lack)
		return 0;
	if (request->is_new)
		snprintf(why, sizeof(why), "with --via vm, only nodes that run when the trace begins are traced");
	else
		a->breakpoints = breakpoints_set(a->target, request->breakpoints, why);
	if (a->breakpoints && request->breakpoints->counts_only) {
		a->by_counters = true;
		a->site_count = 1;
	}
	if (a->breakpoints || (!request->is_new && errno == ENOENT && request->breakpoints->may_lack))
		return 0;
	attachment_detach(a);
	forget_plans(a);
	return set_absent(a, why, "`erlbpf help calls` says more");
}

static int set_hardware(const struct attach_request *request, struct attachment *a)
{
	const struct hardware_place place = {
		.target = a->target,
		.kernel = request->kernel,
		.naming = a->naming,
		.pids = &a->pids,
		.names = &a->names,
		.is_new = request->is_new,
		.is_paused = request->is_paused[ATTACH_CASES],
	};
	char why[BREAKPOINTS_WHY];

	a->hardware = hardware_set(&place, request->breakpoints, why);
	if (!a->hardware)
		return set_absent(a, why, "`erlbpf help calls` says more");
	a->by_hardware = true;
	a->site_count = 1;
	return 0;
}

int attach(const struct attach_request *request, struct target *target, struct attachment **attachment)
{
	struct attachment *a = calloc(1, sizeof(*a));
	struct native_list natives;
	int err = 0;

	if (!a) {
		target_free(target);
		return -ENOMEM;
	}
	a->target = target;
	a->loader = request->loader;
	verify_vm(target);
	/* Not fatal: notes carry pids as text. Terms stay unreadable, so nothing false is shown. */
	if (pid_layout_read(target, &a->pids) && request->args && target->vm->has_functions)
		pr_warn("process %d: cannot read its process table, so Erlang pids are unknown for probes "
			"on functions; try with CAP_DAC_READ_SEARCH",
			target->pid);
	/* Nor is this: processes are shown without names then, and terms are not shown. */
	a->naming = naming_new(target, &a->pids);
	if (a->naming) {
		naming_set_style(a->naming, request->names);
		naming_layout(a->naming, &a->names);
	}
	/* Programs that are chosen are D's, whose names are made from terms. */
	if (a->naming && request->args && !request->choice)
		naming_atoms(a->naming, &a->names);
	native_list_of(target, &natives);
	err = check_names(request, a);
	/* Last program first: what ends a measurement is there before what starts it. */
	for (size_t i = loader_program_count(request->loader); !err && i > 0; i--) {
		err = plan_program(request, a, &natives, i - 1);
		yield_now();
	}
	native_list_free(&natives);
	if (!err && a->is_refused)
		err = forget_plans(a);
	plans_put_savers_last(a->plans, a->plan_count);
	if (!err)
		err = load_plans(request, a);
	if (!err)
		err = link_plans(request, a);
	a->attached_ns = duration_now();
	/* The pid may have become another process's while we looked. */
	if (!err && !target_is_alive(target))
		err = -ESRCH;
	if (!err && by_hardware(request))
		err = set_hardware(request, a);
	else if (!err && !a->site_count && !by_counters(request))
		err = -ENOENT;
	else if (!err && request->breakpoints)
		err = set_breakpoints(request, a);
	/* Without any probe the attachment still says what is missing. */
	if (err && err != -ENOENT) {
		attachment_free(a);
		return err;
	}
	*attachment = a;
	return err;
}

const struct missing *attachment_reason(const struct attachment *a)
{
	if (a->is_refused && a->refusal < a->missing_count)
		return &a->missing[a->refusal];
	for (size_t i = 0; i < a->missing_count; i++) {
		if (a->missing[i].whole)
			return &a->missing[i];
	}
	return NULL;
}

char *attachment_refusal(const struct attachment *a)
{
	const struct missing *missing = attachment_reason(a);
	char name[2 * PROBE_NAME_SIZE], *reason = NULL;

	if (a->site_count)
		return NULL;
	if (a->absent)
		return strdup(a->absent);
	if (!missing)
		return strdup("no such probe; `erlbpf list` shows all probes");
	if (asprintf(&reason, "%s: %s", probe_range_name(missing->probe, missing->last, name), missing->why) < 0)
		return NULL;
	return reason;
}

bool attachment_has(const struct attachment *a, const char *probe)
{
	for (size_t i = 0; i < a->plan_count; i++) {
		if (probe_matches(a->plans[i].first.probe, probe))
			return true;
	}
	return false;
}

const char *attachment_source(const struct attachment *a)
{
	if (a->by_hardware)
		return "debug registers";
	if (a->by_counters)
		return "counters of the VM";
	/* Of a VM that hides its functions, a few are not hidden. */
	if (a->uses[SOURCE_MATCHED])
		return a->uses[SOURCE_USDT] ? "usdt+matched" : "matched";
	if (a->uses[SOURCE_SYMBOL])
		return a->uses[SOURCE_USDT] ? "usdt+symbol" : "symbol";
	return a->uses[SOURCE_USDT] ? "usdt" : "none";
}

static void detach_part(struct attachment *a, enum attach_part part)
{
	guardian_unlink(a->links[part].numbers, a->links[part].count);
	a->links[part].count = 0;
}

void attachment_detach(struct attachment *a)
{
	for (enum attach_part part = 0; part < ATTACH_PARTS; part++)
		detach_part(a, part);
	breakpoints_end(a->breakpoints);
	hardware_free(a->hardware);
	a->hardware = NULL;
}

size_t attachment_give_links(struct attachment *a, enum attach_part part, int *numbers)
{
	size_t count = a->links[part].count;

	for (size_t i = 0; i < count; i++)
		numbers[i] = a->links[part].numbers[i];
	a->links[part].count = 0;
	return count;
}

/* How many links were asked for: all of the part, or up to an error. */
static size_t ask_for_part(const struct attachment *a, const struct kernel *kernel, enum attach_part part, int *err)
{
	size_t asked = 0;

	for (size_t i = 0; !*err && i < a->plan_count; i++) {
		struct kernel_sites sites = plan_sites_of(a, &a->plans[i]);

		if (part_of(&a->plans[i]) != part)
			continue;
		*err = guardian_ask_link(a->plans[i].program, &sites, kernel->attach);
		asked += !*err;
	}
	return asked;
}

static int resume_links(struct attachment *a, const struct kernel *kernel, enum attach_part part)
{
	_cleanup_free_ int *numbers = calloc(a->plan_count + 1, sizeof(*numbers));
	size_t asked;
	int err = 0;

	if (!numbers)
		return -ENOMEM;
	plans_sort(a->plans, a->plan_count, a->loader);
	asked = ask_for_part(a, kernel, part, &err);
	for (size_t i = 0; i < asked; i++)
		numbers[i] = guardian_answer();
	for (size_t i = 0; i < asked; i++) {
		int failed = numbers[i] < 0 ? numbers[i] : add_link(&a->links[part], numbers[i]);

		err = err ? err : failed;
	}
	if (err)
		detach_part(a, part);
	return err;
}

int attachment_resume(struct attachment *a, const struct kernel *kernel, enum attach_part part)
{
	int err = 0;

	if (a->hardware)
		return part == ATTACH_CASES ? hardware_resume(a->hardware) : 0;
	/* First, since it is waited for: probes without them see nothing. */
	if (part == ATTACH_CASES && breakpoints_are_set(a->breakpoints))
		err = breakpoints_resume(a->breakpoints);
	return err ? err : resume_links(a, kernel, part);
}

void attachment_free(struct attachment *a)
{
	if (!a)
		return;
	attachment_detach(a);
	breakpoints_free(a->breakpoints);
	free_plans(a);
	naming_free(a->naming);
	free(a->absent);
	terms_free(a->terms);
	target_free(a->target);
	for (enum attach_part part = 0; part < ATTACH_PARTS; part++)
		free(a->links[part].numbers);
	free(a->missing);
	free(a);
}
