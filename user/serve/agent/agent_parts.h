/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the agent share: its tools at work (agent_jobs.c), what it says of itself (agent_health.c), when it
 * reads them (agent_read.c), what it answers (agent_answers.c), and the loop that holds them together (agent.c).
 */
#ifndef ERLBPF_SERVE_AGENT_AGENT_PARTS_H
#define ERLBPF_SERVE_AGENT_AGENT_PARTS_H

#include "run/run.h"
#include "serve/agent/agent.h"
#include "serve/agent/agent_profile.h"
#include "serve/agent/findings.h"
#include "serve/agent/history.h"
#include "serve/http/http.h"
#include "serve/metrics/metrics.h"
#include "serve/http/notify.h"
#include "serve/agent/overhead.h"
#include "serve/agent/process_table.h"
#include "target/pod.h"
#include "serve/metrics/push.h"
#include "serve/profiles/push_profiles.h"
#include "serve/scripts/scripts.h"
#include "serve/scripts/users.h"
#include "serve/agent/vitals.h"

#define AGENT_FRESH_NS (3 * NS_PER_S) /* what was read so lately is not read again for another scrape */
#define AGENT_MOST_PODS 512

/* A tool at work, and where its results go. The run is first: its sink leads back here. */
struct job {
	struct run run;
	struct options options;
	struct agent *agent;
	struct metric_family *family; /* NULL: it has no histogram */
	struct erl_count *told;	      /* hits by probe that are in the metrics already */
	bool is_on;
	bool is_in_windows;
	int code; /* enum exit_code of the last search for targets */
};

/* A process whose labels are known. */
struct labelled {
	pid_t pid;
	uint64_t start_time;
	struct pod pod;
	uint64_t asked_ns;
	unsigned int asked;
};

enum answer_format { TEXT, OPENMETRICS, NATIVE, FORMATS };

/* What was answered last; as long as nothing else was read, it is the answer to others too. */
struct answer {
	struct http_body *body;
	uint64_t version;
};

struct agent {
	const struct agent_options *options;
	struct metrics *metrics;
	struct history *history;
	struct http *http;
	struct job *jobs;
	struct kernel kernel;
	struct overhead *overhead;
	struct push *push;		     /* NULL: nothing is pushed */
	struct push_profiles *push_profiles; /* the same */
	struct script_setup script_setup;
	struct scripts *scripts;   /* NULL: none are wanted */
	struct findings *findings; /* the same */
	struct agent_vitals *vitals;
	struct process_table *process_table;
	struct agent_profiles *profiles;
	struct users *users;   /* NULL: D is not for them */
	uint64_t looked_ns;    /* for scripts */
	char otp[16];	       /* text of a label of scripts */
	struct labelled *pods; /* room for AGENT_MOST_PODS */
	size_t pod_count;
	size_t traced; /* targets of all jobs, when memory was given back */
	struct answer answers[FORMATS];
	uint64_t version; /* of the metrics: each reading makes another */
	uint64_t read_ns, started_ns, scrapes, scraped_ns;
	double read_s;		    /* what the last reading took */
	struct event_loop *waiting; /* stopped when the agent is to end */
	struct event_loop *pacing;  /* a part of it while a tool runs in windows; else NULL */
	size_t turn;		    /* the job that had its window last */
	bool is_turned;		    /* what was counted before is to be read */
	bool is_in_turns;	    /* it is being read, and requests are answered between tools */
	bool is_yielding;	    /* amid other work: nothing but what needs no reading is answered */
	struct notify notify;
	bool is_ready;
	bool has_lost_probes; /* the guardian was killed */
};

/* Labels of a process, how many: `labels` has room for METRICS_LABELS, `otp` is the text of one and has room for 16. */
size_t agent_labels(struct agent *agent, const struct target *target, char *otp, struct metric_label *labels);

/* Its pod, which is asked for as long as it is not known; the agent's. */
const struct pod *agent_pod(struct agent *agent, const struct target *target);

/* A process that a job traces, or NULL. */
const struct target *job_target(const struct job *job, int os_id);

/* A process that is traced, as one of the jobs knows it, or NULL. */
const struct target *agent_target(const struct agent *agent, pid_t pid, uint64_t start_time);

/* Nodes that have got their names since they were found are known by them from now on. */
void job_settle_names(const struct job *job);

/* Can the tool leave out names where much is to be measured? */
bool job_has_detail(const struct tool *tool);

/* 0 or -errno. A job that has ended, or could not be started, can be started again. */
int job_start(struct job *job, struct agent *agent, const struct tool *tool, enum governor_level level);
void job_end(struct job *job);

/* Of one whose nodes are only prepared yet: it runs in windows, whose cost is such a share of a processor. */
void job_run_in_windows(struct job *job, double share);

/* What the job has counted since the last time is added to the metrics. */
void job_read(struct job *job, struct metric_family *hits, struct metric_family *lost);

/* What costs: the tools, then the scripts, by number. */
size_t agent_source_count(const struct agent *agent);
struct overhead_source agent_source(const struct agent *agent, size_t i);
void agent_sources(const struct agent *agent, struct overhead_source sources[AGENT_MOST_TOOLS + SCRIPTS_MOST]);
struct script *agent_script(const struct agent *agent, size_t source);

/* Health: of the agent itself, to its metrics. */
void agent_tell_health(struct agent *agent);

/* Answers to HTTP requests: `data` is the agent. What was rendered is forgotten when it is old. */
void agent_answer(void *data, const struct http_request *request, struct http_reply *reply);
void agent_forget_answers(struct agent *agent);

/* All that was counted up to now is in the metrics. */
void agent_read_now(struct agent *agent);

/* Each second: read what is wanted soon, without waiting. */
void agent_read_by_tick(struct agent *agent);

#endif
