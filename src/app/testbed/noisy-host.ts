/** A host whose texts are all wrong: whoever reads them instead of the fields of a result goes wrong. */
import type { ToolHost } from '../../tools/index.ts';

/** `noise` is put in place of each text that a reading tool renders. */
export const withNoise =
  (noise: string) =>
  (host: ToolHost): ToolHost => ({
    ...host,
    async callTool(name, args, call) {
      const result = await host.callTool(name, args, call);
      return result.ok && result.write === null ? { ...result, text: noise } : result;
    },
  });
