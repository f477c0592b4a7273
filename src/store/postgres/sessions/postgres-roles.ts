import { checkRole, createRoleAct, toRole, toRoleList } from '../../sessions/role-rules.ts';
import type { Roles } from '../../sessions/roles.ts';
import type { PostgresDatabase } from '../database.ts';
import { recordAct } from '../team/postgres-audit.ts';

export function postgresRoles(db: PostgresDatabase): Roles {
  return {
    async get({ level, within }) {
      const text = 'SELECT * FROM roles WHERE level = $1 AND within = $2';
      const [row] = await db.ask({ name: 'role', text, values: [level, within] });
      return row && toRole(row);
    },
    async set(place, role, by) {
      const { level, within } = place;
      checkRole(place, role);
      const auditStatements = recordAct(by, createRoleAct(place, role));
      if (role === null) {
        const text = 'DELETE FROM roles WHERE level = $1 AND within = $2';
        await db.transact([{ name: 'drop role', text, values: [level, within] }, ...auditStatements]);
        return;
      }
      await db.transact([
        {
          name: 'set role',
          text: `INSERT INTO roles (level, within, content, applies_to) VALUES ($1, $2, $3, $4)
          ON CONFLICT (level, within) DO UPDATE SET content = excluded.content, applies_to = excluded.applies_to`,
          values: [
            level,
            within,
            role.content,
            role.appliesTo === null ? null : JSON.stringify(role.appliesTo),
          ],
        },
        ...auditStatements,
      ]);
    },
    list: async () =>
      toRoleList(await db.ask({ name: 'roles', text: 'SELECT * FROM roles ORDER BY within', values: [] })),
  };
}
