import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT } from '../common/places.ts';
import { UsageError } from '../common/usage-error.ts';
import { npm } from './npm-run.ts';

const TREES = join(CACHE, 'commits');

/** The full hash of a commit. Throws UsageError if this repository has no such commit. */
export function commitOf(name: string): string {
  try {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    throw new UsageError(`--against: this repository has no commit ${name}`);
  }
}

/** A folder with the files of a commit and its own installation, made once and kept. */
export async function keptTree(commit: string): Promise<string> {
  const folder = join(TREES, commit);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const archive = join(unfinished, 'commit.tar');
  execFileSync('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  execFileSync('tar', ['-xf', archive], { cwd: unfinished });
  rmSync(archive);
  console.log(`installing ${commit.slice(0, 12)} in ${folder}, once`);
  await npm(unfinished, ['ci', '--silent', '--no-audit', '--no-fund']);
  renameSync(unfinished, folder);
  return folder;
}
