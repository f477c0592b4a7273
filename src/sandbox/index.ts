export { printResult, runConsole } from './console.ts';
export { runJsonLines } from './json-lines.ts';
export { graceFuel, type LimitHit, type Limits } from './limits.ts';
export type {
  CellOptions,
  CellResult,
  CellValue,
  GuestError,
  KillCause,
  Operation,
  Operations,
  Output,
  Sandbox,
  SandboxHealth,
  SandboxImage,
  Session,
  SessionOptions,
  Variable,
} from './sandbox.ts';
export { Special, type Value } from './value.ts';
export { createSandbox, type SandboxOptions } from './wasm-sandbox.ts';
