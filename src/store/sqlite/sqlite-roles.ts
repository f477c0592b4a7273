import type { Clock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import { checkRole, createRoleAct, toRole, toRoleList } from '../sessions/role-rules.ts';
import type { Roles } from '../sessions/roles.ts';
import { recordAct } from './sqlite-writes.ts';
import type { Synchronous } from './synchronous.ts';

export function sqliteRoles(db: Database, clock: Clock): Synchronous<Roles> {
  return {
    get({ level, within }) {
      const row = db.get('SELECT * FROM roles WHERE level = ? AND within = ?', level, within);
      return row && toRole(row);
    },
    set(place, role, by) {
      const { level, within } = place;
      checkRole(place, role);
      db.atomic(() => {
        recordAct(db, by, createRoleAct(place, role), clock.now());
        if (role === null) db.run('DELETE FROM roles WHERE level = ? AND within = ?', level, within);
        else
          db.run(
            'INSERT OR REPLACE INTO roles (level, within, content, applies_to) VALUES (?, ?, ?, ?)',
            level,
            within,
            role.content,
            role.appliesTo === null ? null : JSON.stringify(role.appliesTo),
          );
      });
    },
    list: () => toRoleList(db.all('SELECT * FROM roles ORDER BY within')),
  };
}
