/** Stores tokens in a database of their own. Only its owner may read it, and the agent's process never opens it. */
import { join } from 'node:path';
import { type Clock, SondeError, sha256, systemClock } from '../../core/index.ts';
import { type ActName, type Actor, keepAct, openDatabase, type Row } from '../../store/index.ts';
import { type CapabilitySetName, newToken } from '../../tools/index.ts';
import type { Directories } from '../config/index.ts';
import { tokensSchema } from './schema.ts';
import { samePlace, type Token, type TokenPlace, type Tokens, tokenName } from './tokens.ts';

const busyMs = 10_000;

/** Throws the errors of opening a database. */
export function openTokens(directories: Pick<Directories, 'data'>, clock: Clock = systemClock): Tokens {
  const db = openDatabase({ path: join(directories.data, 'tokens.db'), schemas: [tokensSchema], busyMs });
  const findNamed = (place: TokenPlace, name: string) =>
    db.get(
      'SELECT * FROM tokens WHERE kind = ? AND workspace = ? AND name = ?',
      ...columnsOf(place).slice(0, 2),
      name,
    );
  const note = (act: ActName, place: TokenPlace, name: string, by: Actor | undefined): void =>
    keepAct(db, by, { act, on: auditName(name, place) }, clock.now());
  return {
    add({ name, place, allow, author, kept, sender = null, secretFile = null }, by) {
      if (!tokenName.test(name))
        throw new SondeError('bad_argument', {
          message: `${JSON.stringify(name)} is no name of a token`,
          remedy: 'Give a word of at most 64 letters, digits, dots, hyphens and underscores.',
        });
      return db.atomic(() => {
        const there = findNamed(place, name);
        if (there !== undefined && samePlace(tokenOf(there).place, place)) throw nameTaken(name, place);
        // A token of a workspace that is gone is replaced.
        if (there !== undefined) db.run('DELETE FROM tokens WHERE hash = ?', String(there['hash']));
        const token = newToken();
        const sql = 'INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
        db.run(
          sql,
          sha256(token),
          name,
          ...columnsOf(place),
          allow,
          Number(author),
          Number(kept),
          clock.now(),
          sender,
          secretFile,
        );
        note('token_added', place, name, by);
        return token;
      });
    },
    list: () => db.all('SELECT * FROM tokens ORDER BY kind, workspace, name').map(tokenOf),
    remove(place, name, by) {
      const [kind, workspace] = columnsOf(place);
      const sql = 'DELETE FROM tokens WHERE kind = ? AND workspace = ? AND name = ?';
      return db.atomic(() => {
        const isGone = db.run(sql, kind, workspace, name) > 0;
        if (isGone) note('token_removed', place, name, by);
        return isGone;
      });
    },
    enter(shown, place) {
      // Looked up by its hash, which a guesser cannot choose, so the time of the look-up reveals nothing.
      const row = shown === null ? undefined : db.get('SELECT * FROM tokens WHERE hash = ?', sha256(shown));
      if (row === undefined) return { kind: 'unknown' };
      const token = tokenOf(row);
      return samePlace(token.place, place) ? { kind: 'holder', token } : { kind: 'wrong_place' };
    },
    atomic: (work) => db.atomic(work),
    close: () => db.close(),
  };
}

const columnsOf = (place: TokenPlace): [kind: string, workspace: string, id: string] =>
  place.kind === 'workspace' ? ['workspace', place.workspace, place.id] : ['alerts', '', ''];

function tokenOf(row: Row): Token {
  const { name, kind, workspace, workspace_id: id, allow, author, kept, created, sender } = row;
  const place: TokenPlace =
    kind === 'alerts' ? { kind } : { kind: 'workspace', workspace: String(workspace), id: String(id) };
  return Object.freeze({
    name: String(name),
    place,
    allow: allow as CapabilitySetName | null,
    author: author === 1,
    kept: kept === 1,
    sender: sender as string | null,
    secretFile: row['hmac_secret_file'] as string | null,
    created: Number(created),
  });
}

const nameTaken = (name: string, place: TokenPlace): SondeError =>
  new SondeError('bad_argument', {
    message: `There is a token ${name} for ${placeText(place)} already`,
    remedy: 'Take another name, or take that one away with sonde token rm.',
  });

/** As the audit names a token. */
export const auditName = (name: string, place: TokenPlace): string => `${name}, for ${placeText(place)}`;

/** For people. */
export const placeText = (place: TokenPlace): string =>
  place.kind === 'alerts' ? 'alerts' : `the workspace ${place.workspace}`;
