#!/bin/bash
# Builds python.wasm and stdlib.zip from Debian packages only: CPython 3.13 for WebAssembly, as a reactor.
#
#   build.sh WORKDIR            build, compare with SHA256SUMS, say which inputs are not those of INPUTS
#   build.sh WORKDIR --record   the same, then put the results, INPUTS and SHA256SUMS in place of the committed ones
#   build.sh WORKDIR --profile  make profile.profdata.xz anew by running train.py, before anything else
#
# On Debian 12 or later, as a user who may install packages; 4 to 15 minutes on two cores. The results do not depend
# on the directory, the machine or the time. The compiler and the C library come from the machine's own Debian
# release, wasi-libc and CPython's source from SOURCE_RELEASE; security patches of Debian included.
set -euo pipefail
SOURCE_RELEASE=trixie
LLVM=19

here=$(dirname "$(realpath "$0")")
mode=${2:-}
mkdir -p "$1" && work=$(realpath "$1") && cd "$work"

# -- inputs
packages="clang-$LLVM lld-$LLVM llvm-$LLVM libclang-rt-$LLVM-dev-wasm32"
test "$mode" != --profile || packages="$packages libclang-rt-$LLVM-dev"
apt-get update
apt-get install -y --no-install-recommends $packages make gcc libc6-dev pkg-config dpkg-dev xz-utils brotli

mirror=$(grep -rhoE 'https?://[^ ]+/debian/?' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null |
  grep -v snapshot | head -n 1 || true)
mirror=${mirror:-http://deb.debian.org/debian}
mkdir -p apt/lists/partial apt/cache/archives/partial
key=/usr/share/keyrings/debian-archive-keyring.gpg
for kind in deb deb-src; do echo "$kind [signed-by=$key] $mirror $SOURCE_RELEASE main"; done > apt/sources.list
apt="apt-get -o Dir::Etc::sourcelist=$work/apt/sources.list -o Dir::Etc::sourceparts=/dev/null"
apt="$apt -o Dir::State::lists=$work/apt/lists -o Dir::Cache=$work/apt/cache"
$apt update
$apt download wasi-libc
$apt source --download-only python3.13

rm -rf wasi py && dpkg -x wasi-libc_*.deb wasi && dpkg-source --no-check -x python3.13_*.dsc py
test "$mode" != --profile || rm -rf instrumented

{
  sha256sum wasi-libc_*.deb python3.13_*.dsc python3.13_*.tar.xz
  (cd "$here" && sha256sum embed.c faulthandler-stub.c pack_stdlib.py profile.profdata.xz)
  dpkg-query -W -f '${Version}  ${Package}\n' clang-$LLVM lld-$LLVM llvm-$LLVM libclang-rt-$LLVM-dev-wasm32
} > INPUTS

# -- one directory that looks like a WASI SDK
llvm=/usr/lib/llvm-$LLVM
mkdir -p sdk/bin sdk/resources/lib/wasip1
for tool in clang clang-cpp clang++ llvm-ar llvm-ranlib llvm-nm llvm-strip wasm-ld; do
  ln -sf $llvm/bin/$tool sdk/bin/$tool
done
ln -sfn $llvm/lib/clang/$LLVM/include sdk/resources/include
ln -sf $llvm/lib/clang/$LLVM/lib/wasi/libclang_rt.builtins-wasm32.a sdk/resources/lib/wasip1/

# -- a native interpreter of the same version, which building the other one needs
common="--without-ensurepip --disable-test-modules"
mkdir -p native && (
  cd native
  ../py/configure $common CFLAGS="-O1 -g0" > configure.log 2>&1
  make -j"$(nproc)" > make.log 2>&1
)

# -- the profile: which way branches usually go, learned from a native build of the same source
if test "$mode" = --profile; then
  mkdir -p instrumented && (
    cd instrumented
    CC=$llvm/bin/clang ../py/configure $common --with-pymalloc CFLAGS="-O1 -g0" > configure.log 2>&1
    make -j"$(nproc)" EXTRA_CFLAGS=-fprofile-instr-generate LDFLAGS=-fprofile-instr-generate > make.log 2>&1
    rm -f ./*.profraw
    LLVM_PROFILE_FILE=$PWD/%p.profraw ./python "$here/train.py"
    $llvm/bin/llvm-profdata merge -sparse -o ../profile.profdata ./*.profraw
  )
  xz -9e -c profile.profdata > "$here/profile.profdata.xz"
fi
xz -dc "$here/profile.profdata.xz" > profile.profdata

# -- the interpreter as WebAssembly
export PATH=$work/sdk/bin:$PATH SOURCE_DATE_EPOCH=1735689600
target="--target=wasm32-wasip1 --sysroot=$work/wasi/usr -resource-dir $work/sdk/resources"
export CC="$work/sdk/bin/clang $target" CPP="$work/sdk/bin/clang-cpp $target" CXX="$work/sdk/bin/clang++ $target"
export AR=$work/sdk/bin/llvm-ar RANLIB=$work/sdk/bin/llvm-ranlib
export CONFIG_SITE=$work/py/Tools/wasm/config.site-wasm32-wasi HOSTRUNNER=true
export PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH=
mkdir -p wasm && cd wasm
# pymalloc is off by default on this target, and makes the interpreter a good deal faster.
../py/configure --host=wasm32-wasip1 --build=x86_64-pc-linux-gnu --with-build-python="$work/native/python" \
  $common --with-pymalloc CFLAGS="-O3 -g0 -ffile-prefix-map=$work=." > configure.log 2>&1
# Codecs of 0.9 MB that nobody asks for, and what needs sockets, signals or threads.
cat > Modules/Setup.local << 'END'
*disabled*
_codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _multibytecodec
_socket select faulthandler _lsprof _asyncio _queue
END
profile="-fprofile-instr-use=$work/profile.profdata -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled"
make -j"$(nproc)" EXTRA_CFLAGS="$profile" libpython3.13.a > make.log 2>&1
emulated="-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS"
$CC -O3 -g0 $emulated -I../py/Include -I. -c "$here/embed.c" -o embed.o
$CC -O3 -g0 -I../py/Include -I. -c "$here/faulthandler-stub.c" -o faulthandler-stub.o
# The stack lies below everything else, so that running over its end traps instead of writing into data.
$CC -mexec-model=reactor -z stack-size=8388608 -Wl,--stack-first -Wl,--strip-all \
  -Wl,--initial-memory=16777216 -Wl,--max-memory=1073741824 -o ../python.wasm \
  embed.o faulthandler-stub.o libpython3.13.a Modules/_decimal/libmpdec/libmpdec.a Modules/expat/libexpat.a \
  Modules/_hacl/libHacl_Hash_SHA2.a -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -ldl -lm
cd ..
native/python "$here/pack_stdlib.py" py/Lib stdlib.zip

# -- what came out
sha256sum python.wasm stdlib.zip | tee SHA256SUMS
if test "$mode" = --record; then
  brotli -f -q 11 -w 24 -o "$here/python.wasm.br" python.wasm
  brotli -f -q 11 -w 24 -o "$here/stdlib.zip.br" stdlib.zip
  cp INPUTS SHA256SUMS "$here/"
  cp py/LICENSE "$here/LICENSE.cpython"
  # Expat, libmpdec and HACL among them.
  cp py/debian/copyright "$here/LICENSE.cpython-parts"
  cp wasi/usr/share/doc/wasi-libc/copyright "$here/LICENSE.wasi-libc"
  cp /usr/share/doc/libclang-rt-$LLVM-dev-wasm32/copyright "$here/LICENSE.compiler-rt"
  exit
fi
if ! diff "$here/INPUTS" INPUTS; then echo "the inputs marked above are not the recorded ones (<: recorded, >: here)"; fi
if diff "$here/SHA256SUMS" SHA256SUMS; then echo "same as committed"; else echo "NOT the same as committed"; exit 1; fi
