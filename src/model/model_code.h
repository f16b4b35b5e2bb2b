/* SPDX-License-Identifier: Apache-2.0 */
/* What the bytes of a model are, from behind the head of its file to before the checksum. */
#ifndef OF_MODEL_MODEL_CODE_H
#define OF_MODEL_MODEL_CODE_H

#include "model/codec.h"
#include "model/model.h"

/* Format 3 added landmark graphs and names of columns to format 2; format 4 has several sources of
 * a view, and partitions over several views. */
enum {
    OF_MODEL_FORMAT = 5,
    OF_MODEL_FORMAT_ALIKE = 4, /* terms of a partition have no weights of their own */
    OF_MODEL_FORMAT_VIEWS = 3,
    OF_MODEL_FORMAT_NAMELESS = 2
};

/* Counts, writes or reads, as the codec says. */
onefold_status of_model_code(of_codec *codec, onefold_model *model);

#endif
