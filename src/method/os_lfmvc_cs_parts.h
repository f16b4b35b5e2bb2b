/* SPDX-License-Identifier: Apache-2.0 */
/* The solver of OS-LFMVC-CS has one header. */
#include "method/os_lfmvc_cs.h"
