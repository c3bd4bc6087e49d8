import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { readConfig } from '../../config.ts';
import { systemRandom } from '../../random.ts';

/** Environment variables by name, as a recipe sets them. */
export type Settings = Record<string, string>;

const FOLDER = fileURLToPath(new URL('../../../docs/operating/recipes', import.meta.url));

/** A recipe as text. */
export function readRecipe(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8');
}

/** Paths of all recipes, from their folder. */
export function recipeFiles(): string[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(FOLDER.length + 1))
    .toSorted();
}

/** All documents of a YAML file. Throws where one is not valid. */
export function documentsOf(path: string): unknown[] {
  return readRecipe(path)
    .split(/^---$/m)
    .map((text) => parseYaml(text));
}

/** Names of all settings that a node reads, in each of its modes. */
export function settingNames(): Set<string> {
  const names = new Set<string>();
  const modes: Settings[] = [{}, { DEMO: 'off' }, { LINK_URL: 'wss://a' }];
  for (const mode of modes) {
    const read = (_: object, name: string) => {
      names.add(name);
      return mode[name];
    };
    try {
      readConfig(new Proxy({}, { get: read }) as Settings, systemRandom);
    } catch {
      // A mode that lacks a setting has been read up to that one.
    }
  }
  return names;
}

export interface ComposeService {
  image: string;
  command?: string[];
  environment?: Settings;
  networks?: string[] | Record<string, { ipv4_address: string }>;
  ports?: string[];
  stop_grace_period: string;
  volumes?: string[];
}

export interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
}

export function readCompose(): Compose {
  return documentsOf('compose.yaml')[0] as Compose;
}

/** Those services of a compose file that are nodes, by name. */
export function composeNodes({ services }: Compose): [name: string, service: ComposeService][] {
  return Object.entries(services).filter(([name]) => name.startsWith('node-'));
}

/** Instructions of the Dockerfile: the keyword, and the rest without line breaks. */
export function dockerInstructions(): [keyword: string, rest: string][] {
  const lines = readRecipe('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, keyword = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    return keyword === '' ? [] : [[keyword, rest] as [string, string]];
  });
}

/** What the image sets. */
export function imageSettings(): Settings {
  const all = dockerInstructions().filter(([keyword]) => keyword === 'ENV');
  return Object.fromEntries(all.flatMap(([, rest]) => rest.split(' ').map((each) => pair(each))));
}

/** `KEY=value` lines of the unit of systemd, in order. */
export function unitLines(): [key: string, value: string][] {
  return readRecipe('driving-twin.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => pair(line));
}

/** The part before and the part after the first `=`. */
function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A list of `NAME=value` as settings. */
export function settingsOf(texts: readonly string[]): Settings {
  return Object.fromEntries(texts.map(pair));
}
