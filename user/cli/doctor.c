// SPDX-License-Identifier: BSD-2-Clause
/* `erlbpf doctor`: what is here, what works on it, and what to do about the rest. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "budget/hit_cost.h"
#include "cli/leftover_report.h"
#include "cli/options/command.h"
#include "load/guardian/guardian.h"
#include "load/kernel/capabilities.h"
#include "load/kernel/debug_registers.h"
#include "load/kernel/kernel.h"
#include "load/load.h"
#include "out/cell.h"
#include "out/json_line.h"
#include "probe/catalogue.h"
#include "probe/sites/source.h"
#include "probe/translator.h"
#include "run/unprivileged.h"
#include "target/reader/quarantine.h"
#include "target/target.h"
#include "tool.h"
#include "trace/nodes.h"
#include "trace/required.h"

#define MOST_WAIT_MS 1000 /* for what a hit costs */
#define CONFIGURE_LINE                                                                                                 \
	"apt-get install systemtap-sdt-dev && ./configure --with-dynamic-trace=systemtap && make && "                  \
	"make install"

#define WHY_SIZE 512
#define DOCTOR_SCHEMA 2 /* 1: works and fails were text */

/* Does a tool work on a VM? */
struct judgement {
	const char *tool;
	char *why;	    /* not: "PROBE: reason" or a reason; NULL: it does */
	const char *reason; /* in it */
};

struct finding {
	const struct target *target;
	struct native_list natives;	    /* while it is examined */
	size_t usdt, symbol, matched;	    /* probes by source */
	size_t functions, functions_wanted; /* that translators name */
	bool lacks;			    /* a tool of which another VM would have something to show */
	struct judgement *tools;	    /* in the order of tools[] */
	size_t tool_count;
	struct leftover_report leftovers;
};

static int count_sources(struct finding *finding)
{
	struct site_request request = { .glob = "*", .target = finding->target, .natives = &finding->natives };
	struct site_list list;
	int err = site_list_make(finding->target->vm, &request, &list);
	int64_t last = -1;

	if (err)
		return err;
	for (size_t i = 0; i < list.count; i++) {
		if ((int64_t)list.sites[i].probe == last)
			continue;
		last = list.sites[i].probe;
		finding->usdt += list.sites[i].source == SOURCE_USDT;
		finding->symbol += list.sites[i].source == SOURCE_SYMBOL;
		finding->matched += list.sites[i].source == SOURCE_MATCHED;
	}
	site_list_free(&list);
	return 0;
}

/* A probe of functions that do nothing in a VM without notes is not missed there. */
static bool is_missed(const struct finding *finding, const struct site_list *list)
{
	return finding->target->vm->has_notes || !list->missing_count || !probe_def(list->missing[0].probe)->note_only;
}

/* Why a program of a tool has nothing to be attached to, NULL if it has. `buf` of WHY_SIZE. */
static const char *why_not(struct finding *finding, const struct tool *tool, const char *probe, char *buf)
{
	const struct target *target = finding->target;
	struct site_request request = { .glob = probe, .target = target, .natives = &finding->natives };
	struct site_list list;
	const char *why = NULL;

	/* Which functions is not known before they are named. */
	if (tool->takes & TAKES_VM_FUNCTIONS)
		return target->vm->has_functions ? NULL : "the VM exports no functions of its own";
	if (site_list_make(target->vm, &request, &list))
		return "cannot read its probes";
	if (!list.count) {
		snprintf(buf, WHY_SIZE, "%s: %s", probe, list.missing_count ? list.missing[0].why : "no such probe");
		why = buf;
		finding->lacks |= is_missed(finding, &list);
	}
	site_list_free(&list);
	return why;
}

static int add_judgement(struct finding *finding, const struct tool *tool, const char *why)
{
	struct judgement judgement = { .tool = tool->name, .why = why ? strdup(why) : NULL };
	const char *colon = judgement.why ? strstr(judgement.why, ": ") : NULL;

	judgement.reason = colon ? colon + strlen(": ") : judgement.why;
	if ((why && !judgement.why) || !array_has_room(finding->tools, finding->tool_count)) {
		free(judgement.why);
		return -ENOMEM;
	}
	finding->tools[finding->tool_count++] = judgement;
	return 0;
}

static int try_tool(const struct tool *tool, const struct kernel *kernel, struct finding *finding)
{
	struct loader *loader = NULL;
	const char *why = NULL;
	char buf[WHY_SIZE];
	size_t size;
	const void *elf = tool->elf(&size);
	int err;

	if (loader_open(elf, size, kernel, &loader))
		return add_judgement(finding, tool, "cannot open its BPF object");
	for (size_t i = 0; !why && i < loader_program_count(loader); i++) {
		if (required_always(tool, loader_program_probe(loader, i)))
			why = why_not(finding, tool, loader_program_probe(loader, i), buf);
	}
	err = add_judgement(finding, tool, why);
	loader_free(loader);
	return err;
}

static void finding_free(struct finding *finding)
{
	for (size_t i = 0; i < finding->tool_count; i++)
		free(finding->tools[i].why);
	free(finding->tools);
	leftover_report_free(&finding->leftovers);
}

static int examine(const struct target *target, const struct kernel *kernel, struct finding *finding)
{
	int err = 0;

	*finding = (struct finding){ .target = target };
	native_list_of(target, &finding->natives);
	for (size_t i = 0; !err && i < tools_count; i++)
		err = try_tool(tools[i], kernel, finding);
	if (!err)
		err = count_sources(finding);
	translator_functions_of(target->vm, &finding->functions, &finding->functions_wanted);
	native_list_free(&finding->natives);
	return err;
}

static const char *advice(const struct finding *f)
{
	const struct vm *vm = f->target->vm;

	if (f->usdt || (vm->has_functions && !f->lacks))
		return NULL;
	if (!vm->has_functions)
		return "this VM has no notes, and shows no functions of its own, so it cannot be traced; install its "
		       "debug file (Debian: erlang-base-dbgsym), or a VM that is not stripped (as built from "
		       "source), or one with notes: " CONFIGURE_LINE
		       " (kerl: KERL_CONFIGURE_OPTIONS=\"--with-dynamic-trace=systemtap\")";
	if (!f->symbol && !f->matched)
		return "there are no translators for this release; rebuild the VM with notes: " CONFIGURE_LINE;
	return "for all probes, rebuild the VM with notes: " CONFIGURE_LINE;
}

static const char *kernel_way(const struct kernel *kernel)
{
	switch (kernel->attach) {
	case KERNEL_ATTACH_MULTI: return "uprobe_multi links";
	case KERNEL_ATTACH_MULTI_INODE:
		return "uprobe_multi links without the kernel's pid filter, which is broken before 6.10";
	default: return "a perf event per site: detaching is slow (0.1 s a site)";
	}
}

/* The cost of a probe on this machine limits how much can be traced without loss. */
static void print_costs(void)
{
	struct hit_costs costs = hit_costs_wait(MOST_WAIT_MS);
	char plain[32], stepped[32], at_return[32];

	if (costs.is_measured)
		printf("a hit       takes a node %s; %s where the kernel has to single-step, %s at the return of a "
		       "function\n",
		       cell_duration(costs.ns[HIT_PLAIN], false, plain),
		       cell_duration(costs.ns[HIT_STEPPED], false, stepped),
		       cell_duration(costs.ns[HIT_RETURN], false, at_return));
}

static void print_kernel(const struct kernel *kernel, const char *refusal)
{
	const char *registers = refusal ? NULL : debug_registers_refusal(false);

	/* Kernel features are detected by trying them, which needs privileges. */
	printf("kernel      Linux %u.%u%s%s\n", kernel->major, kernel->minor, refusal ? "" : ": ",
	       refusal ? "" : kernel_way(kernel));
	if (!kernel->has_btf)
		puts("BTF         not available: D programs cannot read structs of the kernel; all else works");
	printf("privileges  %s\n", refusal ? refusal : kernel->is_root ? "root" : "enough capabilities");
	if (refusal)
		return;
	print_costs();
	printf("registers   %s\n", registers ? registers : "the debug registers can be used (calls --entry)");
}

static void print_wrapped(const char *title, const char *text)
{
	_cleanup_free_ char *safe = text ? text_for_terminal(text) : NULL;

	if (safe && *safe)
		printf("  %-10s%s\n", title, safe);
}

static bool is_same_reason(const struct judgement *a, const struct judgement *b)
{
	return a->reason && b->reason ? !strcmp(a->reason, b->reason) : a->reason == b->reason;
}

/* On one line, the tools that work, or those that do not for the same reason as `like`. */
static void print_tools(const char *title, const struct finding *f, const struct judgement *like)
{
	_cleanup_free_ char *line = NULL;
	const char *between = "";
	size_t size;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return;
	for (size_t i = 0; i < f->tool_count; i++) {
		const struct judgement *tool = &f->tools[i];

		if (!is_same_reason(tool, like))
			continue;
		fprintf(to, "%s%s", between, tool->tool);
		if (tool->why && tool->reason > tool->why)
			fprintf(to, " (%.*s)", (int)(tool->reason - tool->why - strlen(": ")), tool->why);
		between = ", ";
	}
	if (like->reason)
		fprintf(to, ": %s", like->reason);
	fclose(to);
	print_wrapped(title, line);
}

/* A line for each reason, with all tools that have it. */
static void print_failures(const struct finding *f)
{
	const char *title = "does not";

	for (size_t i = 0; i < f->tool_count; i++) {
		size_t first = 0;

		while (!is_same_reason(&f->tools[first], &f->tools[i]))
			first++;
		if (!f->tools[i].why || first < i)
			continue;
		print_tools(title, f, &f->tools[i]);
		title = "";
	}
}

static void print_sources(const struct finding *f)
{
	char line[192];
	int length = snprintf(line, sizeof(line), "%zu from notes (usdt), %zu from functions (symbol)", f->usdt,
			      f->symbol);

	if (f->matched)
		snprintf(line + length, sizeof(line) - (size_t)length,
			 ", %zu from functions found by comparison (matched)", f->matched);
	print_wrapped("probes", line);
	if (!f->matched || f->functions == f->functions_wanted)
		return;
	snprintf(line, sizeof(line), "%zu of the %zu that probes need, found by comparison with builds of OTP %d",
		 f->functions, f->functions_wanted, f->target->vm->otp);
	print_wrapped("matched", line);
}

/* On releases between known ones only rows that name them are taken; a newer one is taken for the newest as a whole. */
static bool is_presumed(const struct finding *f)
{
	const struct vm *vm = f->target->vm;

	return vm->otp > OTP_NEWEST ? !vm->mismatch : f->symbol && !translator_is_checked(vm->otp);
}

static void print_presumed(const struct finding *f)
{
	const struct vm *vm = f->target->vm;
	char line[128];

	if (!is_presumed(f))
		return;
	if (vm->otp > OTP_NEWEST)
		snprintf(line, sizeof(line),
			 "to be like OTP %d: its processes are, but erlbpf was not tested on OTP %d", OTP_NEWEST,
			 vm->otp);
	else
		snprintf(line, sizeof(line), "from the sources of other releases: erlbpf was not tested on OTP %d",
			 vm->otp);
	print_wrapped("presumed", line);
}

static void print_finding(const struct finding *f)
{
	const struct target *t = f->target;
	_cleanup_free_ char *node = text_for_terminal(t->node[0] ? t->node : "(no name)");
	char line[128];

	printf("\n%s: process %d\n", node ? node : "", t->pid);
	snprintf(line, sizeof(line), "OTP %d (ERTS %s), %s, built %s notes", t->vm->otp,
		 t->vm->erts[0] ? t->vm->erts : "?", flavor_name(t->vm->flavor), t->vm->has_notes ? "with" : "without");
	print_wrapped("VM", line);
	print_presumed(f);
	print_wrapped("file", t->exe);
	print_wrapped("container", t->container);
	print_sources(f);
	print_tools("works", f, &(struct judgement){});
	print_failures(f);
	leftover_report_print(&f->leftovers, print_wrapped);
	print_wrapped("to do", advice(f));
}

/* null for an empty one. */
static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_add_text(to, key, text && *text ? text : NULL);
}

static void add_costs(struct json_object *object)
{
	static const char *const names[HIT_KINDS] = { "plain", "stepped",	 "return",
						      "nop5",  "stepped_return", "debug_register" };
	struct hit_costs costs = hit_costs_wait(MOST_WAIT_MS);
	struct json_object *kinds = json_new();

	for (size_t i = 0; costs.is_measured && i < HIT_KINDS; i++) {
		/* A machine may have no debug registers. */
		if (costs.ns[i])
			json_add_number(kinds, names[i], costs.ns[i]);
	}
	json_add(object, "hit_ns", kinds);
}

static struct json_object *make_kernel(const struct kernel *kernel, const char *refusal)
{
	struct json_object *object = json_new();
	char version[32];

	snprintf(version, sizeof(version), "%u.%u", kernel->major, kernel->minor);
	add_text(object, "version", version);
	add_text(object, "attach", kernel_attach_name(kernel->attach));
	json_add(object, "btf", json_truth(kernel->has_btf));
	add_text(object, "refusal", refusal);
	if (!refusal) {
		add_costs(object);
		add_text(object, "debug_registers_refusal", debug_registers_refusal(false));
	}
	return object;
}

/* "works": ["gc"], "fails": [{"tool": "gc", "why": "..."}] */
static void add_tools(struct json_object *object, const struct finding *f)
{
	struct json_object *works = json_new_list(), *fails = json_new_list();

	for (size_t i = 0; i < f->tool_count; i++) {
		struct json_object *failure;

		if (!f->tools[i].why) {
			json_push(works, json_text(f->tools[i].tool));
			continue;
		}
		failure = json_new();
		add_text(failure, "tool", f->tools[i].tool);
		add_text(failure, "why", f->tools[i].why);
		json_push(fails, failure);
	}
	json_add(object, "works", works);
	json_add(object, "fails", fails);
}

static struct json_object *make_finding(const struct finding *f)
{
	struct json_object *object = json_new();
	const struct vm *vm = f->target->vm;
	char otp[16];

	snprintf(otp, sizeof(otp), "%d", vm->otp);
	json_add(object, "os_pid", json_signed(f->target->pid));
	add_text(object, "node", f->target->node);
	add_text(object, "otp", vm->otp ? otp : NULL);
	add_text(object, "erts", vm->erts);
	add_text(object, "flavor", flavor_name(vm->flavor));
	json_add(object, "notes", json_truth(vm->has_notes));
	json_add(object, "functions", json_truth(vm->has_functions));
	json_add(object, "presumed", json_truth(is_presumed(f)));
	add_text(object, "container", f->target->container);
	add_text(object, "exe", f->target->exe);
	json_add_number(object, "probes_usdt", f->usdt);
	json_add_number(object, "probes_symbol", f->symbol);
	json_add_number(object, "probes_matched", f->matched);
	json_add_number(object, "functions_found", f->functions);
	json_add_number(object, "functions_wanted", f->functions_wanted);
	add_tools(object, f);
	json_add(object, "leftovers", leftover_report_json(&f->leftovers));
	add_text(object, "to_do", advice(f));
	return object;
}

/* Processes that could not be looked at in time, BEAMs or not. */
static void add_unread(void *list, const struct quarantined *process)
{
	struct json_object *one = json_new();

	json_add(one, "os_pid", json_signed(process->pid));
	add_text(one, "why", process->why);
	json_push(list, one);
}

static void print_unread(void *data, const struct quarantined *process)
{
	(void)data;
	printf("\nprocess %d is left alone: %s\n", process->pid, process->why);
}

static void print_json(const struct kernel *kernel, const char *refusal, const struct finding *findings, size_t count)
{
	struct json_object *object = json_new(), *targets = json_new_list();
	struct json_object *unread = json_new_list();

	json_add(object, "schema", json_signed(DOCTOR_SCHEMA));
	add_text(object, "type", "doctor");
	json_add(object, "kernel", make_kernel(kernel, refusal));
	for (size_t i = 0; i < count; i++)
		json_push(targets, make_finding(&findings[i]));
	json_add(object, "targets", targets);
	quarantine_each(add_unread, unread);
	json_add(object, "unread", unread);
	json_line_put(stdout, object);
}

static int verdict(const char *refusal, const struct finding *findings, size_t count)
{
	size_t usable = 0;

	for (size_t i = 0; i < count; i++)
		usable += findings[i].usdt || findings[i].symbol || findings[i].matched;
	if (refusal)
		return EXIT_NO_PRIVILEGE;
	return usable ? EXIT_OK : EXIT_NO_TARGET;
}

static void print(const struct options *options, const struct kernel *kernel, const struct finding *findings,
		  size_t count)
{
	const char *refusal = kernel_refusal(kernel);
	char none[NO_NODES_SIZE];

	if (options->format == SINK_JSON) {
		print_json(kernel, refusal, findings, count);
		return;
	}
	print_kernel(kernel, refusal);
	for (size_t i = 0; i < count; i++)
		print_finding(&findings[i]);
	quarantine_each(print_unread, NULL);
	if (!count)
		printf("\n%s\n", command_no_nodes(options, none));
}

static int diagnose(const struct options *options, const struct target_list *targets)
{
	_cleanup_free_ struct finding *findings = calloc(targets->count + 1, sizeof(*findings));
	struct kernel kernel;
	int err = !findings ? -ENOMEM : options->heal ? guardian_start() : 0, code = EXIT_FAILED;

	kernel_detect(&kernel);
	unprivileged_look(capabilities_to_attach(&kernel));
	debug_registers_refusal(false); /* tries them: what that takes is one of the costs */
	hit_costs_begin(&kernel);
	for (size_t i = 0; !err && i < targets->count; i++) {
		err = examine(targets->targets[i], &kernel, &findings[i]);
		leftover_report_make(targets->targets[i], &kernel, options->heal, kernel_refusal(&kernel),
				     &findings[i].leftovers);
	}
	if (err) {
		pr_err("cannot examine the nodes: %s", strerror(-err));
	} else {
		print(options, &kernel, findings, targets->count);
		code = verdict(kernel_refusal(&kernel), findings, targets->count);
	}
	for (size_t i = 0; findings && i < targets->count; i++)
		finding_free(&findings[i]);
	return code;
}

int command_doctor(const struct options *options)
{
	struct target_list targets = {};
	int code = nodes_find(options, &targets);

	if (code == EXIT_OK)
		code = diagnose(options, &targets);
	target_list_free(&targets);
	return code;
}
