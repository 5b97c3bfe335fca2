#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# maven-repository.sh FOLDER: lays out what the build has packaged as Maven wants a repository, with all that users of a module
# may ask for. For ./flowstone dist, and for the test that builds a project of somebody else's.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
readonly FOLDER=$1 GROUP=dev/flowstone
version=$(./flowstone --version)
version=${version#* }

fail() { echo "flowstone: $*" >&2; exit 1; }

# Its parent has an artifactId, too, and a version that is its own.
name_of() { sed '/<parent>/,/<\/parent>/d' "$1" | sed -n -E '0,/<artifactId>/s/^ *<artifactId>(.*)<\/artifactId>$/\1/p'; }
# Without those that only check this project.
modules() { sed -n -E 's#^ *<module>(.*)</module>$#\1#p' pom.xml | grep -v -E '^(verification/|hw/abi$)'; }

# place MODULE: its pom and all its jars, each beside its checksum.
place() {
  local module=$1 name folder jar file
  name=$(name_of "$module/pom.xml")
  folder=$FOLDER/$GROUP/$name/$version
  mkdir -p "$folder"
  cp "$module/pom.xml" "$folder/$name-$version.pom"
  if ! grep -q '<packaging>pom</packaging>' "$module/pom.xml"; then
    jar=$module/target/$name-$version.jar
    [[ -r $jar ]] || fail "$jar is missing; mvn -DskipTests package makes it"
    cp "${jar%.jar}"*.jar "$folder"
  fi
  for file in "$folder"/*; do
    sha1sum <"$file" | cut -d' ' -f1 | tr -d '\n' >"$file.sha1"
  done
}

place .
while IFS= read -r module; do
  place "$module"
done < <(modules)
