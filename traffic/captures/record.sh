#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the captures beside this file anew: real programs between two network namespaces, 112 bytes of each frame.
# Needs root, and tcpdump, ethtool, curl, python3, openssl, ssh, sshd, ping, dig, dnsmasq and iperf3.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
readonly OUT=$PWD CLIENT=fs-client-$$ SERVER=fs-server-$$ SERVER4=203.0.113.80 SERVER6=2001:db8:80::80
readonly WORK=$(mktemp -d)
pids=()

finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  ip netns del "$CLIENT" || true
  ip netns del "$SERVER" || true
  rm -rf "$WORK"
}
trap finish EXIT

in_client() { ip netns exec "$CLIENT" "$@"; }
in_server() { ip netns exec "$SERVER" "$@"; }

# With exec, so that the process that is ended later is the program itself.
serve() {
  (exec ip netns exec "$SERVER" "$@") >/dev/null 2>&1 &
  pids+=($!)
}

# record NAME COMMAND...: what the command's packets look like on the client's interface.
record() {
  local name=$1
  shift
  (exec ip netns exec "$CLIENT" tcpdump -q -U -Z root -s 112 --time-stamp-precision nano -i fs0 -w "$OUT/$name.pcap") \
    2>/dev/null &
  local tcpdump=$!
  pids+=("$tcpdump")
  sleep 1
  "$@" >/dev/null 2>&1 || true
  sleep 1
  kill "$tcpdump"
  wait "$tcpdump" || true
}

ip netns add "$CLIENT"
ip netns add "$SERVER"
ip link add fs0 netns "$CLIENT" type veth peer name fs0 netns "$SERVER"
in_client ip addr add 198.51.100.7/24 dev fs0
in_server ip addr add 198.51.100.1/24 dev fs0
in_client ip addr add 2001:db8:7::7/64 dev fs0 nodad
in_server ip addr add 2001:db8:7::1/64 dev fs0 nodad
in_server ip addr add "$SERVER4/32" dev fs0
in_server ip addr add "$SERVER6/128" dev fs0 nodad
for side in in_client in_server; do
  # Frames as they would be on a wire: none merged, checksums there.
  $side ethtool -K fs0 tso off gso off gro off tx off rx off >/dev/null
  $side ip link set fs0 up
  $side ip link set lo up
done
in_client ip route add default via 198.51.100.1
in_client ip -6 route add default via 2001:db8:7::1
sleep 2

mkdir -p "$WORK/www" "$WORK/ssh" /run/sshd
for kilobytes in 1 7 40 120; do head -c "${kilobytes}000" /dev/urandom >"$WORK/www/$kilobytes"; done
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=www.example.org -keyout "$WORK/key" -out "$WORK/cert" 2>/dev/null
ssh-keygen -q -t ed25519 -N '' -f "$WORK/ssh/host"
ssh-keygen -q -t ed25519 -N '' -f "$WORK/ssh/user"
install -m 600 "$WORK/ssh/user.pub" "$WORK/ssh/authorized"
chmod 755 "$WORK" "$WORK/ssh"

serve python3 -m http.server 80 --bind :: --directory "$WORK/www"
for family in -4 -6; do
  serve bash -c "cd '$WORK/www' && exec openssl s_server $family -quiet -WWW -accept 443 -key '$WORK/key' -cert '$WORK/cert'"
done
serve "$(command -v sshd)" -D -p 22 -h "$WORK/ssh/host" -o AuthorizedKeysFile="$WORK/ssh/authorized" -o StrictModes=no \
  -o PidFile="$WORK/ssh/pid" -o UsePAM=no
serve dnsmasq --no-daemon --no-resolv --no-hosts --port 53 --conf-file=/dev/null --user=root \
  --address=/example.org/192.0.2.10 --address=/example.org/2001:db8::10 --txt-record=txt.example.org,"$(printf 'x%.0s' {1..200})"
serve iperf3 -s
sleep 2

web() {
  local host="--resolve www.example.org:80:$SERVER4"
  in_client curl -s $host -o /dev/null http://www.example.org/7
  in_client curl -s $host --limit-rate 200k -o /dev/null http://www.example.org/120 &
  in_client curl -s -g -o /dev/null "http://[$SERVER6]/40" &
  for file in 1 7 1 1 40 missing 7 1; do
    in_client curl -s $host -o /dev/null "http://www.example.org/$file"
    sleep 0.05
  done
  in_client curl -s -o /dev/null "http://$SERVER4:81/"
  wait $!
  sleep 0.5
}

tls() {
  for file in 1 7 40; do
    in_client curl -s -k -g -o /dev/null "https://[$SERVER6]/$file"
    in_client curl -s -k -o /dev/null "https://$SERVER4/$file"
    sleep 0.1
  done
}

dns() {
  for i in {1..20}; do
    in_client dig +tries=1 +time=1 "@$SERVER4" "www$i.example.org" A
    in_client dig +tries=1 +time=1 "@$SERVER6" "host$((i * 7)).example.org" AAAA
    in_client dig +tries=1 +time=1 "@$SERVER4" txt.example.org TXT
    in_client dig +tries=1 +time=1 +tcp "@$SERVER4" "name$i.example.net" A
  done
}

dialogue() {
  { for line in 'echo hello' 'ls -l /' 'head -40 /etc/services' 'date' exit; do
    for ((i = 0; i < ${#line}; i++)); do
      printf '%s' "${line:i:1}"
      sleep 0.03
    done
    printf '\n'
    sleep 0.2
  done; } | in_client ssh -tt -i "$WORK/ssh/user" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "root@$SERVER4"
}

voice() {
  in_client iperf3 -u -c 198.51.100.1 -b 64k -l 160 -t 3
  in_client iperf3 -u -R -c 2001:db8:7::1 -b 64k -l 172 -t 3
}

pings() {
  in_client ip neigh flush all
  in_client ping -q -c 20 -i 0.05 "$SERVER4"
  in_client ping -q -c 20 -i 0.05 "$SERVER6"
  in_client ping -q -c 3 -s 4000 -i 0.05 "$SERVER4"
}

record web-http web
record web-tls tls
record dns-udp-tcp dns
record ssh-dialogue dialogue
record udp-voice voice
record ping-arp-fragments pings
ls -l "$OUT"/*.pcap
