import { SondeError } from '../../../core/index.ts';
import type { PostgresOptions } from '../connection.ts';
import { withConnection } from '../with-connection.ts';
import { findBypass } from './front-role.ts';

/**
 * Throws `forbidden` for the role of a front: rows that are hidden from it would look as if they did not exist. A store
 * without tables is allowed, since it hides nothing.
 */
export const requireWholeView = (options: PostgresOptions): Promise<void> =>
  withConnection(options, 'sonde', async (client) => {
    const { rows } = await client.query(
      `SELECT current_user AS role, EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'store_schema') AS made`,
    );
    const { role, made } = rows[0];
    if (!made || (await findBypass(client, role)) !== null) return;
    throw new SondeError('forbidden', {
      message: `The role ${role} of the store sees only what a signed-in person may see`,
      remedy:
        'That is the role of fronts. Run this where store_url_file or SONDE_STORE_URL names the owner of the tables.',
    });
  });
