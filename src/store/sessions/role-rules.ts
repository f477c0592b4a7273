/** Rules of roles that all engines share. */
import { SondeError } from '../../core/index.ts';
import type { Act } from '../audit.ts';
import { type Role, type RoleLevel, type RolePlace, roleLevels } from './roles.ts';

/** Maximum characters of a role, since it is part of every prompt. */
const maxRoleLength = 8000;

/** Throws `bad_argument` if the place does not fit the level, or if the role is empty or too long. */
export function checkRole({ level, within }: RolePlace, role: Role | null): void {
  const needsPlace = level === 'thread' || level === 'channel';
  if (needsPlace === (within !== '') && (role === null || hasValidLength(role))) return;
  throw new SondeError('bad_argument', {
    message:
      role === null || hasValidLength(role)
        ? `A role of the level ${level} ${needsPlace ? 'needs the name of its' : 'has no'} ${needsPlace ? level : 'thread or channel'}`
        : `A role has 1 to ${maxRoleLength} characters, not ${role.content.trim().length}`,
    remedy: 'Correct the level, or the text.',
  });
}

function hasValidLength({ content }: Role): boolean {
  const { length } = content.trim();
  return length > 0 && length <= maxRoleLength;
}

type Row = Readonly<Record<string, unknown>>;

export function toRole({ content, applies_to }: Row): Role {
  return Object.freeze({
    content: String(content),
    appliesTo: applies_to === null ? null : JSON.parse(String(applies_to)),
  });
}

/** The act for the audit. It names the place of the role, and not its text. */
export const createRoleAct = ({ level, within }: RolePlace, role: Role | null): Act => ({
  act: role === null ? 'role_removed' : 'role_set',
  on: within === '' ? level : `${level} ${within}`,
});

/** From the narrowest level to the widest; rows of one level keep their order. */
export const toRoleList = (rows: readonly Row[]): readonly (RolePlace & { readonly role: Role })[] =>
  rows
    .map((row) => ({
      level: String(row['level']) as RoleLevel,
      within: String(row['within']),
      role: toRole(row),
    }))
    .sort((a, b) => roleLevels.indexOf(a.level) - roleLevels.indexOf(b.level));
