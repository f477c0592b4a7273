/** Stores tokens in a database of their own. Only its owner may read it, and the agent's process never opens it. */
import { join } from 'node:path';
import { type Clock, SondeError, sha256, systemClock } from '../../core/index.ts';
import { type ActName, type Actor, openDatabase, type Row, recordAct } from '../../store/index.ts';
import { type CapabilitySetName, newToken } from '../../tools/index.ts';
import type { Directories } from '../config/index.ts';
import { tokensSchema } from './schema.ts';
import { isSamePlace, type Token, type TokenPlace, type Tokens, tokenName } from './tokens.ts';

const busyMs = 10_000;

/** Throws the errors of opening a database. */
export function openTokens(directories: Pick<Directories, 'data'>, clock: Clock = systemClock): Tokens {
  const db = openDatabase({ path: join(directories.data, 'tokens.db'), schemas: [tokensSchema], busyMs });
  const findNamed = (place: TokenPlace, name: string) =>
    db.get(
      'SELECT * FROM tokens WHERE kind = ? AND workspace = ? AND name = ?',
      ...toColumns(place).slice(0, 2),
      name,
    );
  const recordTokenAct = (act: ActName, place: TokenPlace, name: string, actor: Actor | undefined): void =>
    recordAct(db, actor, { act, on: formatAuditName(name, place) }, clock.now());
  return {
    add({ name, place, allow, author, kept, sender = null, secretFile = null }, actor) {
      if (!tokenName.test(name))
        throw new SondeError('bad_argument', {
          message: `${JSON.stringify(name)} is no name of a token`,
          remedy: 'Give a word of at most 64 letters, digits, dots, hyphens and underscores.',
        });
      return db.atomic(() => {
        const existingRow = findNamed(place, name);
        if (existingRow !== undefined && isSamePlace(toToken(existingRow).place, place))
          throw nameTakenError(name, place);
        // A token of this name for a deleted workspace is replaced.
        if (existingRow !== undefined)
          db.run('DELETE FROM tokens WHERE hash = ?', String(existingRow['hash']));
        const token = newToken();
        const sql = 'INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
        db.run(
          sql,
          sha256(token),
          name,
          ...toColumns(place),
          allow,
          Number(author),
          Number(kept),
          clock.now(),
          sender,
          secretFile,
        );
        recordTokenAct('token_added', place, name, actor);
        return token;
      });
    },
    list: () => db.all('SELECT * FROM tokens ORDER BY kind, workspace, name').map(toToken),
    remove(place, name, actor) {
      const [kind, workspace] = toColumns(place);
      const sql = 'DELETE FROM tokens WHERE kind = ? AND workspace = ? AND name = ?';
      return db.atomic(() => {
        const wasRemoved = db.run(sql, kind, workspace, name) > 0;
        if (wasRemoved) recordTokenAct('token_removed', place, name, actor);
        return wasRemoved;
      });
    },
    check(bearerToken, place) {
      // Looked up by hash: an attacker can't choose the hash of a guess, so the time of the look-up reveals nothing.
      const row =
        bearerToken === null ? undefined : db.get('SELECT * FROM tokens WHERE hash = ?', sha256(bearerToken));
      if (row === undefined) return { kind: 'unknown' };
      const token = toToken(row);
      return isSamePlace(token.place, place) ? { kind: 'holder', token } : { kind: 'wrong_place' };
    },
    atomic: (work) => db.atomic(work),
    close: () => db.close(),
  };
}

const toColumns = (place: TokenPlace): [kind: string, workspace: string, id: string] =>
  place.kind === 'workspace' ? ['workspace', place.workspace, place.id] : ['alerts', '', ''];

function toToken(row: Row): Token {
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

const nameTakenError = (name: string, place: TokenPlace): SondeError =>
  new SondeError('bad_argument', {
    message: `There is a token ${name} for ${formatPlace(place)} already`,
    remedy: 'Take another name, or take that one away with sonde token rm.',
  });

/** The name of a token in the audit. */
export const formatAuditName = (name: string, place: TokenPlace): string =>
  `${name}, for ${formatPlace(place)}`;

/** Formats a place for messages. */
export const formatPlace = (place: TokenPlace): string =>
  place.kind === 'alerts' ? 'alerts' : `the workspace ${place.workspace}`;
