export { type ConsoleTerminal, printResult, runConsole } from './console.ts';
export type { HelperModule } from './image.ts';
export { type CellLine, runJsonLines } from './json-lines.ts';
export { defaultLimits, describeHit, type LimitHit, type LimitName, type Limits } from './limits.ts';
export type {
  CellOptions,
  CellResult,
  CellValue,
  FailedCell,
  FinishedCell,
  GuestError,
  KillCause,
  KilledCell,
  Operation,
  Operations,
  Output,
  Sandbox,
  SandboxHealth,
  Session,
  SessionOptions,
  Variable,
} from './sandbox.ts';
export { BadValue, decodeValue, encodeValue, plainJson, Special, type Value } from './value.ts';
export { createSandbox, type SandboxOptions } from './wasm-sandbox.ts';
