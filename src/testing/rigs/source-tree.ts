import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['assembly', 'src', 'workers', 'bench', 'load', 'client'];
const TEST_AREAS = ['testing', 'simulation'];

export interface Import {
  /** Path from the root, or the name of a package. */
  target: string;
  typeOnly: boolean;
  /** Loaded when the code asks for it. */
  dynamic: boolean;
}

/** A TypeScript file of the project. */
export interface Source {
  /** From the root of the project. */
  path: string;
  text: string;
  /** Folder directly below `src`, or the top folder elsewhere; files of `src` itself: 'root'. */
  area: string;
  /** A test, or what only tests use. */
  isTest: boolean;
  imports: Import[];
}

/** Every TypeScript file of the project, type declarations of others left out. */
export function readSources(): Source[] {
  return FOLDERS.flatMap(filesBelow)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const isTest = /\.test\.tsx?$/.test(path) || TEST_AREAS.includes(areaOf(path));
      return { path, text, area: areaOf(path), isTest, imports: importsOf(path, text) };
    });
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

export function areaOf(path: string): string {
  const parts = path.split('/');
  if (parts[0] !== 'src') return parts[0] ?? '';
  return parts.length === 2 ? 'root' : (parts[1] ?? '');
}

function importsOf(path: string, text: string): Import[] {
  const pattern =
    /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;]*?\sfrom\s+)?'([^']+)';|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(pattern)].map(([, type, target, dynamic]) => ({
    target: fromRoot(path, target ?? dynamic ?? ''),
    typeOnly: type !== undefined,
    dynamic: dynamic !== undefined,
  }));
}

function fromRoot(path: string, target: string): string {
  if (!target.startsWith('.')) return target;
  const found = relative(ROOT, resolve(ROOT, dirname(path), target));
  // AssemblyScript leaves the ending out.
  return existsSync(join(ROOT, `${found}.ts`)) ? `${found}.ts` : found;
}

/** The files that are loaded with a file, before any code of it runs. */
export function loadedWith(path: string, sources: readonly Source[]): Set<string> {
  const loaded = new Set([path]);
  for (const each of loaded) {
    const imports = sources.find((source) => source.path === each)?.imports ?? [];
    for (const { target, typeOnly, dynamic } of imports) {
      if (!typeOnly && !dynamic) loaded.add(target);
    }
  }
  return loaded;
}

/** Groups of files that import each other, directly or by others (Tarjan 1972). */
export function importCircles(sources: readonly Source[]): string[][] {
  const imports = new Map(
    sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]),
  );
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    let low = order.size;
    order.set(path, low);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === order.get(path)) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1 || imports.get(path)?.includes(path)) circles.push(group.toSorted());
    }
    return low;
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return circles;
}

/**
 * Functions, methods and named arrow functions by the formatter's indentation: from their head to
 * the brace below it. Callbacks count with the function that they stand in.
 */
export function functionsOf(text: string): { name: string; lines: number }[] {
  const lines = text.split('\n');
  const named =
    /^(\s*)(?:@inline )?(?:export )?(?:static |get |set )?(?:async )?(?:function\*? )?(#?\w+)(?:<.*>)?\(/;
  const arrow = /^(\s*)(?:export )?const (\w+)(?:: .+)? = (?:async )?(?:<.*>)?\((?!async )/;
  return lines.flatMap((line, start) => {
    const isArrow = arrow.test(line);
    const match = (isArrow ? arrow : named).exec(line);
    if (match === null || /^\s*(if|for|while|switch|catch|return)\b/.test(line)) return [];
    const [, indent = '', name = ''] = match;
    const isParametersEnd = (each: string, i: number) => i > start && each.startsWith(`${indent})`);
    const open = line.endsWith('(') ? lines.findIndex(isParametersEnd) : start;
    if (!(isArrow ? /=> \{$/ : /\)(: .+)? \{$/).test(lines[open] ?? '')) return [];
    const closes = isArrow ? [`${indent}};`] : [`${indent}}`, `${indent}},`];
    const end = lines.findIndex((each, i) => i > open && closes.includes(each));
    return end < 0 ? [] : [{ name, lines: end - start + 1 }];
  });
}
