export const mayImport: Readonly<Record<string, readonly string[]>>;
export const entryPoints: Readonly<Record<string, readonly string[]>>;
export const ownedBy: Readonly<Record<string, readonly string[]>>;
export const forbidden: readonly Record<string, unknown>[];
declare const configuration: {
  readonly forbidden: typeof forbidden;
  readonly options: Record<string, unknown>;
};
export default configuration;
