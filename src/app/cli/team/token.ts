import { Command, Option } from 'commander';
import type { AddFlags, PlaceFlags } from '../../tokens/manage-tokens.ts';
import { allowHelp, jsonOption } from '../flags.ts';

type JsonFlag = { readonly json?: true };

async function load() {
  const { addToken, listTokens, removeToken } = await import('../../tokens/manage-tokens.ts');
  return { addToken, listTokens, removeToken, ...(await import('../terminal.ts')) };
}

async function add(name: string | undefined, flags: AddFlags & JsonFlag): Promise<void> {
  const { addToken, print, printJson, tell } = await load();
  const addedToken = await addToken(name, flags);
  if (flags.json) return printJson(addedToken);
  if (addedToken.token === null)
    return tell(
      `${addedToken.name} has no token: /alerts/${addedToken.sender} accepts only requests that are signed with the secret in ${addedToken.hmac_secret_file}.`,
    );
  await print(addedToken.token);
  await tell(
    `This is the token of ${addedToken.name}. It is not shown again: clients send it as Authorization: Bearer TOKEN.`,
  );
}

async function list({ json }: JsonFlag): Promise<void> {
  const { listTokens, print, printJson, tell } = await load();
  const tokens = listTokens();
  if (json) return printJson(tokens);
  if (tokens.length === 0) return tell('There is no token.');
  await print(
    tokens
      .map(({ name, workspace, allow, author, sender, created }) => {
        const target = workspace ?? (sender === null ? '(alerts)' : `(alerts of ${sender})`);
        return [name, target, allow ?? '-', author ? 'author' : '-', created].join('  ');
      })
      .join('\n'),
  );
}

async function remove(name: string, flags: PlaceFlags & JsonFlag): Promise<void> {
  const { removeToken, print, printJson } = await load();
  const { workspace, alerts } = removeToken(name, flags);
  await (flags.json ? printJson({ removed: name, workspace, alerts }) : print(`${name} was revoked.`));
}

const addTargetOptions = (command: Command, verb: 'make' | 'revoke'): Command =>
  command
    .addOption(
      new Option('--workspace <name>', `${verb} a token for the tools and conversations of this workspace`),
    )
    .addOption(new Option('--alerts', `${verb} a token for sending alerts to sonde serve --alerts`));

export function tokenCommand(): Command {
  return new Command('token')
    .description('manage tokens for HTTP clients: each gives access to one workspace, or to sending alerts')
    .addCommand(
      addTargetOptions(
        new Command('add')
          .description('make a token and print it once; only its hash is kept')
          .argument(
            '[name]',
            'a name for the client, which the history shows; may be left out with --sender',
          ),
        'make',
      )
        .addOption(
          new Option(
            '--sender <name>',
            'accept alerts of one sender only: alertmanager, grafana, pagerduty, opsgenie, cloudwatch, datadog, sentry, json or text; the token gives access to nothing else',
          ),
        )
        .addOption(
          new Option(
            '--hmac-secret-file <path>',
            'accept only requests signed with the secret in this file: for pagerduty, sentry and grafana',
          ),
        )
        .addOption(new Option('--allow <set>', `what the client may do. ${allowHelp} (default: external)`))
        .addOption(
          new Option(
            '--author',
            'treat what the client does as done by you; without --allow it may do everything',
          ),
        )
        .addOption(
          new Option(
            '--role <role>',
            'rights in the HTTP API (--allow is for tools): reader can read, operator can also see the settings, author can do everything',
          ),
        )
        .addOption(jsonOption('print the token and its rights as JSON'))
        .action(add),
    )
    .addCommand(
      new Command('ls')
        .description(
          'list tokens: name, workspace, rights, age, and whether it may act as the author of the workspace',
        )
        .addOption(jsonOption('print the tokens as JSON'))
        .action(list),
    )
    .addCommand(
      addTargetOptions(
        new Command('rm')
          .description('revoke a token; running servers refuse it from then on')
          .argument('<name>', 'the name of the token'),
        'revoke',
      )
        .addOption(jsonOption('print what was removed as JSON'))
        .action(remove),
    );
}
