// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: logger_std_h.erl and logger_disk_log_h.erl, which register "logger_std_h_" and the name of the handler;
 * logger_server.erl, logger_proxy.erl, user_sup.erl, kernel.erl, disk_log_server.erl; Elixir's Logger and lager.
 */
#include "why/processes/system_servers.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum system_server service;
	bool is_begin; /* a prefix of several names */
} services[] = {
	{ "logger_std_h_", SERVICE_LOG, true },
	{ "logger_disk_log_h_", SERVICE_LOG, true },
	{ "logger", SERVICE_LOG, false },
	{ "logger_proxy", SERVICE_LOG, false },
	{ "error_logger", SERVICE_LOG, false },
	{ "Elixir.Logger", SERVICE_LOG, false },
	{ "Logger", SERVICE_LOG, false },
	{ "lager_event", SERVICE_LOG, false },
	{ "user", SERVICE_IO, false },
	{ "user_drv", SERVICE_IO, false },
	{ "standard_error", SERVICE_IO, false },
	{ "file_server_2", SERVICE_IO, false },
	{ "disk_log_server", SERVICE_IO, false },
	{ "code_server", SERVICE_CODE, false },
};

enum system_server system_server_of(const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++) {
		size_t length = strlen(services[i].name);

		if (services[i].is_begin ? !strncmp(name, services[i].name, length) : !strcmp(name, services[i].name))
			return services[i].service;
	}
	return SERVICE_NONE;
}
