import { readFileSync } from 'node:fs';

/** The scripts, each in a file of its own that says what its keys and arguments are. */
export const SCRIPT_NAMES = ['commit', 'list', 'lease', 'release'] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** The text of every script. */
export function scriptTexts(): Record<ScriptName, string> {
  const text = (name: ScriptName) => readFileSync(new URL(`${name}.lua`, import.meta.url), 'utf8');
  return {
    commit: text('commit'),
    list: text('list'),
    lease: text('lease'),
    release: text('release'),
  };
}
