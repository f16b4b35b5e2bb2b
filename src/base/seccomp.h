/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may still ask of the kernel, where the kernel has seccomp. */
#ifndef OF_BASE_SECCOMP_H
#define OF_BASE_SECCOMP_H

/* Whether the kernel filters system calls, and this machine's are known here. */
int of_seccomp_works(void);

/* From now on this process may read what is open, use memory and end; every other call of the
 * system fails with EPERM: it starts no program, has no socket, traces nobody, maps no code and
 * opens nothing. `may_open`: files may still be opened for reading, and a further filter set. It
 * cannot be undone. Returns 0 where nothing is filtered. */
int of_seccomp_set(int may_open);

#endif
