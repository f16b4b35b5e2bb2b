#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives a wheel the platform tag of what its extension really needs, and the same bytes every time.

    packaging/wheel.py IN.whl FOLDER     writes FOLDER/onefold-VERSION-cp311-abi3-manylinux_X_Y_ARCH.whl
    packaging/wheel.py --check IN.whl    fails where the tag says less than the extension needs

What may be needed of the system are the libraries that every manylinux system has; the newest version of a
symbol of libc decides the tag. The extension shows one name, and no other of its own. Debian 12 has no
auditwheel, which does the same for wheels in general.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile

# of the policy manylinux_2_34 and its elders
SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
          "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, stdout=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": "C"}, text=True).stdout


def tag_of(path):
    """The manylinux tag of a shared library; ends where it needs what such a system has not."""
    dynamic = readelf(path, "-d")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    if needed - SYSTEM:
        sys.exit(f"wheel.py: the extension needs {', '.join(sorted(needed - SYSTEM))} of the system")
    if re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", dynamic):
        sys.exit("wheel.py: the extension has a search path, or code that is written to when it is loaded")
    symbols = readelf(path, "--dyn-syms")
    shown = [fields[7] for fields in map(str.split, symbols.splitlines())
             if len(fields) > 7 and fields[0].rstrip(":").isdigit() and fields[6] != "UND"]
    if shown != ["PyInit__onefold"]:
        sys.exit(f"wheel.py: the extension shows {' '.join(shown[:9])}, and not PyInit__onefold alone")
    newest = max((tuple(map(int, version.split("."))) for version in re.findall(r"@+GLIBC_([\d.]+)", symbols)))
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"


def extension_tag(wheel):
    with tempfile.TemporaryDirectory() as folder:
        (name,) = [name for name in wheel.namelist() if name.endswith(".so")]
        return tag_of(wheel.extract(name, folder))


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write(wheel, tag, folder):
    info = next(name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name)
    files = {name: wheel.read(name) for name in sorted(wheel.namelist()) if not name.endswith("/RECORD")}
    kept = files[f"{info}/WHEEL"].decode()
    files[f"{info}/WHEEL"] = re.sub(r"Tag: (\S+-\S+)-\S+", rf"Tag: \1-{tag}", kept).encode()
    record = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    place = os.path.join(folder, f"{info[:-len('.dist-info')]}-cp311-abi3-{tag}.whl")
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    print(place)


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    with zipfile.ZipFile(arguments[1] if check else arguments[0]) as wheel:
        tag = extension_tag(wheel)
        if not check:
            write(wheel, tag, arguments[1])
        elif not arguments[1].endswith(f"-cp311-abi3-{tag}.whl"):
            sys.exit(f"wheel.py: {os.path.basename(arguments[1])} needs the tag {tag}")


if __name__ == "__main__":
    main(sys.argv[1:])
