import { Command, Option } from 'commander';
import type { Role, RolePlace } from '../../../store/index.ts';
import { jsonOption, settingOption } from '../flags.ts';

interface RoleFlags {
  readonly workspace?: string;
  readonly at: string;
  readonly thread?: string;
  readonly channel?: string;
  readonly for?: readonly string[];
  readonly json?: true;
}

async function load() {
  const { listAllRoles, parseRoleTarget, withRoles } = await import('../../conversations.ts');
  const { thisUser } = await import('../../config/index.ts');
  const terminal = await import('../terminal.ts');
  const { plainLine } = await import('../../../core/index.ts');
  return { listAllRoles, thisUser, parseRoleTarget, withRoles, plainLine, ...terminal };
}

const addPlaceOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--at <level>',
        'the level of the role: thread, channel, workspace or account. In a conversation, the first of these that has a role applies',
      ).makeOptionMandatory(),
    )
    .addOption(new Option('--thread <id>', 'the conversation, with --at thread'))
    .addOption(new Option('--channel <id>', 'the channel, with --at channel'))
    .addOption(settingOption('workspace', 'name'));

const placeText = ({ level, within: placeId }: RolePlace): string =>
  placeId === '' ? level : `${level} ${placeId}`;

async function set(content: string, flags: RoleFlags): Promise<void> {
  const { parseRoleTarget, thisUser, withRoles, print, printJson } = await load();
  const role: Role = { content, appliesTo: flags.for ?? null };
  await withRoles(await parseRoleTarget(flags.at, flags), async (roles, place) => {
    await roles.set(place, role, thisUser());
    await (flags.json ? printJson({ ...place, role }) : print(`The ${placeText(place)} has this role now.`));
  });
}

async function list({ workspace, json }: Pick<RoleFlags, 'workspace' | 'json'>): Promise<void> {
  const { listAllRoles, plainLine, print, printJson, tell } = await load();
  const roles = await listAllRoles(workspace);
  if (json) return printJson(roles);
  if (roles.length === 0) return tell('There is no role.');
  const formatRole = ({ role, ...place }: (typeof roles)[number]): string =>
    `${placeText(place)}${role.appliesTo === null ? '' : ` (for ${role.appliesTo.join(', ')})`}: ${plainLine(role.content)}`;
  await print(roles.map(formatRole).join('\n'));
}

async function remove(flags: RoleFlags): Promise<void> {
  const { parseRoleTarget, thisUser, withRoles, print, printJson } = await load();
  const { SondeError } = await import('../../../core/index.ts');
  await withRoles(await parseRoleTarget(flags.at, flags), async (roles, place) => {
    if ((await roles.get(place)) === undefined)
      throw new SondeError('not_found', {
        message: `The ${placeText(place)} has no role`,
        remedy: 'sonde role ls lists the existing roles.',
      });
    await roles.set(place, null, thisUser());
    await (flags.json ? printJson({ removed: place }) : print(`The ${placeText(place)} has no role now.`));
  });
}

export function roleCommand(): Command {
  return new Command('role')
    .description(
      'manage roles: instructions for the agent, for a thread, a channel, a workspace, or your account (all workspaces)',
    )
    .addCommand(
      addPlaceOptions(
        new Command('set')
          .description('set the role of a thread, channel, workspace or account')
          .argument('<text>', 'the role: instructions for the agent, in prose'),
      )
        .addOption(
          new Option(
            '--for <work...>',
            'apply the role only to these parts of the agent, such as planner (default: all)',
          ),
        )
        .addOption(jsonOption('print the role as JSON'))
        .action(set),
    )
    .addCommand(
      new Command('ls')
        .description('list roles, the most specific first')
        .addOption(settingOption('workspace', 'name'))
        .addOption(jsonOption('print the roles as JSON'))
        .action(list),
    )
    .addCommand(
      addPlaceOptions(new Command('rm').description('remove a role'))
        .addOption(jsonOption('print what was removed as JSON'))
        .action(remove),
    );
}
