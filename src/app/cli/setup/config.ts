import { Command } from 'commander';
import { jsonOption } from '../flags.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('show every setting, its value and where the value came from; keys stay hidden')
    .argument('[path]', 'the folder whose sonde.json applies', '.')
    .addOption(jsonOption('print one JSON object'))
    .action(async (path: string, flags: { readonly json?: true }) => {
      const { describeConfiguration } = await import('../../config/describe.ts');
      const { resolveRoot } = await import('../../root.ts');
      const { print, printJson } = await import('../terminal.ts');
      const { json, text } = describeConfiguration(resolveRoot(path));
      await (flags.json === true ? printJson(json) : print(text));
    });
}
