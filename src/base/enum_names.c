/* SPDX-License-Identifier: Apache-2.0 */
/* The words for the values of the public enums, each list in the order of its enum. */
#include "onefold.h"

#define NAME(words, value)                                                                         \
    ((int)(value) >= 0 && (size_t)(value) < sizeof(words) / sizeof *(words) ? (words)[value] : NULL)

const char *onefold_storage_name(onefold_storage storage)
{
    static const char *const words[] = {"dense", "sparse", "kernel"};
    return NAME(words, storage);
}

const char *onefold_type_name(onefold_type type)
{
    static const char *const words[] = {"float64", "float32", "int8",   "uint8", "int16",
                                        "uint16",  "int32",   "uint32", "int64", "uint64"};
    return NAME(words, type);
}

const char *onefold_impute_name(onefold_impute impute)
{
    static const char *const words[] = {"none", "mean", "median", "model"};
    return NAME(words, impute);
}

const char *onefold_start_name(onefold_start start)
{
    static const char *const words[] = {"aligned", "paper"};
    return NAME(words, start);
}

const char *onefold_variant_name(onefold_variant variant)
{
    static const char *const words[] = {"exact", "printed"};
    return NAME(words, variant);
}

const char *onefold_stop_name(onefold_stop stop)
{
    static const char *const words[] = {"relative", "paper", "settled"};
    return NAME(words, stop);
}

const char *onefold_base_name(onefold_base base)
{
    static const char *const words[] = {"auto", "exact", "nystrom"};
    return NAME(words, base);
}

const char *onefold_precision_name(onefold_precision precision)
{
    static const char *const words[] = {"double", "single"};
    return NAME(words, precision);
}

const char *onefold_route_name(onefold_route route)
{
    static const char *const words[] = {"none",  "gram",    "krylov",   "dense",
                                        "tiles", "nystrom", "landmarks"};
    return NAME(words, route);
}

const char *onefold_prep_name(onefold_prep prep)
{
    static const char *const words[] = {"none", "standardise", "tf-idf"};
    return NAME(words, prep);
}

const char *onefold_kmeans_start_name(onefold_kmeans_start start)
{
    static const char *const words[] = {"plusplus", "samples"};
    return NAME(words, start);
}

const char *onefold_measure_name(onefold_measure measure)
{
    static const char *const words[] = {"acc", "nmi", "purity", "ari"};
    return NAME(words, measure);
}
