import { Command, Option } from 'commander';
import { jsonOption, settingOption } from '../flags.ts';

interface UiFlags {
  readonly workspace?: string;
  readonly code?: string;
  readonly port?: string;
  readonly open: boolean;
  readonly json?: true;
}

export function uiCommand(): Command {
  return new Command('ui')
    .description(
      'open the web page: inbox, pages, runs, incidents, conversations; starts a server until Ctrl-C unless sonde serve is running',
    )
    .addOption(settingOption('workspace', 'name'))
    .option('--code <folder>', 'also let the agent read the code in this folder')
    .addOption(settingOption('serve_port', 'n'))
    .addOption(new Option('--no-open', 'print the address, don’t open a browser'))
    .addOption(jsonOption('print the address as JSON'))
    .action(startUi);
}

async function startUi({ open, json, workspace, code, port }: UiFlags): Promise<void> {
  const { pageServer: openPageServer, openAddress } = await import('../../serve/page-address.ts');
  const { print, printJson, tell } = await import('../terminal.ts');
  const showAddress = async (address: string, isServedHere: boolean): Promise<void> => {
    await (json === true ? printJson({ address, started: isServedHere }) : print(address));
    await tell('The address works once, within 60 seconds; sonde ui prints a new one.');
    if (isServedHere) await tell('The server is this process: Ctrl-C ends it.');
    if (open) openAddress(address, () => void tell('No browser was found: open the address yourself.'));
  };
  const pageServer = await openPageServer(workspace);
  const runningAddress = pageServer.findRunning();
  if (runningAddress !== null) {
    if (code !== undefined || port !== undefined)
      await tell('note: the server is running already; --code and --port have no effect.');
    return showAddress(runningAddress, false);
  }
  const { serveHere } = await import('./serve-here.ts');
  await serveHere(
    {
      ...(workspace !== undefined && { workspace }),
      ...(code !== undefined && { code }),
      port: port ?? (await pageServer.choosePort()),
      ...(!pageServer.isFront && { local: true }),
    },
    ({ publicUrl }) => showAddress(pageServer.address(publicUrl), true),
  );
}
