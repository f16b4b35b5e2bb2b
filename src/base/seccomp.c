/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of system calls: a list of what is allowed, and EPERM for everything else. */
#include "base/seccomp.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

int of_seccomp_works(void)
{
    unsigned action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
/* Allows a call; allows it where the low word of an argument has a value, or lacks bits; refuses it
 * in all other cases. The number of the call is loaded before and after. */
#define CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), ALLOW
#define CALL_WITH(number, argument, value)                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4), LOAD(args[argument]),                 \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), ALLOW, REFUSE
#define CALL_WITHOUT(number, argument, bits)                                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4), LOAD(args[argument]),                 \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0), ALLOW, REFUSE

int of_seccomp_set(int may_open)
{
    /* Calls of the x32 interface have numbers of their own, and so are not in the list. */
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSE,
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, may_open ? SYS_prctl : -1, 0, 4), /* a further filter */
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
        ALLOW,
        REFUSE,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, may_open ? SYS_openat : -1, 0, 4),
        LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 1,
                 0),
        ALLOW,
        REFUSE,
#ifdef SYS_readlink
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, may_open ? SYS_readlink : -1, 0, 1),
        ALLOW,
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, may_open ? SYS_readlinkat : -1, 0, 1),
        ALLOW,
        CALL(read),
        CALL(pread64),
        CALL(write), /* to what is open: the parent */
        CALL(lseek),
        CALL(fstat),
        CALL(newfstatat),
        CALL(fcntl),
        CALL(flock),
        CALL(close),
        CALL_WITHOUT(mmap, 2, PROT_EXEC),
        CALL_WITHOUT(mprotect, 2, PROT_EXEC),
        CALL(munmap),
        CALL(mremap),
        CALL(madvise),
        CALL(brk),
        CALL(futex),
        CALL(getrandom),
        CALL(clock_gettime),
        CALL(clock_nanosleep),
        CALL(gettimeofday),
        CALL(getpid),
        CALL(gettid),
        CALL_WITH(tgkill, 0, (unsigned)getpid()), /* a crash of its own */
        CALL_WITH(prlimit64, 0, 0),
        CALL(rt_sigaction),
        CALL(rt_sigprocmask),
        CALL(rt_sigreturn),
        CALL(exit),
        CALL(exit_group),
        REFUSE,
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* refused once it is set */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

int of_seccomp_works(void)
{
    return 0;
}

int of_seccomp_set(int may_open)
{
    (void)may_open;
    return 0;
}

#endif
