import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

export interface NumberOption {
  fallback: number;
  min: number;
  max: number;
  help: string;
}

export interface WordOption {
  fallback: string;
  /** Any word will do where there are none. */
  choices: readonly string[];
  help: string;
}

/** What a command takes, by option name. */
export interface OptionTable {
  numbers?: Readonly<Record<string, NumberOption>>;
  words?: Readonly<Record<string, WordOption>>;
  /** Words that may be given more than once. */
  lists?: Readonly<Record<string, Omit<WordOption, 'fallback'>>>;
  /** Help by name. */
  flags?: Readonly<Record<string, string>>;
}

type ValuesOf<T, Kind extends string, Value> =
  T extends Readonly<Record<Kind, infer Named>> ? Record<keyof Named, Value> : unknown;

/** Values of a command's options, each within its bounds. */
export type Options<T extends OptionTable> = ValuesOf<T, 'numbers', number> &
  ValuesOf<T, 'words', string> &
  ValuesOf<T, 'lists', string[]> &
  ValuesOf<T, 'flags', boolean>;

/** Reads `--name value` pairs and flags. Throws UsageError. */
export function parseOptions<T extends OptionTable>(table: T, args: readonly string[]): Options<T> {
  const { numbers = {}, words = {}, lists = {}, flags = {} }: OptionTable = table;
  const values = rawValues({ numbers, words, lists, flags }, args);
  return Object.fromEntries([
    ...Object.entries(numbers).map(([name, of]) => [name, numberOf(name, of, values[name])]),
    ...Object.entries(words).map(([name, of]) => [
      name,
      values[name] === undefined ? of.fallback : wordOf(name, of.choices, values[name]),
    ]),
    ...Object.entries(lists).map(([name, { choices }]) => [
      name,
      [values[name] ?? []].flat().map((value) => wordOf(name, choices, value)),
    ]),
    ...Object.keys(flags).map((name) => [name, values[name] === true]),
  ]) as Options<T>;
}

type RawValue = string | boolean | (string | boolean)[] | undefined;

function rawValues(
  { numbers, words, lists, flags }: Required<OptionTable>,
  args: readonly string[],
): Record<string, RawValue> {
  const options: ParseArgsConfig['options'] = {};
  for (const name of Object.keys({ ...numbers, ...words })) options[name] = { type: 'string' };
  for (const name of Object.keys(lists)) options[name] = { type: 'string', multiple: true };
  for (const name of Object.keys(flags)) options[name] = { type: 'boolean' };
  try {
    return parseArgs({ args: [...args], options }).values as Record<string, RawValue>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function numberOf(name: string, { fallback, min, max }: NumberOption, value: RawValue): number {
  if (value === undefined) return fallback;
  const number = value === '' ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`--${name} takes a whole number from ${min} to ${max}`);
}

function wordOf(name: string, choices: readonly string[], value: RawValue): string {
  const isAny = choices.length === 0;
  if (typeof value === 'string' && (isAny || choices.includes(value))) return value;
  throw new UsageError(`--${name} takes one of ${choices.join(', ')}`);
}

/** One line an option. */
export function describeOptions(table: OptionTable): string {
  const { numbers = {}, words = {}, lists = {}, flags = {} } = table;
  const lines = [
    ...Object.entries(numbers).map(([name, { fallback, help }]) => [
      `--${name} <n>`,
      `${help} (${fallback})`,
    ]),
    ...Object.entries(words).map(([name, { fallback, choices, help }]) => [
      `--${name} <${choices.join('|') || name}>`,
      fallback === '' ? help : `${help} (${fallback})`,
    ]),
    ...Object.entries(lists).map(([name, { choices, help }]) => [
      `--${name} <${name}>`,
      `${help}: ${choices.join(', ')}`,
    ]),
    ...Object.entries(flags).map(([name, help]) => [`--${name}`, help]),
  ];
  return lines.map(([option = '', help = '']) => `  ${option.padEnd(28)}${help}`).join('\n');
}

/** Runs an entry point. A UsageError is printed with the help and ends the process with 2. */
export async function runEntryPoint(help: string, main: (args: string[]) => Promise<void>) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(help);
  try {
    await main(args);
  } catch (error) {
    process.exitCode = 2;
    console.error(error instanceof UsageError ? `${error.message}\n\n${help}` : error);
  }
}
