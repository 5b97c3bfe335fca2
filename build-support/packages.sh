# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What each kind of Linux calls the tools a build needs, and installing them where that is possible. Sourced by setup.sh.

# Names the kind: the first of the distribution itself and those it is like that stands in the table below.
readonly OS_RELEASE=${FLOWSTONE_OS_RELEASE:-/etc/os-release}

readonly PACKAGES='
tool      debian            fedora                 arch            alpine
jdk       openjdk-25-jdk    java-25-openjdk-devel  jdk25-openjdk   openjdk25
mvn       maven             maven                  maven           maven
g++       g++               gcc-c++                gcc             g++
make      make              make                   make            make
clang++   clang             clang                  clang           clang
libFuzzer  libclang-rt-dev   compiler-rt            compiler-rt     compiler-rt
python3   python3           python3                python          python3
venv      python3-venv      python3                python          python3
chromium  chromium          chromium               chromium        chromium
verilator verilator         verilator              verilator       verilator
yosys     yosys             yosys                  yosys           yosys
libxrt    libxrt-dev        xrt                    xrt             xrt
ip        iproute2          iproute                iproute2        iproute2
tcpdump   tcpdump           tcpdump                tcpdump         tcpdump
tshark    tshark            wireshark-cli          wireshark-cli   tshark
libpcap   libpcap0.8        libpcap                libpcap         libpcap
systemd   systemd           systemd                systemd         systemd
olderjava  default-jre-headless  java-21-openjdk-headless  jre21-openjdk-headless  openjdk21-jre-headless
'

linux_kind() {
  local id
  for id in $(sed -n -E 's/^(ID|ID_LIKE)="?([^"]*)"?$/\2/p' "$OS_RELEASE" 2>/dev/null | sed 's/ubuntu/debian/; s/rhel/fedora/'); do
    case $id in debian | fedora | arch | alpine) echo "$id"; return ;; esac
  done
  echo unknown
}

install_command() {
  case $1 in
    debian) echo 'apt-get install -y --no-install-recommends' ;;
    fedora) echo 'dnf install' ;;
    arch) echo 'pacman -S --needed' ;;
    alpine) echo 'apk add' ;;
  esac
}

# package_names KIND TOOL...: each package once; nothing for a kind that is not in the table.
package_names() {
  local kind=$1 tools=" ${*:2} "
  awk -v kind="$kind" -v tools="$tools" '
    $1 == "tool" { for (i = 2; i <= NF; i++) if ($i == kind) column = i; next }
    column && index(tools, " " $1 " ") && !named[$column]++ { printf "%s%s", separator, $column; separator = " " }
  ' <<<"$PACKAGES"
}

# need TOOL...: tools that are commands; installs the absent ones, or says how.
need() {
  local tool missing=()
  for tool in "$@"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  ((${#missing[@]})) || return 0
  install_tools "${missing[@]}"
}

install_tools() {
  local kind packages how
  kind=$(linux_kind)
  [[ $kind != unknown ]] || fail "needs $*: this system is none whose package names are known here (Debian, Fedora, Arch, Alpine); install what brings them"
  packages=$(package_names "$kind" "$@")
  how="$(install_command "$kind") $packages"
  ((EUID == 0)) || fail "needs $*; as root: $how"
  # Other systems ask before they install, and have their own ideas of what an update is.
  [[ $kind == debian ]] && command -v apt-get >/dev/null || fail "needs $*: $how"
  say "installing $packages"
  mkdir -p "$BUILD_DIR"
  { apt-get update && DEBIAN_FRONTEND=noninteractive $how; } </dev/null >"$BUILD_DIR/apt.log" 2>&1 ||
    fail "could not install $packages; see $BUILD_DIR/apt.log, then: $how"
}

jdk_advice() {
  local kind package
  kind=$(linux_kind)
  package=$(package_names "$kind" jdk)
  case $kind in
    debian) echo "$(install_command debian) $package (or temurin-$JDK_VERSION-jdk from Adoptium's repository, where Debian has none)" ;;
    unknown) echo "get one from this system's packages or from adoptium.net" ;;
    *) echo "$(install_command "$kind") $package" ;;
  esac
}
