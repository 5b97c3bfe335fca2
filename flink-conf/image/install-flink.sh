#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install-flink.sh FOLDER CONFIGURATION: a whole Flink, as its project has it on PyPI, the jars in one package and the scripts in another,
# each held against its checksum. CONFIGURATION becomes conf/config.yaml without what keeps a Flink to its own host. The image is made with
# it, and so is the stock Flink of ./flowstone test --all. Needs Python 3 with venv.
set -euo pipefail
readonly VERSION=2.3.0
readonly JARS=sha256:38ece876553286b3a285cf344c2d2038f8a7ca10da5df54d5107250386d64151
readonly SCRIPTS=sha256:0e5f612704de1610b153e919c0564b62ad513cddfcf4960f5a021658cdf41a13

folder=$(realpath -m "$1")
configuration=$(realpath "$2")
[[ ! -e $folder ]] || { echo "install-flink.sh: $folder is there already" >&2; exit 1; }
mkdir -p "${folder%/*}"
# Beside the folder, so that the last step is a rename: a Flink that was cut off is never taken for a whole one.
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT

cd "$work"
cat >requirements.txt <<TEXT
apache-flink==$VERSION --hash=$SCRIPTS
apache-flink-libraries==$VERSION --hash=$JARS
TEXT
python3 -m venv pip
# Of all builds of the scripts' package this one, wherever that is run: what is compiled in it is not used.
pip/bin/pip download --quiet --disable-pip-version-check --no-deps --require-hashes --requirement requirements.txt \
  --only-binary :all: --implementation cp --python-version 3.11 --abi cp311 --abi none --platform manylinux2014_x86_64 --platform any
for package in *.whl; do
  python3 -m zipfile -e "$package" unpacked
done

mkdir -p flink/log
mv unpacked/pyflink/{bin,conf,lib,opt,plugins,licenses} flink
cp unpacked/apache_flink_libraries-"$VERSION".dist-info/licenses/* flink
chmod a+x flink/bin/*.sh flink/bin/flink
grep -v ': localhost$' "$configuration" >flink/conf/config.yaml
mv --no-target-directory flink "$folder"
