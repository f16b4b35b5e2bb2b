/* SPDX-License-Identifier: Apache-2.0 */
/* How a model file starts: no text, and not to be taken for a file of data. */
#ifndef OF_IO_MODEL_MAGIC_H
#define OF_IO_MODEL_MAGIC_H

static const char of_model_magic[] = "\x89OFM\r\n\x1a\n";

#endif
