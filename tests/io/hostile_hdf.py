# SPDX-License-Identifier: Apache-2.0
"""hostile_hdf.py COMMAND FOLDER COMPILER: HDF5 files that reach out, overrun or swell, each read by the command.
hostile_hdf.py --make FOLDER: only makes them, as seeds of fuzzing. Needs h5py; ends with 77 without it."""
import glob
import os
import resource
import subprocess
import sys
import zlib

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: there is no h5py")
    sys.exit(77)

NAMES = ["a", "b", "c", "d"]
BAD, MEMORY, NO_FILE, UNSUPPORTED = 3, 4, 5, 6
HUGE = 2_800_000_000


# ---- what files are made of -------------------------------------------------------------------------

def encoded(place, name, kind, value=None, **more):
    made = place.create_group(name) if value is None else place.create_dataset(name, data=value, **more)
    made.attrs["encoding-type"], made.attrs["encoding-version"] = kind, "0.2.0"
    return made


def frame(place, name, names):
    made = encoded(place, name, "dataframe")
    made.attrs["_index"] = "_index"
    encoded(made, "_index", "string-array", names, dtype=h5py.string_dtype())


def cells(f):
    """A whole .h5ad of four cells and two genes."""
    f.attrs["encoding-type"], f.attrs["encoding-version"] = "anndata", "0.1.0"
    frame(f, "obs", NAMES)
    frame(f, "var", ["g", "h"])
    encoded(f, "X", "array", np.arange(8.0).reshape(4, 2))
    encoded(encoded(f, "layers", "dict"), "counts", "array", np.arange(8.0).reshape(4, 2))


def matrix(f, name="X"):
    f.create_dataset(name, data=np.arange(12.0).reshape(3, 4)).attrs["MATLAB_class"] = np.bytes_("double")


def fixed_list(name, count=1000, word=b"array"):
    """An attribute of many texts of a fixed length, where one is expected."""
    def change(f):
        place = f["X"] if name != "_index" else f["obs"]
        del place.attrs[name]
        place.attrs.create(name, np.full(count, word), dtype=h5py.string_dtype("ascii", len(word)))
    return change


def zeros_packed(size):
    """zlib's stream of `size` zeros, without making them: one piece, again and again."""
    piece = 1 << 20
    packer = zlib.compressobj(9)
    first = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    middle = packer.compress(bytes(piece)) + packer.flush(zlib.Z_FULL_FLUSH)
    count = size // piece
    rest = zlib.compressobj(9, zlib.DEFLATED, -15)
    last = rest.compress(bytes(size - count * piece)) + rest.flush()
    check = ((size % 65521) << 16 | 1).to_bytes(4, "big")
    return first + middle * (count - 1) + last + check


def put_chunk(f, name, chunk, shape):
    """A dataset of one chunk of zeros, which may be far larger than the dataset."""
    data = f.create_dataset(name, shape, "u1", chunks=chunk, maxshape=(None,) * len(shape), compression="gzip")
    data.id.write_direct_chunk((0,) * len(shape), zeros_packed(int(np.prod(chunk, dtype="u8"))))
    return data


def put_heap(f, name, count, length):
    """A dataset of `count` texts that are all one text of the heap, `length` long."""
    kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple((count,))
    data = h5py.h5d.create(f.id, name.encode(), kind, space, made)
    f[name][0] = "x" * length
    f[name].attrs["encoding-type"], f[name].attrs["encoding-version"] = "string-array", "0.2.0"
    return data.get_offset(), count


# ---- the files: what is done to a whole one, the status, words of the message -----------------------

def external_link(f):
    del f["X"]
    f["X"] = h5py.ExternalLink("other.h5", "/X")


def external_link_aside(f):
    f.create_group("uns")["deep"] = h5py.ExternalLink("fifo", "/X")


def link_into_external(f):
    del f["X"]
    f["outside"] = h5py.ExternalLink("other.h5", "/")
    f["X"] = h5py.SoftLink("/outside/X")


def external_storage(f):
    del f["X"]
    encoded(f, "X", "array", np.zeros((4, 2), "u1"), external=[(os.path.abspath("secret"), 0, 8)])


def virtual(f):
    del f["X"]
    layout = h5py.VirtualLayout((4, 2), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "X", (4, 2))
    f.create_virtual_dataset("X", layout).attrs["encoding-type"] = "array"


def virtual_of_itself(f):
    del f["X"]
    layout = h5py.VirtualLayout((4, 2), "f8")
    layout[:] = h5py.VirtualSource(".", "layers/counts", (4, 2))
    f.create_virtual_dataset("X", layout).attrs["encoding-type"] = "array"


def link_inside(f):
    del f["X"]
    f["Y"] = h5py.SoftLink("/layers/counts")
    f["X"] = h5py.SoftLink("/Y")


def cycle_of_groups(f):
    f["layers/self"] = f["/"]
    f["uns"] = h5py.SoftLink("/uns")


def cycle_of_links(f):
    del f["X"]
    f["X"] = h5py.SoftLink("/Y")
    f["Y"] = h5py.SoftLink("/X")


def link_to_nothing(f):
    del f["X"]
    f["X"] = h5py.SoftLink("/nothing")


def unknown_filter(f):
    del f["X"]
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    made.set_chunk((4, 2))
    made.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, ())
    h5py.h5d.create(f.id, b"X", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((4, 2)), made)
    f["X"].attrs["encoding-type"] = "array"


def huge_chunk(f):
    del f["X"]
    put_chunk(f, "X", (1400, HUGE // 1400), (4, 2)).attrs["encoding-type"] = "array"


def huge_matrix(f):
    del f["X"]
    put_chunk(f, "X", (4, HUGE // 4), (4, HUGE // 4)).attrs["encoding-type"] = "array"


def large_matrix(f):
    del f["X"]
    encoded(f, "X", "array", np.ones((4, 5_000_000)), compression="gzip")


def three_matrices(f):
    for name in "uvw":
        encoded(f["layers"], name, "array", np.ones((4, 1_000_000)), compression="gzip")


def shared_texts(f):
    del f["obs/_index"]
    return put_heap(f, "obs/_index", 80_000, 65_000)


def small_chunk(f):
    del f["X"]
    put_chunk(f, "X", (1400, 10_000), (4, 2)).attrs["encoding-type"] = "array"


def few_shared_texts(f):
    del f["obs/_index"]
    return put_heap(f, "obs/_index", 500, 5000)


def shared_modalities(f):
    del f["X"], f["layers"]
    f.attrs["encoding-type"] = "MuData"
    mod = f.create_group("mod")
    for i in range(200):
        mod.create_group(f"m{i}")
    mod.attrs["mod-order"] = [f"m{i}" for i in range(200)]


def mat_external(f):
    f["Y"] = h5py.ExternalLink("other.h5", "/X")


def mat_virtual(f):
    layout = h5py.VirtualLayout((3, 4), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "X", (3, 4))
    f.create_virtual_dataset("V", layout)


def mat_storage(f):
    f.create_dataset("E", (3, 4), "u1", external=[(os.path.abspath("secret"), 0, 12)])


def mat_hidden(f):
    """A sparse matrix that a cell refers to, with an external link in it."""
    hidden = f.create_group("#refs#/hidden")
    hidden.attrs["MATLAB_sparse"] = np.uint64(4)
    hidden["jc"] = h5py.ExternalLink("other.h5", "/jc")
    refs = np.array([hidden.ref], h5py.ref_dtype)[:, None]
    f.create_dataset("C", data=refs).attrs["MATLAB_class"] = np.bytes_("cell")


def mat_class(f):
    f["X"].attrs.create("MATLAB_class", np.full(4096, b"double"), dtype=h5py.string_dtype("ascii", 6))


def mat_chunk(f):
    put_chunk(f, "Z", (1400, HUGE // 1400), (3, 4))


def mat_cycle(f):
    data = f.create_dataset("C", (2, 1), h5py.ref_dtype)
    data[:, 0] = data.ref
    data.attrs["MATLAB_class"] = np.bytes_("cell")


def mat_inside(f):
    f["L"] = h5py.SoftLink("/X")
    f["group"] = f["/"]


# name, ending, change, status, words of the message, options of the command
LINK, STORAGE, VIRTUAL = "an external link", "external storage", "a virtual dataset"
FILES = (
    ("fixed-list", "h5ad", fixed_list("encoding-type"), BAD, "X: it is without an encoding", ()),
    ("fixed-list-long", "h5ad", fixed_list("encoding-type", 6000, b"array-of-8"), BAD, "X: it is without", ()),
    ("fixed-list-index", "h5ad", fixed_list("_index", 1000, b"_index"), BAD, "obs has no index", ()),
    ("external-link", "h5ad", external_link, BAD, "X: it is " + LINK, ()),
    ("external-link-aside", "h5ad", external_link_aside, BAD, "uns/deep: it is " + LINK, ()),
    ("link-into-external", "h5ad", link_into_external, BAD, "outside: it is " + LINK, ()),
    ("external-storage", "h5ad", external_storage, BAD, STORAGE, ()),
    ("virtual", "h5ad", virtual, BAD, "X: it is " + VIRTUAL, ()),
    ("virtual-of-itself", "h5ad", virtual_of_itself, BAD, "X: it is " + VIRTUAL, ()),
    ("link-inside", "h5ad", link_inside, 0, "", ()),
    ("cycle-of-groups", "h5ad", cycle_of_groups, 0, "", ()),
    ("cycle-of-links", "h5ad", cycle_of_links, BAD, "X: it is a link to nothing, or in a circle", ()),
    ("link-to-nothing", "h5ad", link_to_nothing, BAD, "X: it is a link to nothing, or in a circle", ()),
    ("unknown-filter", "h5ad", unknown_filter, UNSUPPORTED, "HDF5's filter 32001", ()),
    ("huge-chunk", "h5ad", huge_chunk, MEMORY, "reading it needs", ("--max-memory", "500M")),
    ("huge-chunk-unlimited", "h5ad", huge_chunk, (BAD, MEMORY), "X: ", ()),
    ("huge-matrix", "h5ad", huge_matrix, MEMORY, "reading it needs 2.8 GB", ("--max-memory", "500M")),
    ("large-matrix", "h5ad", large_matrix, MEMORY, "reading it needs 160 MB, and 100 MB are allowed",
     ("--max-memory", "100M")),
    ("three-matrices", "h5ad", three_matrices, MEMORY, "reading it needs 96 MB, and 80 MB are allowed",
     ("--max-memory", "80M", "--views", "layers/u,layers/v,layers/w")),
    ("shared-texts", "h5ad", shared_texts, MEMORY, "obs/_index: reading it needs", ("--max-memory", "200M")),
    ("shared-texts-unlimited", "h5ad", shared_texts, (BAD, MEMORY), "more than 200 times its size", ()),
    ("small-chunk", "h5ad", small_chunk, 0, "", ()),
    ("few-shared-texts", "h5ad", few_shared_texts, BAD, "there are 500 samples", ()),
    ("shared-modalities", "h5mu", shared_modalities, BAD, "mod/m", ()),
    ("external", "mat", mat_external, BAD, "Y: it is " + LINK, ()),
    ("storage", "mat", mat_storage, BAD, "E: it is a dataset with " + STORAGE, ()),
    ("virtual", "mat", mat_virtual, BAD, "V: it is " + VIRTUAL, ()),
    ("class", "mat", mat_class, 0, "", ()),
    ("hidden", "mat", mat_hidden, BAD, "#refs#/hidden/jc: it is " + LINK, ()),
    ("chunk", "mat", mat_chunk, MEMORY, "reading it needs", ("--max-memory", "500M")),
    ("cycle", "mat", mat_cycle, BAD, "C", ()),
    ("inside", "mat", mat_inside, 0, "", ()),
)


def make_file(path, change):
    matlab = path.endswith(".mat")
    with h5py.File(path, "w", userblock_size=512 if matlab else 0) as f:
        (matrix if matlab else cells)(f)
        repeat = change(f)
    with open(path, "r+b") as raw:
        if matlab:
            raw.write(b"MATLAB 7.3 MAT-file".ljust(124, b" ") + b"\0\2IM")
        if repeat:
            place, count = repeat
            raw.seek(place)
            first = raw.read(16)
            raw.seek(place)
            raw.write(first * count)


def make():
    with open("secret", "w", encoding="ascii") as secret:
        secret.write("of another file")
    if not os.path.exists("fifo"):
        os.mkfifo("fifo")
    with h5py.File("other.h5", "w") as f:
        cells(f)
    for name, ending, change, *_ in FILES:
        if not name.endswith("-unlimited"):
            make_file(f"{name}.{ending}", change)


# ---- the test ----------------------------------------------------------------------------------------

MOST = 700 << 20  # of memory, where 500 MB are allowed


def run(words, environment=None):
    """Status and output."""
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def problems(command):
    for name, ending, _, status, message, options in FILES:
        path = f"{name.removesuffix('-unlimited')}.{ending}"
        for words in ((command, "info", path, *options), (command, "convert", path, "out.csv", *options)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            got, said = run(words)
            after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            allowed = status if isinstance(status, tuple) else (status,)
            if got not in allowed:
                yield f"{' '.join(words[1:])}: status {got}, not {status}: {said}"
            elif message not in said or (got and path not in said):
                yield f"{' '.join(words[1:])}: it does not say '{message}': {said}"
            elif after > before and after << 10 > MOST:
                yield f"{' '.join(words[1:])}: it took {after >> 10} MB"
            for made in glob.glob("out*"):
                if got:
                    yield f"{' '.join(words[1:])}: wrote {made}"
                os.remove(made)


PLUGIN = """#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fclose(fopen("loaded", "w")); }
"""


def problems_of_environment(command, compiler):
    """Nothing of the environment makes HDF5 load code, or read elsewhere; and no name is an address."""
    os.makedirs("plugins", exist_ok=True)
    with open("plugins/plugin.c", "w", encoding="ascii") as source:
        source.write(PLUGIN)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "plugins/libplugin.so", "plugins/plugin.c"], check=True)
    for names in ({"HDF5_PLUGIN_PATH": os.path.abspath("plugins")}, {"HDF5_DRIVER": "stdio"},
                  {"HDF5_DRIVER": "none"}, {"HDF5_VOL_CONNECTOR": "none"}):
        for name, status in (("link-inside", 0), ("unknown-filter", UNSUPPORTED), ("external-link", BAD)):
            got, said = run([command, "info", f"{name}.h5ad"], {**os.environ, **names})
            if got != status:
                yield f"{name} with {names}: status {got}: {said}"
    if os.path.exists("loaded"):
        yield "a plugin was loaded"
    for name in ("http://127.0.0.1:9/x.h5ad", "https://127.0.0.1:9/x.h5", "s3://bucket/x.h5ad", "file:///x.h5mu"):
        got, said = run([command, "info", name])
        if got != NO_FILE or "there is no such file" not in said:
            yield f"{name}: status {got}: {said}"
    linked = subprocess.run(["ldd", command], capture_output=True, text=True, check=False).stdout
    for library in "libhdf5", "libcurl", "libldap", "libkrb5":
        if library in linked:
            yield f"the command is linked with {library}"


def main():
    os.makedirs(sys.argv[2], exist_ok=True)
    command = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    make()
    if sys.argv[1] == "--make":
        return 0
    found = [*problems(command), *problems_of_environment(command, sys.argv[3])]
    print("\n".join(found) or f"{len(FILES)} hostile files, each read as it should be")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
