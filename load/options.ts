import { type ParseArgsConfig, parseArgs } from 'node:util';

export interface NumberOption {
  fallback: number;
  min: number;
  max: number;
  help: string;
}

export interface WordOption {
  fallback: string;
  /** Where there are none, any word will do. */
  choices: readonly string[];
  help: string;
}

/** What a command takes, by option name. */
export interface OptionTable {
  numbers: Readonly<Record<string, NumberOption>>;
  words: Readonly<Record<string, WordOption>>;
  flags: Readonly<Record<string, string>>;
}

export type NumbersOf<T extends OptionTable> = Record<keyof T['numbers'], number>;
export type WordsOf<T extends OptionTable> = Record<keyof T['words'], string>;
export type FlagsOf<T extends OptionTable> = Record<keyof T['flags'], boolean>;

/** Values of a command's options, each within its bounds. */
export type Options<T extends OptionTable> = NumbersOf<T> & WordsOf<T> & FlagsOf<T>;

/** A mistake in the command line; its message is for whoever typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads `--name value` pairs and flags. Throws UsageError. */
export function parseOptions<T extends OptionTable>(table: T, args: string[]): Options<T> {
  const values = rawValues(table, args);
  const numbers = Object.entries(table.numbers).map(([name, option]) => [
    name,
    numberOf(name, option, values[name]),
  ]);
  const words = Object.entries(table.words).map(([name, option]) => [
    name,
    wordOf(name, option, values[name]),
  ]);
  const flags = Object.keys(table.flags).map((name) => [name, values[name] === true]);
  return Object.fromEntries([...numbers, ...words, ...flags]);
}

type RawValue = string | boolean | undefined;

function rawValues(table: OptionTable, args: string[]): Record<string, RawValue> {
  const config: ParseArgsConfig['options'] = {};
  for (const name of Object.keys({ ...table.numbers, ...table.words })) {
    config[name] = { type: 'string' };
  }
  for (const name of Object.keys(table.flags)) config[name] = { type: 'boolean' };
  try {
    return parseArgs({ args, options: config, strict: true }).values as Record<string, RawValue>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function numberOf(name: string, option: NumberOption, value: RawValue): number {
  if (value === undefined) return option.fallback;
  const number = value === '' ? Number.NaN : Number(value);
  if (!Number.isInteger(number) || number < option.min || number > option.max) {
    throw new UsageError(`--${name} takes a whole number from ${option.min} to ${option.max}`);
  }
  return number;
}

function wordOf(name: string, option: WordOption, value: RawValue): string {
  if (value === undefined) return option.fallback;
  const { choices } = option;
  if (typeof value === 'string' && (choices.length === 0 || choices.includes(value))) return value;
  throw new UsageError(`--${name} takes one of ${choices.join(', ')}`);
}

/** One line an option. */
export function describeOptions(table: OptionTable): string {
  const lines = [
    ...Object.entries(table.numbers).map(([name, { fallback, help }]) => [
      `--${name} <n>`,
      `${help} (${fallback})`,
    ]),
    ...Object.entries(table.words).map(([name, { fallback, choices, help }]) => [
      `--${name} <${choices.join('|') || name}>`,
      fallback === '' ? help : `${help} (${fallback})`,
    ]),
    ...Object.entries(table.flags).map(([name, help]) => [`--${name}`, help]),
  ];
  return lines.map(([option = '', help = '']) => `  ${option.padEnd(28)}${help}`).join('\n');
}
