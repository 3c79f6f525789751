/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `erlbpf --etf`: a port program. Erlang opens it with {packet, 4} and sends {Reference, Command, ...}; each command is
 * answered with {Reference, Reply}, and {ended, Status} is sent when a program has ended by itself. What commands and
 * replies there are is in probes/app/src/erlbpf_port.erl.
 */
#ifndef ERLBPF_ETF_PORT_H
#define ERLBPF_ETF_PORT_H

/* Until its input ends. An enum exit_code. */
int etf_main(void);

#endif
