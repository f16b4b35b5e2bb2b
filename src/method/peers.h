/* SPDX-License-Identifier: Apache-2.0 */
/* Every method there is, each in its own file; the registry lists them. */
#ifndef OF_METHOD_PEERS_H
#define OF_METHOD_PEERS_H

#include "method/method.h"

extern const of_method of_method_os_lfmvc_cs;
extern const of_method of_method_onefold;
extern const of_method of_method_avg_kkm;
extern const of_method of_method_sb_kkm;
extern const of_method of_method_mkkm;
extern const of_method of_method_rmsc;
extern const of_method of_method_fmkkm;
extern const of_method of_method_fmr;
extern const of_method of_method_lsgmc;

#endif
