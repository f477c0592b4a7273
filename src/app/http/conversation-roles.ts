/** Finds the roles of a conversation: those in its workspace, and those in the person's account, for all workspaces. */
import { type AppliedRole, findRoles } from '../../session/index.ts';
import { openSessionsIn, type Sessions } from '../../store/index.ts';
import { openAccount } from '../agent/compose-agent.ts';
import type { Configuration } from '../config/index.ts';

export async function readRoles(
  thread: { readonly id: string; readonly channel: string | null },
  { roles }: Pick<Sessions, 'roles'>,
  configuration: Configuration,
): Promise<readonly { readonly level: AppliedRole['level']; readonly text: string }[]> {
  const account = openAccount(configuration, false);
  const sessions = openSessionsIn(account);
  try {
    const foundRoles = await findRoles(
      { work: 'planner', thread: thread.id, channel: thread.channel },
      { workspace: roles, account: sessions.roles },
      configuration.values.roles,
    );
    return foundRoles.map(({ level, role }) => ({ level, text: role.content }));
  } finally {
    await sessions.close();
    account.close();
  }
}
