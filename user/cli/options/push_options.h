/* SPDX-License-Identifier: BSD-2-Clause */
/* Where to push to, from the command line and OpenTelemetry's variables. */
#ifndef ERLBPF_CLI_OPTIONS_PUSH_OPTIONS_H
#define ERLBPF_CLI_OPTIONS_PUSH_OPTIONS_H

#include "serve/metrics/push.h"

/* Each returns NULL, or what is wrong in words. */
const char *push_options_url(struct push_options *options, const char *text);
const char *push_options_interval(struct push_options *options, const char *text);
const char *push_options_header(struct push_options *options, const char *text);

/*
 * After the options: OTEL_EXPORTER_OTLP_HEADERS, a place for tokens that the list of processes does not show, and
 * OTEL_RESOURCE_ATTRIBUTES. What an option said goes before that.
 */
const char *push_options_environment(struct push_options *options);

#endif
