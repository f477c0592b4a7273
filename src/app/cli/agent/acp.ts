import { Command, Option } from 'commander';
import type { SettingKey } from '../../config/index.ts';
import { settingOption } from '../flags.ts';

interface AcpFlags {
  readonly workspace?: string;
  readonly code?: string;
  readonly model?: string;
}

export function acpCommand(): Command {
  return new Command('acp')
    .description(
      'offer the agent of a workspace to an editor over the Agent Client Protocol, on standard input and output',
    )
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--code <folder>', 'let the agent read the code in this folder'))
    .addOption(settingOption('model', 'name'))
    .action(async ({ workspace, code, model }: AcpFlags) => {
      const [{ openAcp }, { listenForInterrupt }] = await Promise.all([
        import('../../acp/open-acp.ts'),
        import('../interrupt.ts'),
      ]);
      const interrupt = listenForInterrupt();
      const settings: Partial<Record<SettingKey, string>> = {
        ...(workspace !== undefined && { workspace }),
        ...(model !== undefined && { model }),
      };
      try {
        await openAcp({ settings, signal: interrupt.signal, ...(code !== undefined && { root: code }) });
      } finally {
        interrupt.dispose();
      }
    });
}
