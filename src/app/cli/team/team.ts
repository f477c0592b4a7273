import { Command, Option } from 'commander';
import type { ListedTeam, TeamChange } from '../../teams/manage-teams.ts';
import { jsonOption } from '../flags.ts';

type JsonFlag = { readonly json?: true };

async function load() {
  return {
    ...(await import('../../teams/manage-teams.ts')),
    ...(await import('../terminal.ts')),
    ...(await import('../../../core/index.ts')),
  };
}

const dollars = (usd: number): string => `$${Number(usd.toFixed(6))}`;

function teamText({ name, grants, usd }: ListedTeam): string {
  const { limit, spent, held: reservedUsd } = usd;
  const budgetText =
    limit === null ? `${dollars(spent)} spent, no limit` : `${dollars(spent)} of ${dollars(limit)} spent`;
  const grantTexts = grants.map((grant) => `${grant.kind} ${grant.name} (${grant.role})`);
  const reservedText = reservedUsd > 0 ? `, ${dollars(reservedUsd)} reserved by runs` : '';
  return `${name}: ${[...grantTexts, budgetText].join('; ')}${reservedText}`;
}

async function list({ json }: JsonFlag): Promise<void> {
  const { listTeams, print, printJson, tell, plainLine } = await load();
  const teams = await listTeams();
  if (json) return printJson(teams);
  if (teams.length === 0) return tell('There is no team.');
  await print(teams.map((team) => plainLine(teamText(team))).join('\n'));
}

async function add(name: string, { json, ...change }: TeamChange & JsonFlag): Promise<void> {
  const { addTeam, print, printJson, plainLine } = await load();
  const team = await addTeam(name, change);
  await (json ? printJson(team) : print(plainLine(teamText(team))));
}

async function manageBudget(
  name: string,
  { maxUsd, json }: JsonFlag & { readonly maxUsd?: string },
): Promise<void> {
  const { setBudget, SondeError, print, printJson, plainLine } = await load();
  const limitUsd = maxUsd === undefined ? undefined : maxUsd === 'none' ? null : Number(maxUsd);
  if (
    limitUsd !== undefined &&
    limitUsd !== null &&
    !(Number.isFinite(limitUsd) && limitUsd >= 0 && maxUsd !== '')
  )
    throw new SondeError('bad_argument', {
      message: `--max-usd is ${JSON.stringify(maxUsd)}, not an amount`,
      remedy: 'Give an amount in US dollars, or none.',
    });
  const team = await setBudget(name, limitUsd);
  await (json ? printJson(team) : print(plainLine(teamText(team))));
}

export function teamCommand(): Command {
  const teamShape =
    'print {name, created, grants, usd: {limit, spent, held}}; held: US dollars reserved by runs';
  return new Command('team')
    .description(
      'manage the teams that share a store: what each may use, and what its runs may spend in total',
    )
    .addCommand(
      new Command('ls')
        .description('list teams: their workspaces and repositories, and what they have spent')
        .addOption(jsonOption(`${teamShape}, for each team`))
        .action(list),
    )
    .addCommand(
      new Command('add')
        .description('make a team, or give a team access to a workspace or a repository')
        .argument('<name>', 'the name of the team, as in the access tokens of its members')
        .option('--workspace <name>', 'a workspace that its members may use')
        .option('--repository <name>', 'a repository that its runs may read')
        .addOption(
          new Option(
            '--role <role>',
            'what members may do in the workspace: reader, operator, author (default: reader)',
          ),
        )
        .option('--remove', 'revoke the access to this workspace or repository instead')
        .addOption(jsonOption(teamShape))
        .action(add),
    )
    .addCommand(
      new Command('budget')
        .description('show or set what all runs of a team may spend in total, over all workers')
        .argument('<name>', 'the team')
        .option(
          '--max-usd <n>',
          'limit on everything the team ever spends, in US dollars, or none for no limit. Each run still has its own limit',
        )
        .addOption(jsonOption(teamShape))
        .action(manageBudget),
    );
}
