// SPDX-License-Identifier: BSD-2-Clause
#include "cli/leftover_report.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/text.h"
#include "out/json_line.h"

#define MOST_LOOKUPS 64 /* each goes through all symbols, which are a hostile file's */
#define HEAL_BUDGET (60 * NS_PER_S)

/* Each once: sites are in the order of their addresses. */
static void find_functions(const struct target *target, struct leftover_report *report)
{
	const struct image_symbol *last = NULL;
	int lookups = 0;

	for (size_t i = 0; i < report->left.site_count && report->function_count <= LEFTOVER_FUNCTIONS; i++) {
		uint64_t address = report->left.sites[i].address;
		const struct image_symbol *s;

		if (last && address - last->address < last->size)
			continue;
		if (++lookups > MOST_LOOKUPS)
			break;
		s = text_function(target->vm->image, address);
		if (!s || s == last)
			continue;
		if (report->function_count < LEFTOVER_FUNCTIONS)
			report->functions[report->function_count] = s;
		report->function_count++;
		last = s;
	}
}

static void mend(const struct target *target, const struct kernel *kernel, const char *refusal,
		 struct leftover_report *report)
{
	struct heal_request request = {
		.target = target,
		.kernel = kernel,
		.budget_ns = HEAL_BUDGET,
		.sets_semaphores = true,
	};
	int err = refusal ? 0 : heal(&request, &report->left, &report->healed);

	report->was_healed = !refusal && !err && !report->healed.why;
	report->why = refusal ? refusal : err ? leftovers_error(err) : report->healed.why;
	if (report->was_healed && report->left.site_count && report->healed.refused)
		report->why = strerror(-report->healed.err);
}

void leftover_report_make(const struct target *target, const struct kernel *kernel, bool heals, const char *refusal,
			  struct leftover_report *report)
{
	int err;

	*report = (struct leftover_report){};
	err = leftovers_find(target, &report->left);
	if (err)
		report->why = leftovers_error(err);
	else if (heals)
		mend(target, kernel, refusal, report);
	find_functions(target, report);
}

void leftover_report_free(struct leftover_report *report)
{
	leftovers_free(&report->left);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static const char *explanation(const struct leftover_report *report)
{
	if (report->was_healed && report->why)
		return "in use by a tracer that runs now, or refused by the kernel";
	return report->was_healed ? "in use by a tracer that runs now"
				  : "of a tracer that runs now, or left behind by one that was killed; "
				    "`erlbpf doctor --heal` removes what no tracer uses";
}

/* " (erts_schedule, erts_send_message, ...)" */
static void name_functions(const struct leftover_report *report, char *to, size_t size)
{
	size_t shown = report->function_count < LEFTOVER_FUNCTIONS ? report->function_count : LEFTOVER_FUNCTIONS;
	size_t used = 0;

	to[0] = '\0';
	for (size_t i = 0; i < shown && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%.60s", i ? ", " : " (",
					 report->functions[i]->name);
	if (shown && used < size)
		snprintf(to + used, size - used, "%s)", report->function_count > shown ? ", ..." : "");
}

static void print_left(const struct leftover_report *report, void (*print)(const char *title, const char *text))
{
	size_t breakpoints = leftovers_of_kind(&report->left, TEXT_BREAKPOINT);
	size_t calls = leftovers_of_kind(&report->left, TEXT_CALL);
	size_t torn = leftovers_of_kind(&report->left, TEXT_TORN), raised = leftovers_raised(&report->left);
	char functions[512], line[1024];

	name_functions(report, functions, sizeof(functions));
	if (breakpoints || raised) {
		snprintf(line, sizeof(line), "%zu breakpoint%s and %zu raised semaphore%s%s: %s", breakpoints,
			 plural(breakpoints), raised, plural(raised), functions, explanation(report));
		print("changed", line);
	}
	if (calls) {
		snprintf(line, sizeof(line),
			 "%zu call%s in the place of a nop: of another tracer that runs now, or left behind by the "
			 "kernel until the node is restarted",
			 calls, plural(calls));
		print("changed", line);
	}
	if (torn) {
		snprintf(line, sizeof(line),
			 "%zu instruction%s half changed: hits are slow until the node is restarted", torn,
			 plural(torn));
		print("changed", line);
	}
}

void leftover_report_print(const struct leftover_report *report, void (*print)(const char *title, const char *text))
{
	char line[256];

	if (report->healed.breakpoints || report->healed.semaphores) {
		snprintf(line, sizeof(line), "removed %zu breakpoint%s and lowered %zu semaphore%s that no tracer uses",
			 report->healed.breakpoints, plural(report->healed.breakpoints), report->healed.semaphores,
			 plural(report->healed.semaphores));
		print("healed", line);
	}
	print_left(report, print);
	if (report->why) {
		snprintf(line, sizeof(line), "breakpoints and semaphores: %s", report->why);
		print("unknown", line);
	}
}

struct json_object *leftover_report_json(const struct leftover_report *report)
{
	struct json_object *object = json_new(), *healed = NULL;
	struct json_object *functions = json_new_list();

	json_add_number(object, "breakpoints", leftovers_of_kind(&report->left, TEXT_BREAKPOINT));
	json_add_number(object, "semaphores", leftovers_raised(&report->left));
	json_add_number(object, "calls", leftovers_of_kind(&report->left, TEXT_CALL));
	json_add_number(object, "torn", leftovers_of_kind(&report->left, TEXT_TORN));
	json_add(object, "functions", functions);
	for (size_t i = 0; i < report->function_count && i < LEFTOVER_FUNCTIONS; i++) {
		json_push(functions, json_text(report->functions[i]->name));
	}
	if (report->was_healed) {
		healed = json_new();
		json_add_number(healed, "breakpoints", report->healed.breakpoints);
		json_add_number(healed, "semaphores", report->healed.semaphores);
	}
	json_add(object, "healed", healed);
	json_add_text(object, "why", report->why);
	return object;
}
