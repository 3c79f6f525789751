/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_TARGET_CONTAINER_H
#define ERLBPF_TARGET_CONTAINER_H

#define CONTAINER_ID_SIZE 65

/*
 * The container id in the text of /proc/PID/cgroup: the last run of exactly 64 hexadecimal digits,
 * which is what containerd, CRI-O, docker and podman name their groups with, under every driver.
 * "" if there is none.
 */
void container_id(const char *cgroup, char id[CONTAINER_ID_SIZE]);

#endif
