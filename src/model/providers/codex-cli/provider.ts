import { cliProvider } from '../cli-provider.ts';

export const provider = cliProvider({
  name: 'codex-cli',
  rank: 90,
  program: 'codex',
  open: async (id, connection) => (await import('./codex-cli.ts')).codexCli(id, connection),
});
