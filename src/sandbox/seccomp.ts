/**
 * A filter for system calls in the kernel's format (classic BPF over `struct seccomp_data`). It refuses networks, new
 * processes, other processes' memory, namespaces, mounts, kernel modules and the like, and allows all other calls. Null
 * for an architecture whose call numbers are not listed here.
 */
export function seccompFilter(architecture: string): Buffer | null {
  const calls = architecture === 'x64' ? x64 : architecture === 'arm64' ? arm64 : null;
  return calls ? assemble(calls) : null;
}

interface Calls {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly clone: number;
  readonly refused: Readonly<Record<string, number>>;
}

const x64: Calls = {
  audit: 0xc000_003e,
  clone: 56,
  refused: {
    socket: 41,
    connect: 42,
    accept: 43,
    bind: 49,
    listen: 50,
    fork: 57,
    vfork: 58,
    ptrace: 101,
    personality: 135,
    pivot_root: 155,
    adjtimex: 159,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    reboot: 169,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    clock_settime: 227,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    unshare: 272,
    accept4: 288,
    perf_event_open: 298,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    finit_module: 313,
    bpf: 321,
    execveat: 322,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    pidfd_open: 434,
    pidfd_getfd: 438,
  },
};

const arm64: Calls = {
  audit: 0xc000_00b7,
  clone: 220,
  refused: {
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    chroot: 51,
    acct: 89,
    personality: 92,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    ptrace: 117,
    reboot: 142,
    settimeofday: 170,
    adjtimex: 171,
    socket: 198,
    bind: 200,
    listen: 201,
    accept: 202,
    connect: 203,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    perf_event_open: 241,
    accept4: 242,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    finit_module: 273,
    bpf: 280,
    execveat: 281,
    userfaultfd: 282,
    io_uring_setup: 425,
    io_uring_enter: 426,
    pidfd_open: 434,
    pidfd_getfd: 438,
  },
};

/** The same number on every architecture. On ENOSYS the C library falls back to clone, whose flags the filter checks. */
const clone3 = 435;
const cloneThread = 0x1_0000;

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfSet = 0x45;
const finish = 0x06;

const allow = 0x7fff_0000;
const refuse = 0x0005_0000 + 1; // EPERM
const unknown = 0x0005_0000 + 38; // ENOSYS
const killProcess = 0x8000_0000;

/** Offsets in `struct seccomp_data`. */
const data = { number: 0, audit: 4, firstArgument: 16 };
/** Numbers from here on belong to another calling convention of x64. */
const x32Calls = 0x4000_0000;

function assemble({ audit, clone, refused }: Calls): Buffer {
  type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];
  const program: readonly Instruction[] = [
    [load, 0, 0, data.audit],
    [jumpIfEqual, 1, 0, audit],
    [finish, 0, 0, killProcess],
    [load, 0, 0, data.number],
    [jumpIfAtLeast, 0, 1, x32Calls],
    [finish, 0, 0, refuse],
    [jumpIfEqual, 0, 1, clone3],
    [finish, 0, 0, unknown],
    ...Object.values(refused).flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      [finish, 0, 0, refuse],
    ]),
    [jumpIfEqual, 0, 3, clone],
    [load, 0, 0, data.firstArgument],
    [jumpIfSet, 1, 0, cloneThread],
    [finish, 0, 0, refuse],
    [finish, 0, 0, allow],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(operand, i * 8 + 4);
  });
  return bytes;
}
