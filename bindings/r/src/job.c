/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: contexts with hooks that ask R for interrupts, and the end of a job however it comes. */
#include "onefold_r.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ask_every = 0.03; /* seconds between two questions for an interrupt */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void ask(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

/* R leaves R_CheckUserInterrupt by a jump where there is an interrupt; it must not jump through the
 * library, and is caught here. */
static int cancel(void *user)
{
    job *self = user;
    double time = now();
    if (self->interrupted || self->trouble)
        return 1;
    if (time - self->asked < ask_every)
        return 0;
    self->asked = time;
    self->interrupted = !R_ToplevelExec(ask, NULL);
    return self->interrupted;
}

static void progress(void *user, const onefold_progress *at)
{
    job *self = user;
    int failed = 0;
    if (self->interrupted || self->trouble)
        return;
    SEXP call =
        PROTECT(Rf_lang5(entry(self->request, "progress"), PROTECT(text_of(at->stage)),
                         PROTECT(Rf_ScalarReal(at->done)), PROTECT(Rf_ScalarReal(at->total)),
                         PROTECT(text_of(at->detail ? at->detail : ""))));
    R_tryEvalSilent(call, R_GlobalEnv, &failed);
    UNPROTECT(5);
    if (failed)
        self->trouble = strdup(R_curErrorBuf());
}

SEXP job_failure(const job *self, onefold_status status)
{
    SEXP list = PROTECT(list_new(3));
    const char *hint = onefold_last_hint();
    if (self->trouble) {
        list_add(list, "status", text_of("progress"));
        list_add(list, "message", text_of(self->trouble));
        hint = "";
    } else {
        list_add(list, "status", text_of(onefold_name(ONEFOLD_NAMES_STATUS, status)));
        list_add(list, "message", text_of(onefold_last_error()));
    }
    list_add(list, "hint", text_of(hint));
    Rf_setAttrib(list, R_ClassSymbol, PROTECT(text_of("onefold_failure")));
    UNPROTECT(2);
    return list;
}

static SEXP begin(void *user)
{
    job *self = user;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = self;
    hooks.cancel = cancel;
    if (Rf_isFunction(entry(self->request, "progress")))
        hooks.progress = progress;
    size_t threads = 0;
    option_size(self->request, "threads", &threads);
    onefold_status status = onefold_context_create(&self->context, &hooks);
    if (status == ONEFOLD_OK)
        status = onefold_context_set_threads(self->context, (int)threads);
    return status == ONEFOLD_OK ? self->work(self) : job_failure(self, status);
}

static void end(void *user)
{
    job *self = user;
    onefold_choice_free(self->choice);
    onefold_experiment_free(self->experiment);
    onefold_model_free(self->model);
    onefold_result_free(self->result);
    onefold_dataset_free(self->data);
    onefold_free(self->bytes);
    onefold_free(self->text);
    onefold_context_free(self->context);
    free(self->trouble);
}

SEXP job_run(SEXP request, SEXP (*work)(job *))
{
    job self = {.request = request, .work = work};
    SEXP answer = PROTECT(R_ExecWithCleanup(begin, &self, end, &self));
    if (self.interrupted) {
        /* the interrupt that ended the work goes on its way, now that all is freed */
        raise(SIGINT);
        R_CheckUserInterrupt();
    }
    UNPROTECT(1);
    return answer;
}
