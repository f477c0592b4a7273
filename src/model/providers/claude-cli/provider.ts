import { cliProvider } from '../cli-provider.ts';

export const provider = cliProvider({
  name: 'claude-cli',
  rank: 80,
  program: 'claude',
  open: async (id, connection) => (await import('./claude-cli.ts')).claudeCli(id, connection),
});
