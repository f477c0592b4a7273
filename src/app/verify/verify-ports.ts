/** Opens the readers that `sonde verify` needs to read the cited lines of one folder: no model and no index. */

import { cacheTexts, checkShownClaim, maskTexts } from '../../code/index.ts';
import { treeReader } from '../../code/tree.ts';
import type { TextReader } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import type { VerifyPorts } from './verify-answers.ts';

export async function openVerifyPorts(root: string): Promise<VerifyPorts> {
  const environment = processEnvironment();
  const { PATH: gitSearchPath } = environment;
  const mask = () => openMasker(loadConfiguration({ environment }));
  const reader = treeReader({
    root: resolveRoot(root),
    ...(gitSearchPath !== undefined && { git: { searchPath: gitSearchPath } }),
  });
  const cachedReader = cacheTexts(reader);
  // Making a masker takes time, and plain citations need none.
  let maskedReader: TextReader | undefined;
  const shown: TextReader = {
    readText(path, commit) {
      maskedReader ??= maskTexts(cachedReader, mask());
      return maskedReader.readText(path, commit);
    },
  };
  return {
    shown,
    reader: { readText: cachedReader.readText, knowsCommit: (commit) => reader.knowsCommit(commit) },
    mask,
    check: (claim) => checkShownClaim(claim, cachedReader, mask),
  };
}
