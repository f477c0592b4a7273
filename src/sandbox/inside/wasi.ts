import { type GuestMemory, guestMemory } from './guest-memory.ts';
import { type Entry, type FileTree, resolvePath, virtualFiles } from './virtual-files.ts';
import { directoryEntry, errno, fileType, inodeOf, openFlag, writeRight } from './wasi-layout.ts';

/**
 * WASI preview 1 that denies by default: a clock of milliseconds, random bytes the host chooses, two streams for
 * output, and read-only files held in memory. Everything else answers ENOSYS. Arguments and results are plain
 * numbers, so no host object can be reached. A bad address answers EFAULT; no function here throws, except that
 * `proc_exit` calls `exit`, which must.
 */
export interface WasiHost {
  readonly files: FileTree;
  /** Milliseconds since the Unix epoch, and milliseconds of a clock that only goes forward. */
  now(clock: 'real' | 'monotonic'): number;
  random(into: Uint8Array): void;
  output(stream: number, bytes: Uint8Array): void;
  exit(code: number): never;
}

export interface Wasi {
  readonly imports: Record<string, WasiFunction>;
  attach(memory: WebAssembly.Memory): void;
  /** Open files, for a checkpoint. */
  openFiles(): readonly OpenFile[];
  reopen(files: readonly OpenFile[]): void;
}

export interface OpenFile {
  readonly descriptor: number;
  readonly path: string;
  readonly position: number;
}

// biome-ignore lint/suspicious/noExplicitAny: each function has the parameters that WASI gives it
export type WasiFunction = (...args: any[]) => number;

const maxDescriptors = 64;
/** File descriptor of the root directory: the one WASI libc looks for first. */
const rootDescriptor = 3;

type Descriptor =
  | { readonly kind: 'input' | 'output' }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly data: Uint8Array; position: number };

export function createWasi(host: WasiHost): Wasi {
  const files = virtualFiles(host.files);
  const standard: readonly Descriptor[] = [
    { kind: 'input' },
    { kind: 'output' },
    { kind: 'output' },
    { kind: 'directory', path: '' },
  ];
  const open: (Descriptor | undefined)[] = [...standard];
  let memory: GuestMemory;

  const resolve = (descriptor: number, path: number, length: number): Entry | null | 'outside' | 'bad' => {
    const directory = open[descriptor];
    if (directory?.kind !== 'directory') return 'bad';
    // A copy, because a decoder may not read memory that could change under it.
    const text = new TextDecoder().decode(memory.bytes(path, length).slice());
    const resolved = resolvePath(directory.path, text);
    return resolved === null ? 'outside' : files.find(resolved);
  };

  const writeStat = (address: number, type: number, size: number, path: string) => {
    const view = memory.view();
    memory.bytes(address, 64).fill(0);
    view.setBigUint64(address, 1n, true);
    view.setBigUint64(address + 8, BigInt(inodeOf(path)), true);
    view.setUint8(address + 16, type);
    view.setBigUint64(address + 24, 1n, true);
    view.setBigUint64(address + 32, BigInt(size), true);
    return errno.success;
  };

  const statEntry = (address: number, entry: Entry) =>
    entry.kind === 'directory'
      ? writeStat(address, fileType.directory, 0, entry.path)
      : writeStat(address, fileType.regular, entry.data.length, entry.path);

  const readVectors = function* (address: number, count: number) {
    const view = memory.view();
    for (let i = 0; i < count >>> 0; i++) {
      const entry = (address >>> 0) + i * 8;
      yield memory.bytes(view.getUint32(entry, true), view.getUint32(entry + 4, true));
    }
  };

  const readFile = (data: Uint8Array, position: number, address: number, count: number) => {
    let total = 0;
    for (const target of readVectors(address, count)) {
      const piece = data.subarray(position + total, position + total + target.length);
      target.set(piece);
      total += piece.length;
      if (piece.length < target.length) break;
    }
    return total;
  };

  const setU32 = (address: number, value: number) => {
    memory.view().setUint32(address >>> 0, value, true);
    return errno.success;
  };

  const functions: Record<string, WasiFunction> = {
    environ_sizes_get: (count: number, size: number) => setU32(count, 0) || setU32(size, 0),
    environ_get: () => errno.success,
    clock_res_get: (_clock: number, address: number) => {
      memory.view().setBigUint64(address >>> 0, 1_000_000n, true);
      return errno.success;
    },
    clock_time_get: (clock: number, _precision: bigint, address: number) => {
      const ms = host.now(clock === 0 ? 'real' : 'monotonic');
      memory.view().setBigUint64(address >>> 0, BigInt(Math.floor(ms)) * 1_000_000n, true);
      return errno.success;
    },
    random_get: (address: number, length: number) => {
      host.random(memory.bytes(address, length));
      return errno.success;
    },
    fd_write: (descriptor: number, address: number, count: number, written: number) => {
      if (open[descriptor]?.kind !== 'output') return errno.badDescriptor;
      let total = 0;
      for (const piece of readVectors(address, count)) {
        host.output(descriptor, piece);
        total += piece.length;
      }
      return setU32(written, total);
    },
    fd_read: (descriptor: number, address: number, count: number, read: number) => {
      const file = open[descriptor];
      if (file?.kind === 'input') return setU32(read, 0);
      if (file?.kind !== 'file') return errno.badDescriptor;
      const length = readFile(file.data, file.position, address, count);
      file.position += length;
      return setU32(read, length);
    },
    fd_pread: (descriptor: number, address: number, count: number, offset: bigint, read: number) => {
      const file = open[descriptor];
      if (file?.kind !== 'file') return errno.badDescriptor;
      if (offset < 0n || offset > BigInt(file.data.length)) return setU32(read, 0);
      return setU32(read, readFile(file.data, Number(offset), address, count));
    },
    fd_seek: (descriptor: number, offset: bigint, from: number, position: number) => {
      const file = open[descriptor];
      if (!file) return errno.badDescriptor;
      if (file.kind !== 'file') return errno.notSeekable;
      const base = from === 0 ? 0 : from === 1 ? file.position : file.data.length;
      const target = Number(offset) + base;
      if (!Number.isSafeInteger(target) || target < 0) return errno.invalid;
      file.position = target;
      memory.view().setBigUint64(position >>> 0, BigInt(target), true);
      return errno.success;
    },
    fd_tell: (descriptor: number, position: number) => {
      const file = open[descriptor];
      if (file?.kind !== 'file') return errno.badDescriptor;
      memory.view().setBigUint64(position >>> 0, BigInt(file.position), true);
      return errno.success;
    },
    fd_close: (descriptor: number) => {
      if (!open[descriptor]) return errno.badDescriptor;
      open[descriptor] = undefined;
      return errno.success;
    },
    fd_fdstat_get: (descriptor: number, address: number) => {
      const file = open[descriptor];
      if (!file) return errno.badDescriptor;
      memory.bytes(address, 24).fill(0);
      const view = memory.view();
      view.setUint8(address >>> 0, typeOf(file));
      view.setBigUint64((address >>> 0) + 8, 0xffff_ffffn, true);
      view.setBigUint64((address >>> 0) + 16, 0xffff_ffffn, true);
      return errno.success;
    },
    fd_filestat_get: (descriptor: number, address: number) => {
      const file = open[descriptor];
      if (!file) return errno.badDescriptor;
      if (file.kind === 'file' || file.kind === 'directory') return statEntry(address >>> 0, file);
      return writeStat(address >>> 0, fileType.characterDevice, 0, `${descriptor}`);
    },
    fd_prestat_get: (descriptor: number, address: number) => {
      if (descriptor !== rootDescriptor) return errno.badDescriptor;
      return setU32(address, 0) || setU32((address >>> 0) + 4, 1);
    },
    fd_prestat_dir_name: (descriptor: number, address: number, length: number) => {
      if (descriptor !== rootDescriptor) return errno.badDescriptor;
      memory.bytes(address, Math.min(length >>> 0, 1)).fill('/'.charCodeAt(0));
      return errno.success;
    },
    fd_readdir: (descriptor: number, address: number, length: number, cookie: bigint, used: number) => {
      const directory = open[descriptor];
      if (directory?.kind !== 'directory') return errno.badDescriptor;
      const target = memory.bytes(address, length);
      let filled = 0;
      for (const [i, { name, kind }] of files.list(directory.path).entries()) {
        if (BigInt(i) < cookie) continue;
        const piece = directoryEntry(i, name, kind).subarray(0, target.length - filled);
        target.set(piece, filled);
        filled += piece.length;
        if (filled === target.length) break;
      }
      return setU32(used, filled);
    },
    path_filestat_get: (
      descriptor: number,
      _flags: number,
      path: number,
      length: number,
      address: number,
    ) => {
      const entry = resolve(descriptor, path, length);
      if (entry === 'bad') return errno.badDescriptor;
      if (entry === 'outside') return errno.notCapable;
      return entry ? statEntry(address >>> 0, entry) : errno.notFound;
    },
    path_open: (
      descriptor: number,
      _lookup: number,
      path: number,
      length: number,
      flags: number,
      rights: bigint,
      _inherited: bigint,
      _descriptorFlags: number,
      opened: number,
    ) => {
      const entry = resolve(descriptor, path, length);
      if (entry === 'bad') return errno.badDescriptor;
      if (entry === 'outside') return errno.notCapable;
      if (!entry) return flags & openFlag.create ? errno.readOnly : errno.notFound;
      if (entry.kind === 'file') {
        if (flags & openFlag.directory) return errno.notDirectory;
        if (flags & (openFlag.create | openFlag.truncate) || rights & writeRight) return errno.readOnly;
      }
      let free = standard.length;
      while (open[free]) free++;
      if (free >= maxDescriptors) return errno.tooManyFiles;
      // The address is written first: if it is bad, no file stays open.
      setU32(opened, free);
      open[free] = entry.kind === 'file' ? { ...entry, position: 0 } : entry;
      return errno.success;
    },
    path_readlink: () => errno.invalid,
    // Waiting for a time returns at once, so that a guest can't make the host wait.
    poll_oneoff: (subscriptions: number, events: number, count: number, ready: number) => {
      const view = memory.view();
      const subscription = subscriptions >>> 0;
      const event = events >>> 0;
      const clock = 0;
      if (count !== 1 || view.getUint8(subscription + 8) !== clock) return errno.noSystemCall;
      memory.bytes(event, 32).fill(0);
      view.setBigUint64(event, view.getBigUint64(subscription, true), true);
      return setU32(ready, 1);
    },
    fd_fdstat_set_flags: () => errno.success,
    sched_yield: () => errno.success,
  };

  const guard = (call: WasiFunction): WasiFunction => {
    return (...args) => {
      try {
        return call(...args);
      } catch (thrown) {
        if (thrown instanceof RangeError) return errno.fault;
        throw thrown;
      }
    };
  };
  const imports: Record<string, WasiFunction> = { proc_exit: (code: number) => host.exit(code) };
  for (const [name, call] of Object.entries(functions)) imports[name] = guard(call);

  return {
    imports,
    attach: (live) => {
      memory = guestMemory(live);
    },
    openFiles: () =>
      open.flatMap((file, descriptor) =>
        file?.kind === 'file' ? [{ descriptor, path: file.path, position: file.position }] : [],
      ),
    reopen: (saved) => {
      open.length = 0;
      open.push(...standard);
      for (const { descriptor, path, position } of saved) {
        const entry = files.find(path);
        if (entry?.kind === 'file') open[descriptor] = { ...entry, position };
      }
    },
  };
}

/** The function of every import that is not supported. */
export const deny: WasiFunction = () => errno.noSystemCall;

function typeOf(file: Descriptor): number {
  if (file.kind === 'directory') return fileType.directory;
  return file.kind === 'file' ? fileType.regular : fileType.characterDevice;
}
