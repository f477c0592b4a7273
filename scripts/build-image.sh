#!/usr/bin/env bash
# Builds the image of the Dockerfile without a daemon, starts it as another user than root with a root that nobody can write,
# and posts an alert to it. Needs mmdebstrap, buildah, bubblewrap and curl of Debian, and to be root.
#   scripts/build-image.sh [BASE [PACKAGE]]
#     BASE: an image to stand on; without it, or where it is '', one is made from Debian's packages
#     PACKAGE: what npm pack made; without it, it is made from the sources
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
mounted=
served=
trap '[ -z "$served" ] || kill "$served" 2>/dev/null || true; [ -z "$mounted" ] || buildah umount "$mounted" >/dev/null || true; rm -rf "$work"' EXIT
base=${1:-}
if [ -z "$base" ]; then
  mmdebstrap --quiet --variant=minbase --include=bubblewrap,ca-certificates,git,libatomic1 bookworm "$work/base.tar"
  made=$(buildah from scratch)
  buildah add --quiet "$made" "$work/base.tar" / >/dev/null
  buildah config --cmd /bin/bash "$made"
  buildah commit --quiet "$made" localhost/sonde-base >/dev/null
  buildah rm "$made" >/dev/null
  base=localhost/sonde-base
fi

# The package as npm would publish it, with the Node that it runs on.
cd "$root"
package=$(realpath "${2:-.}")
[ -x node_modules/.bin/tsc ] || npm ci --silent --no-fund --no-audit
if [ $# -lt 2 ]; then
  npm run --silent build
  package="$work/$(npm pack --silent --pack-destination "$work" | tail -n 1)"
fi
mkdir -p "$work/context/sonde"
cp Dockerfile "$work/context/"
cd "$work/context/sonde"
npm init -y >/dev/null
node_version=$("$root/node_modules/.bin/node" -p 'process.versions.node')
npm install --silent --no-fund --no-audit --allow-scripts=node "$package" "node@$node_version" ||
  npm install --silent --no-fund --no-audit "$package" "node@$node_version"
cd "$work/context"
buildah bud --quiet --build-arg "BASE=$base" --tag localhost/sonde . >/dev/null
container=$(buildah from localhost/sonde)
mounted=$container
tree=$(buildah mount "$container")
echo "size: $(du -sm "$tree" | cut -f1) MB in $(find "$tree" -xdev -type f | wc -l) files"

# As a container engine would: its own user, a root for reading, and a folder for what is kept.
mkdir -m 0700 "$work/data"
chown 10001:10001 "$work/data"
confined() {
  bwrap --ro-bind "$tree" / --proc /proc --dev /dev --tmpfs /tmp --bind "$work/data" /var/lib/sonde \
    --ro-bind /etc/resolv.conf /etc/resolv.conf --unshare-pid --die-with-parent --cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID \
    --clearenv --setenv PATH /opt/sonde/node_modules/.bin:/usr/bin:/bin --setenv HOME /var/lib/sonde --setenv SONDE_HOME /var/lib/sonde \
    --setenv SONDE_ALERTS_TOKEN "$token" --setenv SONDE_SERVE_PORT "$port" \
    setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs "$@"
}
token=$(head -c 24 /dev/urandom | base64 | tr -d '+/=')
port=27077
confined sh -c 'id -u; touch /opt/x 2>&1 || true'
confined sonde serve --alerts >"$work/said" 2>&1 &
served=$!
for _ in $(seq 1 120); do
  curl -fsS "http://127.0.0.1:$port/ready" >/dev/null 2>&1 && break
  kill -0 "$served" || { cat "$work/said"; exit 1; }
  sleep 0.5
done
curl -fsS "http://127.0.0.1:$port/alerts" -H "Authorization: Bearer $token" --data '{"alertname":"DiskFull","service":"orders"}'
kill "$served"
# What is told to end is bubblewrap, which takes the server along.
wait "$served" || true
served=
confined sonde doctor | grep -E 'sandbox|node:' || true
