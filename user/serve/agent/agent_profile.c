// SPDX-License-Identifier: BSD-2-Clause
#include "serve/agent/agent_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "out/json_line.h"
#include "serve/agent/agent_parts.h"
#include "serve/profiles/profile_answer.h"
#include "serve/profiles/profile_hour.h"
#include "serve/profiles/profiler.h"

#define DEFAULT_NS (10 * NS_PER_S)
#define DEFAULT_PPROF_NS (30 * NS_PER_S) /* as in Go's net/http/pprof */
#define LEAST_NS (100 * NS_PER_MS)
#define MOST_NS (300 * NS_PER_S)
#define DEFAULT_HZ 99
#define MOST_HZ 999
#define SHARE 0.05 /* limit of the overhead of probes, unless the agent's is lower */

/* Pages of profiles run their inline scripts, in a sandbox without access to the agent's origin. */
#define PROFILE_POLICY                                                                                                 \
	"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "                 \
	"form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"

enum outcome { DONE, FAILED, CANCELLED, REFUSED, OUTCOMES };

#define MODES (PROFILING_WALL + 1)

static const char *const modes[MODES] = {
	[PROFILING_CPU] = "cpu",
	[PROFILING_OFF] = "off-cpu",
	[PROFILING_WALL] = "wall",
};

/* A parsed request. */
struct wanted {
	struct profiler_ask ask;
	bool is_past; /* samples of this period, in nanoseconds since 1970 */
	uint64_t from_ns, to_ns;
};

struct agent_profiles {
	struct agent *agent;
	struct profiler_setup setup;
	struct target_selector select; /* of the setup */
	struct pairs resource;	       /* the same */
	struct profiler *profiler;
	struct profile_hour *hour; /* NULL: not enabled */
	uint64_t counts[MODES][OUTCOMES];
	/* The profile in progress, or made and not fetched yet. */
	struct profiler_ask ask;
	uint64_t owner; /* number of the request; 0: none */
	int fd;		/* of the answer; -1: complete */
	uint64_t ends_ns;
	struct profile_answer_reading answer;
};

static int start(struct agent_profiles *p)
{
	int err = target_selector_copy(&p->select, &p->agent->options->run.select);

	if (!err && p->agent->options->push.profiles_url[0]) {
		err = push_resource(&p->resource, &p->agent->options->push.resource);
		p->setup.resource = &p->resource;
	}
	if (err)
		return err;
	p->profiler = profiler_new(&p->setup);
	err = p->profiler ? 0 : -errno;
	if (!err && p->agent->options->profile_hz) {
		p->hour = profile_hour_new(&p->setup, p->agent->options->profile_hz);
		err = p->hour ? 0 : -errno;
	}
	return err;
}

struct agent_profiles *agent_profiles_new(struct agent *agent)
{
	struct agent_profiles *p = calloc(1, sizeof(*p));
	double limit = agent->options->max_overhead;
	int err;

	if (!p)
		return NULL;
	p->agent = agent;
	p->fd = -1;
	p->setup.select = &p->select;
	p->setup.without_filter = agent->options->without_filter;
	p->setup.share = limit > 0 && limit < SHARE ? limit : SHARE;
	err = start(p);
	if (!err)
		return p;
	pr_err("cannot start the process that profiles: %s", strerror(-err));
	agent_profiles_free(p);
	return NULL;
}

/* --- One profile ------------------------------------------------------------------------------------------------ */

static void forget(struct agent_profiles *p)
{
	if (p->fd >= 0) {
		event_loop_remove(p->agent->waiting, p->fd);
		close(p->fd);
	}
	free(p->answer.body);
	p->answer = (struct profile_answer_reading){};
	p->fd = -1;
	p->owner = 0;
}

void agent_profiles_free(struct agent_profiles *p)
{
	if (!p)
		return;
	forget(p);
	profiler_free(p->profiler);
	profile_hour_free(p->hour);
	target_selector_free(&p->select);
	pairs_free(&p->resource);
	free(p);
}

struct profile_hour *agent_profiles_hour(const struct agent_profiles *p)
{
	return p->hour;
}

/* The answer is complete; `instead`: text that replaces it. */
static void finish(struct agent_profiles *p, unsigned int status, const char *instead)
{
	event_loop_remove(p->agent->waiting, p->fd);
	close(p->fd);
	p->fd = -1;
	if (instead) {
		free(p->answer.body);
		p->answer.body = strdup(instead);
		p->answer.head = (struct profile_answer_head){ .status = status,
							       .size = p->answer.body ? strlen(instead) : 0 };
	}
	p->counts[p->ask.mode][p->answer.head.status == 200 ? DONE : FAILED]++;
	http_wake(p->agent->http);
	http_run(p->agent->http);
}

static void on_answer(void *data, uint64_t times)
{
	struct agent_profiles *p = data;
	int state = profile_answer_take(&p->answer, p->fd);

	(void)times;
	if (state == -ENOMEM)
		finish(p, 503, "there is not enough memory for the profile\n");
	else if (state < 0)
		finish(p, 500, "the process that made the profile has ended\n");
	else if (state)
		finish(p, 0, NULL);
}

/* Profiles of the past are ready at once. */
static int send_ask(const struct agent_profiles *p, const struct wanted *wanted)
{
	struct profile_hour_ask ask = { .format = wanted->ask.format,
					.from_ns = wanted->from_ns,
					.to_ns = wanted->to_ns };

	if (!wanted->is_past)
		return profiler_ask(p->profiler, &wanted->ask);
	memcpy(ask.node, wanted->ask.node, sizeof(ask.node));
	return profile_hour_ask(p->hour, &ask);
}

static int begin(struct agent_profiles *p, const struct wanted *wanted, uint64_t owner)
{
	int fd = send_ask(p, wanted), err;

	if (fd < 0)
		return fd;
	err = event_loop_add(p->agent->waiting, fd, on_answer, p);
	if (err) {
		close(fd);
		return err;
	}
	p->ask = wanted->ask;
	p->owner = owner;
	p->fd = fd;
	p->ends_ns = duration_now() + wanted->ask.duration_ns;
	return 0;
}

void agent_profiles_tick(struct agent_profiles *p)
{
	if (!p->owner)
		return;
	if (!http_has_waiting(p->agent->http)) {
		/* The client has disconnected. */
		p->counts[p->ask.mode][CANCELLED] += p->fd >= 0;
		forget(p);
	} else if (p->fd >= 0 && duration_now() > p->ends_ns + PROFILER_LATE_S * NS_PER_S) {
		finish(p, 504, "the profile was not made in time\n");
	}
}

/* --- Requests --------------------------------------------------------------------------------------------------- */

static bool wants_json(const struct http_request *request)
{
	const char *format = http_argument(request, "format");

	return strstr(request->accept, "application/json") || (format && !strcmp(format, "json"));
}

/* An error as a line of text, or as JSON for clients that accept it. */
static void refuse(const struct http_request *request, struct http_reply *reply, unsigned int status, const char *why)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool is_json = wants_json(request);

	if (to && is_json) {
		struct json_object *object = json_new();

		json_add_text(object, "error", why);
		json_print(to, object);
	} else if (to) {
		fprintf(to, "%s\n", why);
	}
	if (!to || fclose(to)) {
		free(text);
		text = NULL;
	}
	reply->status = status;
	reply->type = is_json ? "application/json" : "text/plain; charset=utf-8";
	reply->body = text;
	reply->size = text ? size : 0;
}

static bool parse_mode(const char *text, enum profiling_mode *mode)
{
	for (int i = 0; text && i < MODES; i++) {
		if (!strcmp(text, modes[i])) {
			*mode = (enum profiling_mode)i;
			return true;
		}
	}
	return !text;
}

static bool parse_hz(const char *text, unsigned int *hz)
{
	char *end;
	unsigned long number = text ? strtoul(text, &end, 10) : DEFAULT_HZ;

	*hz = (unsigned int)number;
	return (!text || (*text >= '0' && *text <= '9' && !*end)) && number >= 1 && number <= MOST_HZ;
}

/* Parses seconds since 1970. */
static bool parse_moment(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = text && *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;

	if (seconds < 0 || seconds > 1e10 || *end)
		return false;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

/* last=10m, or from=...&to=... */
static const char *parse_past(const struct agent_profiles *p, const struct http_request *request, struct wanted *wanted)
{
	const char *last = http_argument(request, "last"), *from = http_argument(request, "from");
	const char *to = http_argument(request, "to");
	uint64_t length = 0;

	wanted->is_past = last || from || to;
	if (!wanted->is_past)
		return NULL;
	if (!p->hour)
		return "last, from and to: the agent does not keep profiles; start it with --profile-hz 19";
	wanted->ask.duration_ns = 0;
	wanted->to_ns = duration_now() + duration_wall_offset();
	if (last && (from || to || duration_parse(last, NS_PER_S, &length)))
		return "last: expected a time, such as 600 or 10m, and neither from nor to";
	if (last)
		wanted->from_ns = length < wanted->to_ns ? wanted->to_ns - length : 0;
	if ((from && !parse_moment(from, &wanted->from_ns)) || (to && !parse_moment(to, &wanted->to_ns)))
		return "from and to: expected seconds since 1970";
	if (wanted->ask.mode != PROFILING_CPU)
		return "mode: only processor time is kept";
	return wanted->from_ns <= wanted->to_ns ? NULL : "from and to: the end is before the beginning";
}

/* NULL, or the error in the query. Scrapers of pprof add parameters of other servers, which are ignored. */
static const char *parse(const struct http_request *request, struct profiler_ask *ask)
{
	static const char *const known[] = { "seconds", "mode", "node", "hz", "format", "last", "from", "to", NULL };
	bool is_pprof = !strcmp(request->path, PROFILE_PATH_PPROF);
	const char *seconds = http_argument(request, "seconds"), *node = http_argument(request, "node");
	const char *format = http_argument(request, "format");

	*ask = (struct profiler_ask){
		.format = is_pprof ? PROFILE_PPROF : PROFILE_HTML,
		.duration_ns = is_pprof ? DEFAULT_PPROF_NS : DEFAULT_NS,
	};
	if (!is_pprof && !http_has_only(request, known))
		return "expected seconds, mode, node, hz, format, last, from or to, each with a value";
	if (seconds && duration_parse(seconds, NS_PER_S, &ask->duration_ns))
		return "seconds: expected a time, such as 10 or 500ms";
	if (ask->duration_ns < LEAST_NS || ask->duration_ns > MOST_NS)
		return "seconds: expected a time from 0.1 to 300 seconds";
	if (!parse_mode(http_argument(request, "mode"), &ask->mode))
		return "mode: expected cpu, off-cpu or wall";
	if (!parse_hz(http_argument(request, "hz"), &ask->frequency))
		return "hz: expected a number from 1 to 999";
	if (!is_pprof && format && !profile_format_find(format, &ask->format))
		return "format: expected html, svg, text, folded, pprof, speedscope or json";
	if (node && strlen(node) >= sizeof(ask->node))
		return "node: the name is too long";
	memcpy(ask->node, node ? node : "", node ? strlen(node) + 1 : 1);
	return NULL;
}

/* Moves the answer to the reply. */
static void give(struct agent_profiles *p, const struct http_request *request, struct http_reply *reply)
{
	if (p->answer.head.status != 200) {
		if (p->answer.body)
			p->answer.body[strcspn(p->answer.body, "\n")] = '\0';
		refuse(request, reply, p->answer.head.status,
		       p->answer.body ? p->answer.body : "there is not enough memory");
	} else {
		reply->type = profile_format_type(p->ask.format);
		reply->policy = PROFILE_POLICY;
		reply->body = p->answer.body;
		reply->size = p->answer.head.size;
		p->answer.body = NULL;
	}
	forget(p);
}

/* Another client is waiting for a profile. */
static void refuse_second(struct agent_profiles *p, const struct http_request *request, struct http_reply *reply)
{
	uint64_t now = duration_now(), left = p->ends_ns > now ? p->ends_ns - now : 0;

	reply->retry_after = (unsigned int)(left / NS_PER_S) + 1;
	refuse(request, reply, 429, "another profile is being made, and only one is at a time; Retry-After says when");
}

void agent_profiles_answer(struct agent_profiles *p, const struct http_request *request, struct http_reply *reply)
{
	struct wanted wanted = {};
	const char *problem;

	if (p->owner == request->id && p->fd >= 0) {
		reply->is_waiting = true;
		return;
	}
	if (p->owner == request->id) {
		give(p, request, reply);
		return;
	}
	problem = parse(request, &wanted.ask);
	if (!problem)
		problem = parse_past(p, request, &wanted);
	if (request->is_foreign || request->is_head) {
		refuse(request, reply, request->is_head ? 405 : 403,
		       request->is_head ? "only GET is supported" : "a page of another site may not ask for a profile");
	} else if (problem) {
		refuse(request, reply, 400, problem);
	} else if (p->owner) {
		p->counts[wanted.ask.mode][REFUSED]++;
		refuse_second(p, request, reply);
	} else if (begin(p, &wanted, request->id)) {
		p->counts[wanted.ask.mode][FAILED]++;
		refuse(request, reply, 500, "the process that makes profiles has ended; the agent must be restarted");
	} else {
		reply->is_waiting = true;
	}
}

static void tell_hour(const struct agent_profiles *p)
{
	struct metrics *metrics = p->agent->metrics;
	struct profile_hour_state state;

	if (!p->hour)
		return;
	state = profile_hour_state(p->hour);
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_profile_up",
				    "1 while the process of --profile-hz samples the nodes, 0 if it has ended.",
				    METRIC_GAUGE, UNIT_NONE, 1),
		     NULL, !profile_hour_is_lost(p->hour));
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_profile_samples", "Samples of nodes by --profile-hz.",
				    METRIC_COUNTER, UNIT_NONE, 1),
		     NULL, (double)state.samples);
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_profile_samples_lost",
				    "Samples by --profile-hz for which there was no room.", METRIC_COUNTER, UNIT_NONE,
				    1),
		     NULL, (double)state.lost);
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_profile_stored_bytes", "Size of the profiles of the last hour.",
				    METRIC_GAUGE, UNIT_BYTES, 1),
		     NULL, (double)state.bytes);
	metrics_tell(metrics,
		     metrics_family(metrics, "erlbpf_profile_stored_minutes",
				    "Profiles of the last hour that are kept, of a minute each.", METRIC_GAUGE,
				    UNIT_NONE, 1),
		     NULL, (double)state.slices);
}

void agent_profiles_tell(const struct agent_profiles *p)
{
	static const char *const outcomes[OUTCOMES] = { "done", "failed", "cancelled", "refused" };
	struct metric_family *family = metrics_family(p->agent->metrics, "erlbpf_profiles",
						      "Profiles that were asked for, by what became of them.",
						      METRIC_COUNTER, UNIT_NONE, 1);

	tell_hour(p);
	for (int mode = 0; family && mode < MODES; mode++) {
		for (int i = 0; i < OUTCOMES; i++) {
			struct metric_label labels[] = { { "mode", modes[mode] }, { "outcome", outcomes[i] } };

			metrics_set(p->agent->metrics, family, labels, 2, (double)p->counts[mode][i]);
		}
	}
}
