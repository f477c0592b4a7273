import { SondeError } from '../../core/index.ts';
import type { Database, Row } from '../database.ts';
import { type Role, type RoleLevel, type Roles, roleLevels } from '../roles.ts';

/** Characters. It is part of every prompt. */
const maxRoleLength = 8000;

export function sqliteRoles(db: Database): Roles {
  return {
    get({ level, within }) {
      const row = db.get('SELECT * FROM roles WHERE level = ? AND within = ?', level, within);
      return row && roleOf(row);
    },
    set({ level, within }, role) {
      const needsPlace = level === 'thread' || level === 'channel';
      if (needsPlace !== (within !== '') || (role !== null && !fits(role)))
        throw new SondeError('bad_argument', {
          message:
            role === null || fits(role)
              ? `A role of the level ${level} ${needsPlace ? 'is of one' : 'is of no'} thread or channel`
              : `A role has 1 to ${maxRoleLength} characters, not ${role.content.trim().length}`,
          remedy: 'Correct the level, or the text.',
        });
      if (role === null) db.run('DELETE FROM roles WHERE level = ? AND within = ?', level, within);
      else
        db.run(
          'INSERT OR REPLACE INTO roles (level, within, content, applies_to) VALUES (?, ?, ?, ?)',
          level,
          within,
          role.content,
          role.appliesTo === null ? null : JSON.stringify(role.appliesTo),
        );
    },
    list: () =>
      db
        .all('SELECT * FROM roles ORDER BY within')
        .map((row) => ({
          level: String(row['level']) as RoleLevel,
          within: String(row['within']),
          role: roleOf(row),
        }))
        .sort((a, b) => roleLevels.indexOf(a.level) - roleLevels.indexOf(b.level)),
  };
}

function fits({ content }: Role): boolean {
  const { length } = content.trim();
  return length > 0 && length <= maxRoleLength;
}

function roleOf({ content, applies_to }: Row): Role {
  return Object.freeze({
    content: String(content),
    appliesTo: applies_to === null ? null : JSON.parse(String(applies_to)),
  });
}
