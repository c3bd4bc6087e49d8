import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

function readScript(name: string): { text: string; sha1: string } {
  const text = readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** Each script has a file, whose first lines list its keys and arguments. */
export const SCRIPTS = {
  commit: readScript('commit'),
  list: readScript('list'),
  lease: readScript('lease'),
  release: readScript('release'),
  give: readScript('give'),
  enter: readScript('enter'),
  heartbeat: readScript('heartbeat'),
  leave: readScript('leave'),
};

export type ScriptName = keyof typeof SCRIPTS;
