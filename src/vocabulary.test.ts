import { readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources } from './testing/rigs/source-tree.ts';

const NOT_METHODS = /^(if|for|while|switch|catch|return|function|super|constructor)$/;

interface Retired {
  word: string;
  allowedIn: string[];
  matches(name: string): boolean;
}

/** `frameBatch`, `FRAME_BATCH` and `frame-batch` are `frame batch`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .split(/[^A-Za-z\d]+/)
    .join(' ')
    .trim()
    .toLowerCase();
}

function retired(word: string, allowedIn: string[]): Retired {
  const isExact = /^[A-Z]|\(\)$/.test(word);
  const matches = isExact
    ? (name: string) => name === word
    : (name: string) => ` ${wordsOf(name)} `.includes(` ${word} `);
  return { word, allowedIn, matches };
}

const glossary = new URL('../docs/glossary.md', import.meta.url);
const table = readFileSync(glossary, 'utf8').split('## Retired words')[1];
const RETIRED = [...(table ?? '').matchAll(/^\| `(.+?)` \| .*? \| ?(.*?) ?\|$/gm)].map(
  ([, word = '', paths = '']) =>
    retired(
      word,
      [...paths.matchAll(/`(.+?)`/g)].map(([, path = '']) => path),
    ),
);

/** Without comments, and with empty strings: what is left are names. */
function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<![:\\'"`])\/\/.*$/gm, '')
    .replaceAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''");
}

/** What a file declares: types, variables, fields, parameters, and functions as `name()`. */
function declaredIn(text: string): string[] {
  const code = codeOf(text);
  const found = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name = '']) => name);
  const functions = [
    ...found(/\bfunction\*?\s+(\w+)/g),
    ...found(/^\s+(?:(?:static|async|get|set|override) |\*)*#?(\w+)(?:<[^>(]*>)?\([^;]*\{$/gm),
  ].filter((name) => !NOT_METHODS.test(name));
  return [
    ...functions.map((name) => `${name}()`),
    ...found(/\b(?:class|interface|type|const|let|var)\s+(\w+)/g),
    ...found(/(?:^|[({,]|\breadonly )\s*#?(\w+)[?!]?: /gm),
    ...found(/^\s+(?:static |readonly )*#(\w+)\s*[=;]/gm),
    ...found(/\((\w+)(?:, \w+)*\) =>/g),
  ];
}

function metricsIn(text: string): string[] {
  return [...text.matchAll(/(?:gauge|counter|histogram)\(\s*'(\w+)'|\bname: '(\w+_\w+)'/g)].map(
    ([, called = '', named = '']) => called || named,
  );
}

const sources = readSources();

describe('the vocabulary', () => {
  it('is read from the glossary', () => {
    expect(RETIRED.length).toBeGreaterThan(30);
    expect(wordsOf('nextStayMs')).toBe('next stay ms');
    const names = declaredIn('class A {\n  #b = 1;\n  c(d: E) {\n');
    expect(names).toEqual(expect.arrayContaining(['A', 'b', 'c()', 'd']));
    expect(sources.length).toBeGreaterThan(400);
  });

  it('has no retired word in names, file names and metrics', () => {
    const found = sources.flatMap(({ path, text }) => {
      const names = new Set([...declaredIn(text), ...metricsIn(text), parse(path).name]);
      return RETIRED.filter(
        ({ allowedIn }) => !allowedIn.some((allowed) => path.startsWith(allowed)),
      ).flatMap(({ word, matches }) =>
        [...names].filter(matches).map((name) => `${path}: ${name} (${word})`),
      );
    });
    expect(found).toEqual([]);
  });
});
